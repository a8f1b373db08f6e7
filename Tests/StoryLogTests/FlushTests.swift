import Glibc
import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

/// Disks that are full or fail while the log is behind its journal; and those who read past the log's end.
struct FlushTests {
    private func isFull(_ error: StorageError?) -> Bool {
        if case .full = error { true } else { false }
    }

    /// A log with events in it, and some more in its journal.
    private func bench(journalSize: Int = 1 << 16) throws -> LogBench {
        let bench = try LogBench(journalSize: journalSize)
        try bench.log.extend(by: 5)
        try bench.log.flush()
        for count in [1, 3, 2] as [UInt64] { try bench.log.extend(by: count) }
        return bench
    }

    @Test func `a flush that finds no room loses nothing, and is made good later`() throws {
        let bench = try bench()
        try OtherFile.with("/dev/full", behind: bench.log.environment.fileDescriptor) {
            for count in 0...2 as ClosedRange<UInt64> {
                expect(isFull(failure { () throws(StorageError) in try bench.log.flush() }))
                expect(bench.log.committed == Position(11 + count) && bench.log.flushed == Position(5))
                expect(try bench.log.lines() == usualLines(1...(11 + count)))
                try bench.log.verify { _ in }
                // The journal needs no room.
                try bench.log.extend(by: 1)
            }
        }
        let image = try bench.killed()
        try image.open()
        expect(try image.log.lines() == usualLines(1...14))
        try bench.log.flush()
        expect(bench.log.flushed == Position(14))
        try bench.log.extend(by: 1)
        try bench.reopen()
        expect(try bench.log.lines() == usualLines(1...15))
        try bench.log.verify { _ in }
    }

    @Test func `a turn that needs a flush is refused when there is no room, and no other turn with it`() throws {
        let bench = try bench()
        let descriptor = bench.log.environment.fileDescriptor
        try OtherFile.with("/dev/full", behind: descriptor) { () throws in
            for _ in 1...3 {
                let error = failure { () throws(StorageError) in try bench.log.extend(by: 200) }
                expect(isFull(error))
                try bench.log.rollBack()
                expect(bench.log.head == Position(11) && bench.log.committed == Position(11))
                expect(try bench.log.lines() == usualLines(1...11))
            }
        }
        let image = try bench.killed()
        try image.open()
        expect(try image.log.lines() == usualLines(1...11))
        try bench.log.extend(by: 200)
        expect(bench.log.flushed == Position(211))
        try bench.reopen()
        expect(try bench.log.lines() == usualLines(1...211))
        try bench.log.verify { _ in }
    }

    @Test(arguments: [1, 2, 5] as [UInt64])
    func `rolling back a turn keeps the turns that only the journal holds`(count: UInt64) throws {
        let bench = try bench()
        for round in 0...2 as ClosedRange<UInt64> {
            for position in 1...count { try bench.log.append(EventMaker().event(11 + round + position)) }
            try bench.log.rollBack()
            expect(bench.log.head == Position(11 + round) && bench.log.flushed == Position(5))
            expect(try bench.log.lines() == usualLines(1...(11 + round)))
            try bench.log.extend(by: 1)
            try bench.log.verify { _ in }
        }
        let image = try bench.killed()
        try image.open()
        expect(try image.log.lines() == usualLines(1...14))
        try bench.reopen()
        expect(try bench.log.lines() == usualLines(1...14))
    }

    @Test func `a turn that fills the map is undone, and those in the journal are kept`() throws {
        let bench = try LogBench(mapSize: 1 << 20)
        for _ in 1...3 { try bench.log.extend(by: 10) }
        for _ in 1...2 {
            expect(isFull(failure { () throws(StorageError) in try bench.log.extend(by: 10_000) }))
            try bench.log.rollBack()
            expect(try bench.log.lines() == usualLines(1...30))
        }
        try bench.log.extend(by: 1)
        try bench.log.flush()
        expect(bench.log.flushed == Position(31))
    }

    @Test func `nothing is committed before its sync has succeeded`() throws {
        let bench = try bench()
        let journal = try require(bench.log.commits?.journal.descriptor)
        let error = OtherFile.with("/dev/null", behind: journal) {
            failure { () throws(StorageError) in try bench.log.extend(by: 1) }
        }
        guard case .failed = error else {
            Issue.record("not failed but \(String(describing: error))")
            return
        }
        expect(bench.log.committed == Position(11) && bench.log.head == Position(12))
        let image = try bench.killed()
        try image.open()
        expect(image.log.head == Position(11))
    }

    @Test func `a journal that finds no room refuses the turn alone`() throws {
        let bench = try bench()
        let journal = try require(bench.log.commits?.journal.descriptor)
        let error = OtherFile.with("/dev/full", behind: journal) {
            failure { () throws(StorageError) in try bench.log.extend(by: 2) }
        }
        expect(isFull(error))
        try bench.log.rollBack()
        expect(try bench.log.lines() == usualLines(1...11))
        try bench.log.extend(by: 2)
        let image = try bench.killed()
        try image.open()
        expect(try image.log.lines() == usualLines(1...13))
    }

    @Test func `after a flush that failed in an unknown way the next start has all`() throws {
        let bench = try bench()
        let error = OtherFile.with(bench.file, behind: bench.log.environment.fileDescriptor) {
            failure { () throws(StorageError) in try bench.log.flush() }
        }
        expect(error != nil && !isFull(error))
        try bench.reopen()
        expect(try bench.log.lines() == usualLines(1...11))
        try bench.log.verify { _ in }
    }

    @Test func `who only reads sees what the journal holds, and changes nothing`() throws {
        let image = try bench().killed()
        let (journal, log) = (RawFile.read(image.journal), RawFile.read(image.file))
        try image.open(.reading)
        expect(image.log.head == Position(11) && image.log.flushed == Position(5))
        expect(image.log.lastTime == EventMaker().event(11).time)
        expect(try image.log.lines() == usualLines(1...11))
        for (from, through) in [(1, 5), (4, 6), (5, 5), (6, 6), (6, 11), (8, 10), (11, 30)] as [(UInt64, UInt64)] {
            let positions = from...min(through, 11)
            expect(try image.log.lines(from, through) == usualLines(positions))
            expect(try image.log.lines(from, through, .descending) == usualLines(positions.reversed()))
            expect(try image.log.lines(from, through, limit: 2) == usualLines(positions.prefix(2)))
            expect(
                try image.log.lines(from, through, .descending, limit: 2) == usualLines(positions.reversed().prefix(2)))
        }
        var found: [UInt64] = []
        try image.log.records(at: [9, 1, 11, 5, 6, 12, 2].map(Position.init)) { record in
            found.append(record.position.value)
            return true
        }
        expect(found == [9, 1, 11, 5, 6])
        for position in 1...11 as ClosedRange<UInt64> {
            let time = EventMaker().event(position).time
            expect(try image.log.position(at: time) == Position(position))
        }
        var verified = Position.zero
        try image.log.verify { verified = $0 }
        expect(verified == Position(11))
        try image.log.refresh()
        expect(image.log.head == Position(11))
        image.close()
        expect(RawFile.read(image.journal) == journal && RawFile.read(image.file) == log)
    }

    @Test func `a copy has what the journal held, whether or not it was flushed meanwhile`() throws {
        let bench = try bench()
        let copiers = [bench.log.copier(), bench.log.copier()]
        expect(try copiers[0].run(to: bench.folder.path + "/a") == Position(11))
        try bench.log.extend(by: 1)
        try bench.log.flush()
        try bench.log.extend(by: 1)
        expect(try copiers[1].run(to: bench.folder.path + "/b") == Position(12))
        expect(try bench.log.copier().run(to: bench.folder.path + "/c") == Position(13))
        for (name, head) in [("/a", 11), ("/b", 12), ("/c", 13)] as [(String, UInt64)] {
            let directory = try DataDirectory(bench.folder.path + name, for: .serving)
            let log = try LMDBEventLog(in: directory, now: Instant(milliseconds: 2))
            expect(log.storeID != bench.log.storeID)
            let parent = LogIdentity.Ancestor(id: bench.log.identity.id, position: Position(head))
            expect(log.identity.ancestors == [parent] && log.header.identity.root == bench.log.storeID)
            expect(try log.lines() == usualLines(1...head))
            try log.verify { _ in }
            log.close()
            directory.close()
        }
    }

    @Test func `each record of a long journal is found, and after a part of it is in blocks`() throws {
        let bench = try LogBench(journalSize: 4 << 20)
        for _ in 1...30 { try bench.log.extend(by: 100) }
        expect(bench.log.flushed == .zero)
        func look() throws {
            for number in 1...3_000 as ClosedRange<UInt64> {
                var found: Position?
                try bench.log.records(at: [Position(number)]) {
                    found = $0.position
                    return true
                }
                expect(found == Position(number))
            }
        }
        try look()
        bench.log.startFlush(through: Position(1_234))
        try until("it is flushed") {
            try bench.log.pollFlush()
            return bench.log.flushed > .zero
        }
        try look()
    }

    @Test func `a check and a copy come to an end while blocks are added`() throws {
        let bench = try LogBench()
        for _ in 1...70 {
            try bench.log.extend(by: 1)
            try bench.log.flush()
        }
        var (rounds, checked) = (0, Position.zero)
        try bench.log.verifier().run { position in
            (rounds, checked) = (rounds + 1, position)
            for _ in 1...70 {
                _ = try? bench.log.extend(by: 1)
                try? bench.log.flush()
            }
            return rounds < 10
        }
        expect(rounds == 3 && checked < Position(200))
        let copier = bench.log.copier()
        let end = bench.log.head
        try bench.log.extend(by: 5)
        try bench.log.flush()
        expect(try copier.run(to: bench.folder.path + "/copy") == end)
    }

    @Test func `verifying covers the journal, and says where it is wrong`() throws {
        let bench = try bench()
        let verifier = bench.log.verifier()
        try bench.log.flush()
        try bench.log.extend(by: 3)
        for (verifier, last) in [(verifier, 11), (bench.log.verifier(), 14)] as [(LogVerifier, UInt64)] {
            var verified = Position.zero
            try verifier.run { position in
                verified = position
                return true
            }
            expect(verified == Position(last))
        }
    }
}
