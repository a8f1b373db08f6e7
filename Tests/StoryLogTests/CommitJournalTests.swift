import Glibc
import StoryCore
import StoryStorage
import Testing
import TestSupport

@testable import StoryLog

/// The journal in front of the log: what a kill leaves behind, and what damage does.
struct CommitJournalTests {
    /// Opens what a kill has left, looks at all of it, and goes on writing there.
    private func expect(_ image: LogBench, holds head: UInt64) throws {
        try image.open()
        #expect(image.log.head == Position(head) && image.log.committed == Position(head))
        #expect(image.log.flushed == image.log.committed)
        #expect(image.log.lastTime == (head > 0 ? EventMaker().event(head).time : nil))
        for _ in 1...2 {
            #expect(try image.log.lines() == (head > 0 ? usualLines(1...head) : []))
            try image.log.verify { _ in }
            try image.reopen()
        }
        try image.log.extend(by: 2)
        let again = try image.killed()
        try again.open()
        #expect(try again.log.lines() == usualLines(1...head + 2))
        try again.log.verify { _ in }
    }

    @Test func `a commit is in the journal alone, and a flush takes it over`() throws {
        let bench = try LogBench()
        #expect(RawFile.mode(bench.journal) == 0o600 && RawFile.size(bench.journal) == 1 << 18)
        for count in [1, 3] as [UInt64] { try bench.log.extend(by: count) }
        #expect(bench.log.committed == Position(4) && bench.log.flushed == .zero)
        #expect(LogPages(RawFile.read(bench.file)).records.count == 1)
        try bench.log.flush()
        #expect(bench.log.flushed == Position(4))
        #expect(LogPages(RawFile.read(bench.file)).records.count == 5)
        try bench.log.verify { _ in }
    }

    @Test func `what is acknowledged survives a kill at every point`() throws {
        let bench = try LogBench()
        try expect(bench.killed(), holds: 0)
        try bench.log.append(EventMaker().event(1))
        try expect(bench.killed(), holds: 0)
        try bench.log.commit()
        try expect(bench.killed(), holds: 1)
        try bench.log.extend(by: 4)
        for position in 6...7 as ClosedRange<UInt64> { try bench.log.append(EventMaker().event(position)) }
        try expect(bench.killed(), holds: 5)
        try bench.log.commit()
        try expect(bench.killed(), holds: 7)
        try bench.log.flush()
        // The journal still holds all of it.
        try expect(bench.killed(), holds: 7)
        try bench.log.extend(by: 1)
        try expect(bench.killed(), holds: 8)
    }

    @Test func `a journal that is full is taken over, again and again`() throws {
        let bench = try LogBench(journalSize: 1 << 14)
        var flushes = Set<Position>()
        for _ in 1...400 {
            try bench.log.extend(by: 3)
            flushes.insert(bench.log.flushed)
        }
        #expect(flushes.count > 20 && flushes.count < 200)
        try expect(bench.killed(), holds: 1_200)
    }

    @Test func `a large turn goes past the journal, with what was in it`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 1)
        let event = EventMaker().event(2, data: "\"\(String(repeating: "x", count: CommitJournal.largestBlock))\"")
        try bench.log.append(event)
        try bench.log.commit()
        #expect(bench.log.flushed == Position(2))
        try bench.log.extend(by: 1)
        #expect(bench.log.flushed == Position(2) && bench.log.committed == Position(3))
        let image = try bench.killed()
        try image.open()
        #expect(image.log.head == Position(3))
        try image.log.verify { _ in }
    }

    @Test(arguments: [UInt8(0x00), 0xFF])
    func `a torn last block was never acknowledged, wherever it is torn`(filling: UInt8) throws {
        let bench = try LogBench()
        try bench.log.extend(by: 2)
        try bench.log.extend(by: 1)
        let before = RawFile.read(bench.journal)
        try bench.log.extend(by: 4)
        let (after, image) = (RawFile.read(bench.journal), try bench.killed())
        let block = try #require(zip(before, after).enumerated().first { $0.element.0 != $0.element.1 }?.offset)
        let length = try #require(after.withBytes { JournalBlock($0, at: block) }?.length)
        for step in stride(from: block, to: block + length, by: JournalBlock.alignment) {
            let torn = after[..<step] + [UInt8](repeating: filling, count: block + length - step)
            let sound = torn == after[..<(block + length)]
            RawFile.write(Array(torn + after[(block + length)...]), image.journal)
            let copy = try image.killed()
            try copy.open()
            #expect(copy.log.head == Position(sound ? 7 : 3))
            try copy.log.extend(by: 2)
            try copy.log.verify { _ in }
        }
    }

    @Test func `the first block of a new generation may be torn: the log has all that stood there`() throws {
        let bench = try LogBench()
        for _ in 1...3 { try bench.log.extend(by: 2) }
        try bench.log.flush()
        try bench.log.extend(by: 1)
        for offset in stride(from: JournalHeader.blocksStart, to: JournalHeader.blocksStart + 250, by: 37) {
            let image = try bench.killed()
            RawFile.patch(image.journal, at: offset, 0xA5)
            try expect(image, holds: 6)
        }
    }

    @Test func `every changed bit is found, or lies behind the last whole block`() throws {
        let bench = try LogBench(journalSize: 1 << 14)
        for count in [2, 1, 3, 1] as [UInt64] { try bench.log.extend(by: count) }
        let heads: [UInt64] = [2, 3, 6, 7]
        let bytes = RawFile.read(bench.journal)
        let state = try logState(bench)
        let hasher = try SealHasher()
        var starts: [Int] = []
        var end = JournalHeader.blocksStart
        while let block = bytes.withBytes({ JournalBlock($0, at: end) }) {
            starts.append(end)
            end += block.length
        }
        #expect(starts.count == 4)
        for offset in JournalHeader.blocksStart..<end {
            for bit in 0..<8 {
                var changed = bytes
                changed[offset] ^= 1 << UInt8(bit)
                let number = (starts.lastIndex { $0 <= offset }) ?? 0
                let known = number == 0 ? 0 : heads[number - 1]
                var head: Position?
                let error = failure { () throws(StorageError) in
                    head = try changed.withBytes { (bytes) throws(StorageError) in
                        try JournalContents(bytes, after: state, hasher).head
                    }
                }
                if number == 3 {
                    #expect(error == nil && head == Position(known), "byte \(offset), bit \(bit)")
                } else {
                    #expect(error?.position == Position(known + 1), "byte \(offset), bit \(bit)")
                }
            }
        }
    }

    @Test func `damage is refused before anything is served, and nothing is overwritten`() throws {
        let bench = try LogBench()
        for _ in 1...3 { try bench.log.extend(by: 2) }
        for access in [DataDirectory.Access.serving, .offline, .reading] {
            let image = try bench.killed()
            RawFile.patch(image.journal, at: JournalHeader.blocksStart + 100, 0xA5)
            let (journal, log) = (RawFile.read(image.journal), RawFile.read(image.file))
            #expect(refusal(image, access)?.position == Position(1))
            #expect(RawFile.read(image.journal) == journal && RawFile.read(image.file) == log)
        }
    }

    @Test func `a log from before the journal is refused: events between them are gone`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 2)
        try bench.log.flush()
        let old = RawFile.read(bench.file)
        try bench.log.extend(by: 2)
        try bench.log.flush()
        try bench.log.extend(by: 2)
        let image = try bench.killed()
        RawFile.write(old, image.file)
        #expect(refusal(image)?.position == Position(3))
    }

    @Test func `a commit that does not continue the chain of seals is refused`() throws {
        let (one, other) = (try LogBench(), try LogBench())
        try one.log.extend(by: 1)
        for _ in 1...2 { try other.log.append(EventMaker().event(other.log.head.next.value)) }
        try other.log.commit()
        // Another history, in a journal that says it is this store's.
        var forged = RawFile.read(other.journal)
        let header = JournalHeader(storeID: one.log.storeID, fileSize: forged.count).bytes
        forged.replaceSubrange(..<header.count, with: header)
        let image = try one.killed()
        RawFile.write(forged, image.journal)
        #expect(refusal(image)?.position == Position(2))
    }

    @Test func `a journal of another store, of another length or without its beginning is refused`() throws {
        let (one, other) = (try LogBench(), try LogBench())
        try one.log.extend(by: 1)
        let bytes = RawFile.read(one.journal)
        let others = RawFile.read(other.journal)
        for spoiled in [others, bytes.dropLast(64), bytes + [0], Array(bytes[..<20]), [], [0] + bytes.dropFirst()] {
            let image = try one.killed()
            RawFile.write(spoiled, image.journal)
            #expect(refusal(image)?.isCorrupt == true)
            #expect(RawFile.read(image.journal) == spoiled)
        }
    }

    @Test func `where there is no journal one is made, and the format says so`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 3)
        bench.close()
        for name in ["/FORMAT", "/log.journal"] { unlink(bench.folder.store + name) }
        RawFile.write(Array("storykeep 1\n".utf8), bench.folder.store + "/FORMAT")
        try bench.open(.reading)
        #expect(bench.log.head == Position(3))
        bench.close()
        #expect(!Folder.exists(bench.journal))
        #expect(RawFile.read(bench.folder.store + "/FORMAT") == Array("storykeep 1\n".utf8))
        RawFile.write([1], bench.journal + ".tmp")
        try bench.open()
        #expect(RawFile.read(bench.folder.store + "/FORMAT").starts(with: Array("storykeep 2\n".utf8)))
        try expect(bench.killed(), holds: 3)
    }

    @Test func `a journal without its log is not taken for a new store`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 1)
        bench.close()
        try Folder.removeEnvironment(bench.folder.store + "/log")
        #expect(refusal(bench)?.isCorrupt == true)
        #expect(!Folder.exists(bench.folder.store + "/log"))
    }

    // MARK: Helpers

    private func refusal(_ bench: LogBench, _ access: DataDirectory.Access = .serving) -> StorageError? {
        do {
            try bench.open(access)
            bench.close()
            return nil
        } catch {
            return error as? StorageError
        }
    }

    /// The end of a log whose events are all in its journal.
    private func logState(_ bench: LogBench) throws -> LogState {
        let image = try bench.killed()
        unlink(image.journal)
        try image.open()
        defer { image.close() }
        return try image.log.reading { (transaction) throws(StorageError) in
            try LogState(transaction, try SealHasher())
        }
    }
}
