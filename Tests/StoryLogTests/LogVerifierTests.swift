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
        for _ in 1...20 { try bench.log.extend(by: UInt64.random(in: 1...5, using: &random)) }
        let event = EventMaker().event(bench.log.head.next.value, data: "\"\(String(repeating: "x", count: 9_000))\"")
        try bench.log.append(event)
        try bench.log.commit()
        try bench.log.extend(by: 2)
        bench.close()
        let bytes = RawFile.read(bench.file)
        let pages = LogPages(bytes)
        #expect(pages.records.count == Int(event.position.value) + 3)
        for _ in 1...100 {
            let position = UInt64.random(in: 0...event.position.value + 2, using: &random)
            let record = try #require(pages.records[position])
            let offset = Int.random(in: record, using: &random)
            RawFile.patch(bench.file, at: offset, bytes[offset] ^ UInt8(1 << UInt8.random(in: 0..<8, using: &random)))
            #expect(verdict(bench)?.position == Position(position), "byte \(offset - record.lowerBound)")
            RawFile.patch(bench.file, at: offset, bytes[offset])
        }
        #expect(verdict(bench) == nil)
    }

    @Test func `each byte of a seal counts`() throws {
        let bench = try LogBench()
        for _ in 1...3 { try bench.log.extend(by: 2) }
        bench.close()
        let bytes = RawFile.read(bench.file)
        let record = try #require(LogPages(bytes).records[2])
        for offset in record.suffix(Seal.size) {
            RawFile.patch(bench.file, at: offset, bytes[offset] ^ 0x80)
            #expect(verdict(bench)?.position == Position(2))
            RawFile.patch(bench.file, at: offset, bytes[offset])
        }
    }

    @Test func `a forged event with a fitting checksum breaks the seal of its commit`() throws {
        let bench = try LogBench()
        for _ in 1...3 { try bench.log.extend(by: 4) }
        bench.close()
        try forge(bench, at: 6)
        #expect(verdict(bench)?.position == Position(8))
    }

    @Test func `another header with a fitting checksum breaks the chain at its first seal`() throws {
        let bench = try LogBench()
        for _ in 1...3 { try bench.log.extend(by: 2) }
        bench.close()
        let place = try #require(LogPages(RawFile.read(bench.file)).records[0])
        let forged = LogHeader(storeID: Array(repeating: 9, count: 16), created: Instant(milliseconds: 1)).bytes
        // Its journal would belong to another log.
        unlink(bench.journal)
        for (index, byte) in forged.enumerated() { RawFile.patch(bench.file, at: place.lowerBound + index, byte) }
        #expect(verdict(bench)?.position == Position(2))
    }

    @Test func `times that go backwards are found`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 2)
        try bench.log.append(EventMaker(time: 5).event(3))
        try bench.log.commit()
        #expect(failure { () throws(StorageError) in try bench.log.verify { _ in } }?.position == Position(3))
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
            #expect(try bench.log.lines(bench.log.head.value, bench.log.head.value).count == 1)
        }
        thread.join()
        outcome.withLock {
            #expect($0.error == nil)
            #expect($0.reached >= 12_000)
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
        #expect(calls == 1)
    }

    // MARK: Helpers

    /// What opening and verifying throw; the last record is looked at by opening already.
    private func verdict(_ bench: LogBench) -> StorageError? {
        do {
            try bench.open(.offline)
            defer { bench.close() }
            return failure { () throws(StorageError) in try bench.log.verify { _ in } }
        } catch {
            return error as? StorageError
        }
    }

    /// Changes an event's data and gives it a checksum that fits.
    private func forge(_ bench: LogBench, at position: UInt64) throws {
        let bytes = RawFile.read(bench.file)
        let place = try #require(LogPages(bytes).records[position])
        var record = Array(bytes[place])
        record[record.count - 3] ^= 1
        let checksum = Array(record[RecordHeader.checked...]).withBytes { Checksum.of($0, position: position) }
        for index in 0..<8 { record[index] = UInt8(truncatingIfNeeded: checksum >> UInt64(8 * index)) }
        for (index, byte) in record.enumerated() { RawFile.patch(bench.file, at: place.lowerBound + index, byte) }
    }
}
