import Foundation
import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

/// The erasure of a record as a value, and the file that has it.
struct ErasedRecordTests {
    @Test func `a record is erased in two steps as well, and once it is done it stays`() throws {
        let bench = try ErasureBench.bench()
        for position in 1...40 as ClosedRange<UInt64> {
            let hasLabels = position % 2 == 0 || position % 3 == 0
            for steps in [[false], [true], [false, true], [true, false], [true, true]] {
                var record = try ErasureBench.records(bench.log)[Int(position - 1)]
                var plain = record
                for (step, drops) in steps.enumerated() {
                    let erased = try record.withBytes { (bytes) throws in
                        try RecordErasure(
                            of: bytes, at: Position(position), by: Position(UInt64(2_001 + step)), dropsLabels: drops
                        )?.erased(bytes)
                    }
                    expect((erased != nil) == (step == 0 || drops && hasLabels && !steps[0]))
                    record = erased ?? record
                }
                ErasedRecords.erase(&plain, at: position, by: 2_001, hasNoLabels: hasLabels && steps.contains(true))
                expect(record == plain, "\(position), \(steps)")
            }
        }
    }

    @Test func `a damaged record is not erased`() throws {
        let bench = try ErasureBench.bench()
        let whole = try ErasureBench.records(bench.log)[5]
        for byte in whole.indices {
            var record = whole
            record[byte] ^= 1
            #expect(throws: StorageError.self) {
                try record.withBytes { (bytes) throws in
                    _ = try RecordErasure(of: bytes, at: Position(6), by: Position(9), dropsLabels: true)
                }
            }
        }
    }

    @Test func `the file of what is erased is read as it was written, or not at all`() throws {
        var random = SplitMix64(seed: 1)
        let bench = try ErasureBench.bench()
        _ = try ErasureBench.orders(bench.log, &random, upTo: 60)
        try bench.log.commit()
        try bench.log.flush()
        let erasures = try require(bench.log.erasure.begin()).prepare().erasures
        let path = bench.folder.path + "/erase.redo"
        expect(try ErasureRedo.read(path) == nil)
        for redo in [ErasureRedo([Position(7)]), ErasureRedo([Position(7), Position(9)], erasures)] {
            try redo.write(to: path)
            expect(try ErasureRedo.read(path) == redo)
            let bytes = RawFile.read(path)
            for index in bytes.indices where random.oneIn(4) {
                var changed = bytes
                changed[index] ^= UInt8.random(in: 1...255, using: &random)
                expect(ErasureRedo(file: changed) == nil)
                expect(ErasureRedo(file: Array(bytes[..<index])) == nil)
            }
        }
    }
}
