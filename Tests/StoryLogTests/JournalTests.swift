import Glibc
import StoryCore
import StoryStorage
import Testing
import TestSupport

@testable import StoryLog

/// The journal in front of the log: what a kill leaves behind, and what damage does.
struct JournalTests {
    /// Opens what a kill has left, looks at all of it, and goes on writing there.
    private func expectImage(_ image: LogBench, holds head: UInt64, _ source: SourceLocation = #_sourceLocation) throws
    {
        try image.open()
        expect(image.log.head == Position(head) && image.log.committed == Position(head), sourceLocation: source)
        expect(image.log.flushed == image.log.committed, sourceLocation: source)
        expect(image.log.lastTime == (head > 0 ? EventMaker().event(head).time : nil), sourceLocation: source)
        for _ in 1...2 {
            expect(try image.log.lines() == (head > 0 ? usualLines(1...head) : []), sourceLocation: source)
            try image.log.verify { _ in }
            try image.reopen()
        }
        try image.log.extend(by: 2)
        let again = try image.killed()
        try again.open()
        expect(try again.log.lines() == usualLines(1...head + 2), sourceLocation: source)
        try again.log.verify { _ in }
    }

    private func refusal(_ bench: LogBench, _ access: DataDirectory.Access = .serving) -> StorageError? {
        do {
            try bench.open(access)
            bench.close()
            return nil
        } catch {
            return error as? StorageError
        }
    }

    /// Where the sectors lie that differ.
    private func changed(_ before: [UInt8], _ after: [UInt8]) -> [Int] {
        stride(from: 0, to: after.count, by: 512).filter { before[$0..<$0 + 512] != after[$0..<$0 + 512] }
    }

    @Test func `a commit is in the journal alone, and a flush makes a block of it`() throws {
        let bench = try LogBench()
        expect(RawFile.mode(bench.journal) == 0o600 && RawFile.size(bench.journal) == 1 << 16)
        for count in [1, 3] as [UInt64] { try bench.log.extend(by: count) }
        expect(bench.log.committed == Position(4) && bench.log.flushed == .zero)
        expect(LogPages(RawFile.read(bench.file)).records.count == 1)
        try bench.log.flush()
        expect(bench.log.flushed == Position(4))
        expect(LogPages(RawFile.read(bench.file)).records.keys.sorted() == [0, 1])
        try bench.log.verify { _ in }
    }

    @Test func `what is acknowledged survives a kill at every point`() throws {
        let bench = try LogBench()
        try expectImage(bench.killed(), holds: 0)
        try bench.log.append(EventMaker().event(1))
        try expectImage(bench.killed(), holds: 0)
        let job = try require(try bench.log.beginCommit())
        try bench.log.append(EventMaker().event(2))
        try expectImage(bench.killed(), holds: 0)
        try job.run()
        try expectImage(bench.killed(), holds: 1)
        try bench.log.finishCommit(job, .acknowledged)
        expect(bench.log.committed == Position(1) && bench.log.head == Position(2))
        try bench.log.extend(by: 3)
        for position in 6...7 as ClosedRange<UInt64> { try bench.log.append(EventMaker().event(position)) }
        try expectImage(bench.killed(), holds: 5)
        try bench.log.commit()
        try expectImage(bench.killed(), holds: 7)
        try bench.log.flush()
        // The journal still holds all of it.
        try expectImage(bench.killed(), holds: 7)
        try bench.log.extend(by: 1)
        try expectImage(bench.killed(), holds: 8)
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `halves that are full are made into blocks, again and again`(seed: UInt64) throws {
        let bench = try LogBench()
        var random = SplitMix64(seed: seed)
        var flushes = Set<Position>()
        for round in 1...400 {
            try bench.log.extend(by: UInt64.random(in: 1...8, using: &random))
            flushes.insert(bench.log.flushed)
            if round % 80 == 0 { try expectImage(bench.killed(), holds: bench.log.head.value) }
        }
        expect(flushes.count > 5)
        expect(try bench.log.lines() == usualLines(1...bench.log.head.value))
        try bench.log.verify { _ in }
    }

    @Test func `a turn that no half has room for goes into blocks at once, with what was before it`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 3)
        for position in 4...500 as ClosedRange<UInt64> { try bench.log.append(EventMaker().event(position)) }
        let job = try require(try bench.log.beginCommit())
        try bench.log.append(EventMaker().event(501))
        try expectImage(bench.killed(), holds: 3)
        try job.run()
        try expectImage(bench.killed(), holds: 500)
        try bench.log.finishCommit(job, .acknowledged)
        expect(bench.log.flushed == Position(500) && bench.log.head == Position(501))
        try bench.log.commit()
        expect(bench.log.flushed == Position(500) && bench.log.committed == Position(501))
        try expectImage(bench.killed(), holds: 501)
    }

    @Test func `a torn last entry was never acknowledged, whichever of its sectors are there`() throws {
        let bench = try LogBench()
        for count in [2, 1] as [UInt64] { try bench.log.extend(by: count) }
        let before = RawFile.read(bench.journal)
        try bench.log.extend(by: 6)
        let (after, image) = (RawFile.read(bench.journal), try bench.killed())
        let sectors = changed(before, after)
        expect(sectors.count >= 3)
        for kept in 0..<1 << sectors.count {
            var torn = before
            for (index, sector) in sectors.enumerated() where kept & 1 << index != 0 {
                torn.replaceSubrange(sector..<sector + 512, with: after[sector..<sector + 512])
            }
            RawFile.write(torn, image.journal)
            let copy = try image.killed()
            try copy.open()
            expect(copy.log.head == Position(kept == 1 << sectors.count - 1 ? 9 : 3))
            try copy.log.extend(by: 2)
            let again = try copy.killed()
            try again.open()
            try again.log.verify { _ in }
            expect(again.log.head == copy.log.head)
        }
    }

    @Test func `any changed bit and any zeroed sector or page of what was acknowledged is refused`() throws {
        let bench = try LogBench()
        for count in [2, 1, 3, 1] as [UInt64] { try bench.log.extend(by: count) }
        let bytes = RawFile.read(bench.journal)
        let header = try require(JournalHeader(bytes))
        func verdict(_ bytes: [UInt8]) -> StorageError? {
            failure { () throws(StorageError) in
                try bytes.withBytes { (bytes) throws(StorageError) in
                    _ = try JournalContents(bytes, header, after: .zero, nil)
                }
            }
        }
        expect(verdict(bytes) == nil)
        let used = 4_096..<4_096 + 12 * 512
        for offset in used {
            var spoiled = bytes
            spoiled[offset] ^= 1 << UInt8(offset % 8)
            expect(verdict(spoiled)?.isCorrupt == true, "byte \(offset)")
        }
        for size in [512, 4_096] {
            for start in stride(from: 4_096, to: bytes.count, by: size) {
                for filling in [0, 0xFF] as [UInt8] {
                    var spoiled = bytes
                    spoiled.replaceSubrange(start..<start + size, with: repeatElement(filling, count: size))
                    expect(verdict(spoiled)?.isCorrupt == true, "\(size) bytes at \(start)")
                }
            }
        }
    }

    @Test func `an entry of before in the place of one that was acknowledged is refused, if another follows`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 2)
        let before = RawFile.read(bench.journal)
        try bench.log.extend(by: 1)
        let between = RawFile.read(bench.journal)
        try bench.log.extend(by: 1)
        let after = RawFile.read(bench.journal)
        var lost = after
        for sector in changed(before, between) {
            lost.replaceSubrange(sector..<sector + 512, with: before[sector..<sector + 512])
        }
        let image = try bench.killed()
        RawFile.write(lost, image.journal)
        expect(refusal(image)?.isCorrupt == true)
        // The last one of all cannot be told from one that was never written.
        RawFile.write(between, image.journal)
        expect(refusal(image) == nil)
    }

    @Test func `damage is refused before anything is served, and nothing is overwritten`() throws {
        let bench = try LogBench()
        for _ in 1...3 { try bench.log.extend(by: 2) }
        for access in [DataDirectory.Access.serving, .reading] {
            let image = try bench.killed()
            let byte = RawFile.read(image.journal)[JournalHeader.halvesStart + 100]
            RawFile.patch(image.journal, at: JournalHeader.halvesStart + 100, ~byte)
            let (journal, log) = (RawFile.read(image.journal), RawFile.read(image.file))
            expect(refusal(image, access)?.position == Position(1))
            expect(RawFile.read(image.journal) == journal && RawFile.read(image.file) == log)
        }
    }

    @Test func `a log from before its journal is refused: events between them are gone`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 2)
        try bench.log.flush()
        let old = RawFile.read(bench.file)
        // Both halves are written anew.
        for _ in 1...60 { try bench.log.extend(by: 10) }
        let image = try bench.killed()
        RawFile.write(old, image.file)
        expect(refusal(image)?.position == Position(3))
    }

    @Test func `a journal of another log, of another length or without its beginning is refused`() throws {
        let (one, other) = (try LogBench(), try LogBench())
        try one.log.extend(by: 1)
        let bytes = RawFile.read(one.journal)
        let others = RawFile.read(other.journal)
        for spoiled in [others, bytes.dropLast(64), bytes + [0], Array(bytes[..<20]), [], [0] + bytes.dropFirst()] {
            let image = try one.killed()
            RawFile.write(spoiled, image.journal)
            expect(refusal(image)?.isCorrupt == true)
            expect(RawFile.read(image.journal) == spoiled)
        }
    }

    @Test func `a journal that is missing is refused, until somebody says that it is lost`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 2)
        try bench.log.flush()
        try bench.log.extend(by: 3)
        let image = try bench.killed()
        unlink(image.journal)
        for access in [DataDirectory.Access.serving, .reading] {
            let error = refusal(image, access)
            expect(error?.isCorrupt == true && error?.text.contains("log.journal.lost") == true)
        }
        RawFile.write([], image.journal + ".lost")
        try expectImage(image, holds: 2)
        expect(!Folder.exists(image.journal + ".lost"))
    }

    @Test func `a journal without its log is not taken for a new store, an unused one is`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 1)
        bench.close()
        try Folder.removeEnvironment(bench.folder.store + "/log")
        expect(refusal(bench)?.isCorrupt == true)
        expect(!Folder.exists(bench.folder.store + "/log"))
        try JournalFile.create(bench.journal, logID: Array(1...16), fileSize: 1 << 16)
        try expectImage(bench, holds: 0)
    }

    @Test func `a journal of another size is replaced once it is empty`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 5)
        let image = try bench.killed()
        let directory = try DataDirectory(image.folder.store, for: .serving)
        let log = try LMDBEventLog(in: directory, now: Instant(milliseconds: 2), journalSize: 1 << 17)
        expect(RawFile.size(image.journal) == 1 << 17)
        try log.extend(by: 3)
        expect(try log.lines() == usualLines(1...8))
        log.close()
        directory.close()
        try expectImage(image, holds: 8)
    }

    @Test func `flushes on a thread of their own keep up with commits`() throws {
        let bench = try LogBench(journalSize: 1 << 20)
        for _ in 1...300 {
            try bench.log.extend(by: 40)
            bench.log.startFlush()
            try bench.log.pollFlush()
        }
        expect(bench.log.flushed > Position(5_000))
        expect(try bench.log.lines() == usualLines(1...12_000))
        try expectImage(bench.killed(), holds: 12_000)
    }

    @Test func `commits go past the system's cache, and who reads through it sees them`() throws {
        let bench = try LogBench()
        guard try FileHandle(bench.journal, O_RDWR).setDirect(true) else { return }
        expect(fcntl(try require(bench.log.commits?.journal.descriptor), F_GETFL) & __O_DIRECT != 0)
        for count in 1...20 as ClosedRange<UInt64> {
            try bench.log.extend(by: 1)
            try expectImage(bench.killed(), holds: count)
        }
    }

    @Test func `after a failed sync nothing is committed any more`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 2)
        let journal = try require(bench.log.commits?.journal.descriptor)
        OtherFile.with("/dev/null", behind: journal) {
            expect(failure { () throws(StorageError) in try bench.log.extend(by: 1) } != nil)
        }
        try bench.log.rollBack()
        expect(failure { () throws(StorageError) in try bench.log.extend(by: 1) } != nil)
        expect(failure { () throws(StorageError) in try bench.log.flush() } != nil)
        expect(bench.log.committed == Position(2))
    }
}
