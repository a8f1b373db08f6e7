import StoryStorage
import Glibc
import StoryCore

/// A file of fixed size in front of the log: a commit is one entry, written and synced over sectors that are there.
///
/// It has two halves. Commits go into one while the records of the other are made into blocks. A half is begun anew
/// when all that it holds is in blocks; nothing is erased. Entries go to the disk itself, past the system's cache, where
/// the file system can do that (docs/decisions/0029).
///
/// Unchecked: the loop's thread uses it; what a commit writes with, one commit at a time has.
final class JournalFile: @unchecked Sendable {
    /// The bytes of a new journal.
    static let usualSize = 4 << 20
    /// The fewest bytes that it may have.
    static let leastSize = 1 << 16

    let path: String
    let header: JournalHeader
    private let file: FileHandle
    private var halves: [JournalContents.Half]
    private var active: Int
    private var sequence: UInt64
    /// What an entry is laid out in: at a multiple of a page, so that a write that is cut off ends between sectors, and
    /// the disk can take it from there.
    private let scratch: UnsafeMutableRawPointer

    /// Opens the journal of a log.
    ///
    /// - Throws: `.corrupt` where it is missing or damaged.
    init(
        at path: String, logID: [UInt8], after stored: Position, _ lastTime: Instant?
    ) throws(StorageError) {
        guard Folder.exists(path) else { throw JournalFile.missing(path) }
        file = try FileHandle(path, O_RDWR | O_NOFOLLOW)
        self.path = path
        let (header, bytes) = try JournalFile.read(file, path, logID)
        let contents = try bytes.withBytes { (bytes) throws(StorageError) in
            try JournalContents(bytes, header, after: stored, lastTime)
        }
        self.header = header
        (halves, active, sequence) = (contents.halves, contents.active, contents.sequence)
        self.contents = contents
        scratch = .allocate(byteCount: header.halfSectors * JournalSector.size, alignment: 4_096)
        // Of what a process left that ended at a failed sync, the disk may lack what the system's cache has.
        if !contents.entries.isEmpty { try write(bytes, from: JournalHeader.halvesStart) }
        file.setDirect(true)
    }

    deinit { scratch.deallocate() }

    /// What it held beyond the blocks when it was opened; taken once.
    private var contents: JournalContents?
    func takeContents() -> JournalContents? { contents.take() }

    /// For tests, which put another file in its place.
    var descriptor: Int32 { file.descriptor }

    /// True when a half has room for so many bytes of records.
    func fits(_ byteCount: Int) -> Bool { JournalEntry.sectors(of: byteCount) <= header.halfSectors }

    /// True when an entry would find room; false when both halves hold what is not in blocks.
    func hasRoom(for byteCount: Int, flushed: Position) -> Bool {
        hasRoom(for: byteCount) || halves[1 - active].last <= flushed.value
    }

    /// True when the half that is written to has room for an entry.
    private func hasRoom(for byteCount: Int) -> Bool {
        halves[active].end + JournalEntry.sectors(of: byteCount) <= header.halfSectors
    }

    /// Finds room for an entry; false when both halves hold what is not in blocks.
    func makeRoom(for byteCount: Int, flushed: Position) -> Bool {
        guard hasRoom(for: byteCount, flushed: flushed) else { return false }
        if hasRoom(for: byteCount) { return true }
        active = 1 - active
        halves[active] = JournalContents.Half()
        return true
    }

    /// The last position of the half that is not written to.
    var waiting: Position { Position(halves[1 - active].last) }

    /// How the next entry is laid out.
    func entry(first: UInt64, count: Int, _ sections: [BlockSection]) -> EntryWriter {
        let start = JournalHeader.halvesStart / JournalSector.size + active * header.halfSectors
        return EntryWriter(
            sequence: sequence + 1, number: start + halves[active].end, first: first, count: count,
            sections: sections)
    }

    /// Writes an entry and makes it durable; on any thread, one entry at a time.
    ///
    /// - Throws: `.full` where there is no room: then it is as if nothing was written. After `.failed` it is unknown.
    func write(_ entry: EntryWriter) throws(StorageError) {
        entry.write(to: scratch)
        let bytes = UnsafeRawBufferPointer(start: scratch, count: entry.sectors * JournalSector.size)
        try write(bytes, at: entry.number * JournalSector.size)
        try sync()
    }

    /// Counts an entry that is durable.
    func written(_ entry: EntryWriter) {
        halves[active].end += entry.sectors
        halves[active].last = entry.first + UInt64(entry.count) - 1
        sequence = entry.sequence
    }

    /// - Throws: `.failed`, whatever the reason: what is on the disk is unknown.
    func sync() throws(StorageError) {
        guard fdatasync(file.descriptor) == 0 else {
            throw .failed("\(SystemError.text(errno)) while syncing \(path)")
        }
    }

    private func write(_ bytes: [UInt8], from start: Int) throws(StorageError) {
        try bytes.withBytes { (bytes) throws(StorageError) in
            try write(UnsafeRawBufferPointer(rebasing: bytes[start...]), at: start)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                file.descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            // A disk whose sectors are longer: then through the cache.
            if count < 0, errno == EINVAL, file.isDirect, file.setDirect(false) { continue }
            guard count > 0 else { throw SystemError.from(errno, "writing \(path)") }
            done += count
        }
    }
}

/// Making and reading the file.
extension JournalFile {
    /// The header and all bytes of a journal.
    ///
    /// - Throws: `.corrupt` where the header is not that of this log's journal.
    static func read(
        _ file: borrowing FileHandle, _ path: String, _ logID: [UInt8]
    ) throws(StorageError) -> (JournalHeader, [UInt8]) {
        let size = Int(try file.status(path).st_size)
        let bytes = try file.read(size, at: 0, of: path)
        guard let header = JournalHeader(bytes) else {
            throw .corrupt("\(path) does not begin like a journal", at: nil)
        }
        guard header.logID == logID else { throw .corrupt("\(path) belongs to another log", at: nil) }
        guard header.fileSize == bytes.count else {
            throw .corrupt("\(path) has \(bytes.count) bytes and should have \(header.fileSize)", at: nil)
        }
        return (header, bytes)
    }

    /// The entries that a journal holds beyond the blocks, read beside the process that writes it.
    ///
    /// - Throws: `.corrupt` where it is missing, damaged, of another log, or was being written.
    static func contents(
        at path: String, _ identity: StoredIdentity, after stored: Position, _ lastTime: Instant?
    ) throws(StorageError) -> JournalContents {
        guard Folder.exists(path) else { throw missing(path) }
        let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        let isInherited = try isInherited(file, path, identity, after: stored)
        let (header, bytes) = try read(file, path, isInherited ? identity.ancestors[0].id : identity.id)
        let contents = try bytes.withBytes { (bytes) throws(StorageError) in
            try JournalContents(bytes, header, after: stored, lastTime)
        }
        guard !isInherited || contents.entries.isEmpty else {
            throw .corrupt("\(path) belongs to another log", at: nil)
        }
        return contents
    }

    /// True for the journal of the log that this one was copied from, where this one has got no event of its own: a start
    /// ended, or is just, between naming the copy and making its journal.
    private static func isInherited(
        _ file: borrowing FileHandle, _ path: String, _ identity: StoredIdentity, after stored: Position
    ) throws(StorageError) -> Bool {
        guard let parent = identity.ancestors.first, parent.position == stored else { return false }
        return JournalHeader(try file.read(JournalHeader.size, at: 0, of: path))?.logID == parent.id
    }

    /// Makes an empty journal, or puts one in the place of another. A crash leaves all of it or nothing.
    ///
    /// It is made of sectors that are written, so that a sync of what lies over them has nothing to allocate.
    /// - Throws: `.full` or `.failed` where it cannot be written.
    static func create(_ path: String, logID: [UInt8], fileSize: Int) throws(StorageError) {
        precondition(fileSize >= leastSize, "A journal has room for two halves.")
        let draft = path + ".tmp"
        let file = try FileHandle(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        let header = JournalHeader(logID: logID, fileSize: fileSize)
        var bytes = header.bytes
        bytes += [UInt8](repeating: 0, count: fileSize - bytes.count)
        bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            for number in JournalHeader.halvesStart / JournalSector.size..<fileSize / JournalSector.size {
                JournalSector.seal(
                    base + number * JournalSector.size, number: number, sequence: 0, index: 0, count: 0)
            }
        }
        try file.write(bytes, to: draft)
        try file.sync(draft)
        try Folder.rename(draft, to: path)
    }

    /// True where there is no journal, or one that nothing was ever written to.
    ///
    /// - Throws: `.failed` where it cannot be read.
    static func isUnused(_ path: String) throws(StorageError) -> Bool {
        guard Folder.exists(path) else { return true }
        let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        let bytes = try file.read(Int(try file.status(path).st_size), at: 0, of: path)
        guard let header = JournalHeader(bytes), header.fileSize == bytes.count else { return false }
        return bytes.withUnsafeBytes { bytes in
            let start = JournalHeader.halvesStart / JournalSector.size
            return (start..<start + 2 * header.halfSectors).allSatisfy { number in
                JournalSector(bytes, number: number)?.sequence == 0
            }
        }
    }

    private static func missing(_ path: String) -> StorageError {
        .corrupt(
            "\(path) is missing, and with it the newest events. Put it back from where the directory came from; or "
                + "make an empty file \(path).lost to go on with what the log itself holds",
            at: nil)
    }

    /// Makes the journal of a log whose journal is given up: there is a file that says so.
    ///
    /// - Throws: `.full` or `.failed` where it cannot be written.
    static func replaceLost(_ path: String, logID: [UInt8], fileSize: Int) throws(StorageError) {
        guard !Folder.exists(path), Folder.exists(path + ".lost") else { return }
        try create(path, logID: logID, fileSize: fileSize)
        guard unlink(path + ".lost") == 0 else { throw SystemError.from(errno, "removing \(path).lost") }
    }

    /// Replaces the journal of the log that this one was copied from, where a start ended between naming the copy and
    /// making its journal.
    ///
    /// - Parameters:
    ///   - head: the last event in blocks.
    /// - Throws: `.corrupt` where it holds events that the log lacks, `.full` or `.failed` where it cannot be written.
    static func replaceInherited(
        _ path: String, _ identity: StoredIdentity, after head: Position, fileSize: Int
    ) throws(StorageError) {
        guard Folder.exists(path),
            try isInherited(FileHandle(path, O_RDONLY | O_NOFOLLOW), path, identity, after: head)
        else { return }
        _ = try contents(at: path, identity, after: head, nil)
        try create(path, logID: identity.id, fileSize: fileSize)
    }
}
