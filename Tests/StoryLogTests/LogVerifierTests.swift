import Glibc
import StoryCore
import StoryStorage
import Synchronization
import Testing
import TestSupport

@testable import StoryLog

struct LogVerifierTests {
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `verifying names the position of any changed byte`(seed: UInt64) throws {
        let bench = try LogBench()
        var random = SplitMix64(seed: seed)
        for _ in 1...20 {
            try bench.log.extend(by: UInt64.random(in: 1...25, using: &random))
            if Int.random(in: 0..<4, using: &random) == 0 { try bench.log.flush() }
        }
        let event = EventMaker().event(bench.log.head.next.value, data: "\"\(String(repeating: "x", count: 9_000))\"")
        try bench.log.append(event)
        try bench.log.commit()
        try bench.log.extend(by: 2)
        bench.close()
        let bytes = RawFile.read(bench.file)
        let blocks = LogPages(bytes).records
        expect(blocks.count > 2)
        let starts = blocks.keys.sorted() + [event.position.value + 3]
        for _ in 1...200 {
            let index = Int.random(in: 0..<blocks.count, using: &random)
            let block = try require(blocks[starts[index]])
            let offset = Int.random(in: block, using: &random)
            RawFile.patch(bench.file, at: offset, bytes[offset] ^ UInt8(1 << UInt8.random(in: 0..<8, using: &random)))
            let verdict = verdict(bench)
            let isNamed = (verdict?.position?.value).map { (starts[index]..<starts[index + 1]).contains($0) }
            expect(isNamed == true, "byte \(offset): \(String(describing: verdict))")
            RawFile.patch(bench.file, at: offset, bytes[offset])
        }
        expect(verdict(bench) == nil)
    }

    @Test func `each byte of a seal counts`() throws {
        let bench = try LogBench()
        for _ in 1...3 {
            try bench.log.extend(by: 2)
            try bench.log.flush()
        }
        bench.close()
        let bytes = RawFile.read(bench.file)
        let block = try require(LogPages(bytes).records[3])
        for offset in block.suffix(Seal.size) {
            RawFile.patch(bench.file, at: offset, bytes[offset] ^ 0x80)
            expect(verdict(bench)?.position == Position(3))
            RawFile.patch(bench.file, at: offset, bytes[offset])
        }
    }

    @Test func `a forged event with a fitting checksum breaks the seal of its block`() throws {
        let bench = try LogBench()
        for _ in 1...3 {
            try bench.log.extend(by: 4)
            try bench.log.flush()
        }
        bench.close()
        try forge(bench, at: 6, in: 5)
        expect(verdict(bench)?.position == Position(5))
    }

    @Test func `another root with a fitting checksum breaks the chain at its first seal`() throws {
        let bench = try LogBench()
        for _ in 1...3 { try bench.log.extend(by: 2) }
        bench.close()
        let range = try require(LogPages(RawFile.read(bench.file)).records[0])
        let identity = StoredIdentity(id: Array(repeating: 9, count: 16))
        let file = try FileHandle(bench.file, O_RDONLY).identity()
        let forged = LogHeader(identity: identity, created: Instant(milliseconds: 1), file: file).bytes
        // Its journal would belong to another log.
        unlink(bench.journal)
        RawFile.write([], bench.journal + ".lost")
        for (index, byte) in forged.enumerated() { RawFile.patch(bench.file, at: range.lowerBound + index, byte) }
        try bench.open()
        expect(failure { () throws(StorageError) in try bench.log.verify { _ in } }?.position == Position(1))
    }

    @Test func `versions that skip one, and numbers with two names, are found`() throws {
        for wrong in [
            EventMaker().event(8, version: 3), EventMaker().event(8, version: 1), EventMaker().event(8, stream: "a-b"),
        ] {
            let bench = try LogBench()
            try bench.log.extend(by: 7)
            try bench.log.append(wrong)
            try bench.log.commit()
            expect(failure { () throws(StorageError) in try bench.log.verify { _ in } }?.position == Position(8))
        }
    }

    @Test func `times that go backwards are found`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 2)
        try bench.log.append(EventMaker(time: 5).event(3))
        try bench.log.commit()
        expect(failure { () throws(StorageError) in try bench.log.verify { _ in } }?.position == Position(3))
    }

    @Test func `it may run on another thread while the log is appended to`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 12_000)
        let verifier = bench.log.verifier()
        let outcome = Mutex<(error: StorageError?, reached: UInt64)>((nil, 0))
        let thread = try TestThread {
            let error = failure { () throws(StorageError) in
                for _ in 1...20 {
                    try verifier.run { position in
                        outcome.withLock { $0.reached = position.value }
                        return true
                    }
                }
            }
            outcome.withLock { $0.error = error }
        }
        for _ in 1...100 {
            try bench.log.extend(by: 3)
            expect(try bench.log.lines(bench.log.head.value, bench.log.head.value).count == 1)
        }
        thread.join()
        outcome.withLock {
            expect($0.error == nil)
            expect($0.reached >= 12_000)
        }
    }

    @Test func `it ends when it is told to`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 25_000)
        var calls = 0
        try bench.log.verifier().run { _ in
            calls += 1
            return false
        }
        expect(calls == 1)
    }

    // MARK: Helpers

    /// What opening and verifying throw; the last record is looked at by opening already.
    private func verdict(_ bench: LogBench) -> StorageError? {
        do {
            try bench.open(.reading)
            defer { bench.close() }
            return failure { () throws(StorageError) in try bench.log.verify { _ in } }
        } catch {
            return error as? StorageError
        }
    }

    /// Changes an event's data and gives it a checksum that fits.
    private func forge(_ bench: LogBench, at position: UInt64, in first: UInt64) throws {
        let bytes = RawFile.read(bench.file)
        let range = try require(LogPages(bytes).records[first])
        let block = Array(bytes[range])
        let entry = BlockHeader.size + 4 * Int(position - first)
        let start = Int(block.number(at: entry, as: UInt32.self))
        let count = Int(block.number(at: entry + 4, as: UInt32.self)) - start
        var record = Array(block[start..<start + count])
        record[record.count - Int(record[47]) - 3] ^= 1
        let checksum = record[EventHeader.stateStart...].withUnsafeBytes { Checksum.of($0, position: position) }
        for index in 0..<8 { record[index] = UInt8(truncatingIfNeeded: checksum >> UInt64(8 * index)) }
        for (index, byte) in record.enumerated() {
            RawFile.patch(bench.file, at: range.lowerBound + start + index, byte)
        }
    }
}

extension FileHandle {
    /// Returns the identity of the file, as a header has it.
    fileprivate func identity() throws(StorageError) -> FileIdentity { try FileIdentity(descriptor) }
}
