import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

/// A history keeps its name as long as its file is the same one; a copy of the file gets a name of its own.
struct LogNamingTests {
    @Test func `a copied directory is a history of its own that names the first as its parent`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 3)
        try bench.log.flush()
        try bench.log.extend(by: 2)
        let parent = LogIdentity.Ancestor(id: bench.log.identity.id, position: Position(5))
        let copy = try bench.killed()
        try copy.open()
        expect(copy.log.copiedFrom == parent.id && copy.log.identity.id != parent.id)
        expect(copy.log.identity.ancestors == [parent])
        expect(try copy.log.lines() == usualLines(1...5))
        try copy.log.extend(by: 2)
        let named = copy.log.identity
        try copy.reopen()
        expect(copy.log.identity == named && copy.log.copiedFrom == nil, "it is named once")
        expect(try copy.log.lines() == usualLines(1...7))
        try copy.log.verify { _ in }
        let second = try bench.killed()
        try second.open()
        expect(second.log.identity.id != named.id, "two copies are two histories")
    }

    @Test func `a directory that is moved keeps its name`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 3)
        let identity = bench.log.identity
        bench.close()
        let elsewhere = bench.folder.path + "/elsewhere"
        try Folder.rename(bench.folder.store, to: elsewhere)
        let directory = try DataDirectory(elsewhere, for: .serving)
        let log = try LMDBEventLog(in: directory, now: Instant(milliseconds: 2))
        expect(log.identity == identity && log.copiedFrom == nil)
        log.close()
        directory.close()
    }

    @Test func `a start that ended before the copy's journal was made is gone on with`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 4)
        let copy = try bench.killed()
        let inherited = RawFile.read(copy.journal)
        try copy.open()
        let named = copy.log.identity
        copy.close()
        RawFile.write(inherited, copy.journal)
        try copy.open(.reading)
        expect(copy.log.head == Position(4), "a reader comes before the next start")
        copy.close()
        try copy.open()
        expect(copy.log.identity == named)
        expect(try copy.log.lines() == usualLines(1...4))
        try copy.log.extend(by: 1)
        try copy.reopen()
        expect(try copy.log.lines() == usualLines(1...5))
    }

    @Test func `the parent's journal with events that the copy lacks is refused`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 4)
        let copy = try bench.killed()
        try bench.log.extend(by: 1)
        let later = RawFile.read(bench.journal)
        try copy.open()
        copy.close()
        RawFile.write(later, copy.journal)
        expect(failure { () throws(StorageError) in try copy.reading() }?.isCorrupt == true)
    }

    @Test(arguments: [
        (FileIdentity(inode: 1, birthNanoseconds: 5), true), (FileIdentity(inode: 2, birthNanoseconds: 5), false),
        (FileIdentity(inode: 1, birthNanoseconds: 6), false), (FileIdentity(inode: 1, birthNanoseconds: 0), true),
        (FileIdentity(inode: 2, birthNanoseconds: 0), false),
    ])
    func `a time of birth that is not known says nothing`(other: FileIdentity, isSame: Bool) {
        let file = FileIdentity(inode: 1, birthNanoseconds: 5)
        expect(file.isSame(as: other) == isSame && other.isSame(as: file) == isSame)
    }
}

extension LogBench {
    /// Opens the log to be served, and closes it.
    fileprivate func reading() throws(StorageError) {
        let directory = try DataDirectory(folder.store, for: .serving)
        defer { directory.close() }
        try LMDBEventLog(in: directory, now: Instant(milliseconds: 2), journalSize: 1 << 16).close()
    }
}
