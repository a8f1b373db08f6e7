import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

/// Seals of single positions, beside those that a verification of the whole log computes.
struct SealReaderTests {
    private func expectSeals(_ log: LMDBEventLog) throws {
        for position in 1...log.head.value {
            let proven = try log.verifier().run(sealAt: Position(position)) { _ in true }
            expect(try log.seals().seal(at: Position(position)) == proven, "at \(position)")
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `the seal at each position is that of a verification, in blocks and in the journal`(seed: UInt64) throws {
        let bench = try LogBench()
        var random = SplitMix64(seed: seed)
        expect(try bench.log.seals().seal(at: .zero) == SealChain.first(of: bench.log.storedIdentity.root))
        for _ in 1...8 {
            try bench.log.extend(by: UInt64.random(in: 1...9, using: &random))
            if Bool.random(using: &random) { try bench.log.flush() }
        }
        try expectSeals(bench.log)
        bench.close()
    }

    @Test func `records that were flushed meanwhile count once`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 5)
        try bench.log.flush()
        try bench.log.extend(by: 5)
        let before = bench.log.seals()
        let seal = try before.seal(at: Position(8))
        try bench.log.flush()
        expect(try before.seal(at: Position(8)) == seal && before.seal(at: Position(10)).bytes.count == Seal.size)
        try expectSeals(bench.log)
        bench.close()
    }

    @Test func `an event that no commit has stored has its seal, and a position after the end has none`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 2)
        try bench.log.append(EventMaker().event(3))
        let seal = try bench.log.seals().seal(at: Position(3))
        try bench.log.commit()
        expect(try bench.log.seals().seal(at: Position(3)) == seal)
        #expect(throws: StorageError.self) { try bench.log.seals().seal(at: Position(4)) }
        bench.close()
    }
}
