import Foundation
import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

/// Erased records, as a value, behind a mask, in a file and in their place.
struct ErasureTests {
    /// An event with each combination of parts at some positions.
    private static func event(_ position: UInt64) -> Event {
        EventMaker().event(
            position, key: position % 2 == 0 ? "needle-k\(position)" : nil,
            tags: position % 3 == 0 ? EventTags.text([Array("needle-t\(position)".utf8)]) : nil,
            meta: position % 5 == 0 ? "{\"m\":\"needle-m\(position)\"}" : nil, data: "{\"d\":\"needle-d\(position)\"}")
    }

    /// A log of 600 events, the last 100 of which are in no block.
    private static func bench() throws -> LogBench {
        let bench = try LogBench(journalSize: 1 << 20)
        for position in 1...600 as ClosedRange<UInt64> {
            try bench.log.append(event(position))
            if position % 50 == 0 { try bench.log.commit() }
            if position == 500 { try bench.log.flush() }
        }
        return bench
    }

    /// The erasures of a random mask, by a plain list: of each position the first eraser, and whether labels go.
    private static func masked(
        _ random: inout SplitMix64, upTo last: UInt64
    ) -> (mask: ErasureMask, plain: [UInt64: (eraser: UInt64, drops: Bool)]) {
        var (mask, plain) = (ErasureMask(), [UInt64: (eraser: UInt64, drops: Bool)]())
        for eraser in 0..<UInt64.random(in: 1...6, using: &random) {
            let drops = random.oneIn(2)
            var (ranges, next) = ([ClosedRange<Position>](), UInt64(1))
            while ranges.count < 5, next < last {
                let lower = UInt64.random(in: next...last, using: &random)
                let upper = min(last, lower + UInt64.random(in: 0...20, using: &random))
                ranges.append(Position(lower)...Position(upper))
                for position in lower...upper {
                    let old = plain[position]
                    plain[position] = (old?.eraser ?? 10_000 + eraser, drops || old?.drops == true)
                }
                next = upper + 2
            }
            mask.add(ranges, by: Position(10_000 + eraser), dropsLabels: drops)
        }
        return (mask, plain)
    }

    /// The records of a log as they are stored, erased by the plain list.
    private static func records(_ log: LMDBEventLog, _ plain: [UInt64: (eraser: UInt64, drops: Bool)]) throws -> [[UInt8]] {
        var records: [[UInt8]] = []
        try log.scanRecords(from: Position(1), through: log.head) { (position, bytes) in
            var record = [UInt8](bytes)
            if let erasure = plain[position.value] {
                let hasLabels = position.value % 2 == 0 || position.value % 3 == 0
                ErasedRecords.erase(
                    &record, at: position.value, by: erasure.eraser, hasNoLabels: erasure.drops && hasLabels)
            }
            records.append(record)
            return true
        }
        return records
    }

    private static func lines(_ records: [[UInt8]]) throws -> [String] {
        try records.enumerated().map { index, record in
            try record.withBytes { (bytes) throws in
                String(decoding: try Record.read(bytes, at: UInt64(index + 1)).json, as: UTF8.self)
            }
        }
    }

    @Test(arguments: 1...20) func `masked events are read as they will be`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let bench = try Self.bench()
        let log = bench.log
        let (mask, plain) = Self.masked(&random, upTo: 600)
        let expected = try Self.records(log, plain)
        let lines = try Self.lines(expected)
        log.records.mask = mask
        #expect(try log.lines() == lines)
        #expect(try log.lines(1, 600, .descending) == lines.reversed())
        #expect(try Self.records(log, [:]) == expected)
        let positions = (1...600).filter { _ in random.oneIn(3) }
        var read: [String] = []
        try log.records(at: positions.map { Position(UInt64($0)) }) { record in
            read.append(String(decoding: record.json, as: UTF8.self))
            return true
        }
        #expect(read == positions.map { lines[$0 - 1] })
        for keeps in [false, true] {
            let view = try LogView(log, keepsMasked: keeps)
            var (seen, kept) = ([[UInt8]](), [StoredRecord]())
            try view.scan(from: Position(1), through: log.head) { (_, record) in
                seen.append([UInt8](UnsafeRawBufferPointer(start: record.start, count: record.count)))
                kept.append(record)
                return true
            }
            #expect(seen == expected)
            guard keeps else { continue }
            #expect(kept.map { [UInt8](UnsafeRawBufferPointer(start: $0.start, count: $0.count)) } == expected)
            view.close()
        }
    }

    @Test(arguments: 1...20) func `overwritten records are the plain ones, and nothing else changes`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let bench = try Self.bench()
        try bench.log.flush()
        let (mask, plain) = Self.masked(&random, upTo: 600)
        let expected = try Self.records(bench.log, plain)
        let seal = try bench.log.verifier().run { _ in true }
        bench.log.records.mask = mask
        let erasures = try bench.log.maskedErasures()
        #expect(erasures.map(\.position.value) == plain.keys.sorted())
        // A write may be done in part, by sectors, and is done again.
        for erasure in erasures where random.oneIn(3) {
            let part = ErasureTests.torn(erasure, try bench.log.storedRecord(at: erasure.position), &random)
            try bench.log.environment.overwrite(try bench.log.storedRecord(at: erasure.position), by: part)
        }
        try bench.log.overwrite(erasures)
        bench.log.records.mask = ErasureMask()
        #expect(try Self.records(bench.log, [:]) == expected)
        #expect(try bench.log.verifier().run { _ in true } == seal)
        try bench.log.overwrite(erasures)
        try bench.reopen()
        #expect(try Self.records(bench.log, [:]) == expected)
        let file = try Data(contentsOf: URL(fileURLWithPath: bench.file))
        for (position, erasure) in plain {
            #expect(file.range(of: Data("needle-d\(position)\"".utf8)) == nil, "\(position)")
            guard erasure.drops, position % 2 == 0 else { continue }
            #expect(file.range(of: Data("needle-k\(position)\"".utf8)) == nil, "\(position)")
        }
    }

    /// A record of which some bytes are as before and others as after.
    private static func torn(
        _ erasure: RecordErasure, _ record: UnsafeRawBufferPointer, _ random: inout SplitMix64
    ) -> [UInt8] {
        let before = [UInt8](record)
        let after = (try? erasure.erased(record)) ?? before
        let cut = Int.random(in: 0...before.count, using: &random)
        let (first, second) = random.oneIn(2) ? (before, after) : (after, before)
        return Array(first[..<cut]) + Array(second[cut...])
    }

    @Test func `a record is erased in two steps as well, and once it is done it stays`() throws {
        let bench = try Self.bench()
        for position in 1...40 as ClosedRange<UInt64> {
            let hasLabels = position % 2 == 0 || position % 3 == 0
            for steps in [[false], [true], [false, true], [true, false], [true, true]] {
                var record = try Self.records(bench.log, [:])[Int(position - 1)]
                var plain = record
                for (step, drops) in steps.enumerated() {
                    let erased = try record.withBytes { (bytes) throws in
                        try RecordErasure(
                            of: bytes, at: Position(position), by: Position(UInt64(2_001 + step)), dropsLabels: drops
                        )?.erased(bytes)
                    }
                    #expect((erased != nil) == (step == 0 || drops && hasLabels && !steps[0]))
                    record = erased ?? record
                }
                ErasedRecords.erase(&plain, at: position, by: 2_001, hasNoLabels: hasLabels && steps.contains(true))
                #expect(record == plain, "\(position), \(steps)")
            }
        }
    }

    @Test func `a damaged record is not erased`() throws {
        let bench = try Self.bench()
        let whole = try Self.records(bench.log, [:])[5]
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

    @Test(arguments: 1...10) func `the file of what is erased is read as it was written, or not at all`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let bench = try Self.bench()
        let (mask, _) = Self.masked(&random, upTo: 60)
        bench.log.records.mask = mask
        let path = bench.folder.store + "/erase.redo"
        #expect(try ErasureRedo.read(path) == nil)
        for redo in [ErasureRedo(mask), ErasureRedo(mask, try bench.log.maskedErasures()), ErasureRedo(mask, [])] {
            try redo.write(to: path)
            #expect(try ErasureRedo.read(path) == redo)
            let bytes = RawFile.read(path)
            for index in bytes.indices where random.oneIn(4) {
                var changed = bytes
                changed[index] ^= UInt8.random(in: 1...255, using: &random)
                #expect(ErasureRedo(changed) == nil)
                #expect(ErasureRedo(Array(bytes[..<index])) == nil)
            }
        }
    }
}
