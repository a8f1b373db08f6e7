import Glibc
import StoryCore
import StoryStorage

/// The creation and reading of the file.
extension JournalFile {
    /// Returns the header, all bytes, and the contents beyond the blocks of a journal.
    ///
    /// - Throws: `.corrupt` if the header is not that of this log's journal, or the journal is damaged.
    static func read(
        _ file: borrowing FileHandle, _ path: String, _ logID: [UInt8], after stored: Position, _ lastTime: Instant?
    ) throws(StorageError) -> (JournalHeader, [UInt8], JournalContents) {
        let size = try file.size(path)
        let bytes = try file.read(size, at: 0, of: path)
        guard let header = JournalHeader(bytes) else {
            throw .corrupt("\(path) does not begin like a journal", at: nil)
        }
        guard header.logID == logID else { throw .corrupt("\(path) belongs to another log", at: nil) }
        guard header.fileSize == bytes.count else {
            throw .corrupt("\(path) has \(bytes.count) bytes and should have \(header.fileSize)", at: nil)
        }
        let contents = try bytes.withBytes { (bytes) throws(StorageError) in
            try JournalContents(bytes, header, after: stored, lastTime)
        }
        return (header, bytes, contents)
    }

    /// Returns the entries of a journal beyond the blocks, while another process may write it. They are durable: an
    /// entry whose write failed and was rolled back is never complete, and complete ones are synced here.
    ///
    /// - Throws: `.corrupt` if it is missing, damaged, of another log, or was being written; `.failed` if it cannot be
    ///   synced.
    static func contents(
        at path: String, _ identity: StoredIdentity, after stored: Position, _ lastTime: Instant?
    ) throws(StorageError) -> JournalContents {
        guard Folder.exists(path) else { throw missing(path) }
        let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        let isInherited = try isInherited(file, path, identity, after: stored)
        let logID = isInherited ? identity.ancestors[0].id : identity.id
        let (_, _, contents) = try read(file, path, logID, after: stored, lastTime)
        guard !isInherited || contents.entries.isEmpty else {
            throw .corrupt("\(path) belongs to another log", at: nil)
        }
        if !contents.entries.isEmpty { try file.sync(path) }
        return contents
    }

    /// Returns true if the journal is that of the log this one was copied from, and this one has no events of its own
    /// yet: a start has ended, or is right now, between naming the copy and making its journal.
    private static func isInherited(
        _ file: borrowing FileHandle, _ path: String, _ identity: StoredIdentity, after stored: Position
    ) throws(StorageError) -> Bool {
        guard let parent = identity.ancestors.first, parent.position == stored else { return false }
        return JournalHeader(try file.read(JournalHeader.size, at: 0, of: path))?.logID == parent.id
    }

    /// Makes an empty journal, or replaces one atomically: after a crash there is the old journal or the new one.
    ///
    /// All its sectors are written, so that the sync of an entry over them has nothing to allocate.
    ///
    /// - Throws: `.full` or `.failed` if it cannot be written. The draft is removed then, since the file system may
    ///   have no other room.
    static func create(_ path: String, logID: [UInt8], fileSize: Int) throws(StorageError) {
        precondition(fileSize >= leastSize, "journal of \(fileSize) bytes, fewer than \(leastSize)")
        let draft = path + ".tmp"
        do throws(StorageError) {
            try writeEmpty(draft, JournalHeader(logID: logID, fileSize: fileSize))
            try Folder.rename(draft, to: path)
        } catch {
            unlink(draft)
            throw error
        }
    }

    private static func writeEmpty(_ path: String, _ header: JournalHeader) throws(StorageError) {
        let file = try FileHandle(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        file.writeInPlace()
        var bytes = header.bytes
        bytes += [UInt8](repeating: 0, count: header.fileSize - bytes.count)
        bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            for number in JournalHeader.firstSector..<header.fileSize / JournalSector.size {
                JournalSector.seal(
                    base + number * JournalSector.size, number: number, sequence: 0, index: 0, count: 0)
            }
        }
        try file.write(bytes, to: path)
        try file.sync(path)
    }

    /// Returns true if there is no journal, or one without any entry.
    ///
    /// - Throws: `.failed` if it cannot be read.
    static func isUnused(_ path: String) throws(StorageError) -> Bool {
        guard Folder.exists(path) else { return true }
        let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        let bytes = try file.read(file.size(path), at: 0, of: path)
        guard let header = JournalHeader(bytes), header.fileSize == bytes.count else { return false }
        return bytes.withUnsafeBytes { bytes in
            header.sectors.allSatisfy { JournalSector(bytes, number: $0)?.sequence == 0 }
        }
    }

    /// Returns the error for a journal that is missing.
    static func missing(_ path: String) -> StorageError {
        .corrupt(
            "\(path) is missing, and with it the newest events. Put it back from where the directory came from; or "
                + "make an empty file \(path).lost to go on with what the log itself holds",
            at: nil)
    }

    /// Makes a journal for a log whose journal is missing and given up by a `.lost` file, and removes that file.
    ///
    /// - Throws: `.full` or `.failed` if it cannot be written.
    static func replaceLost(_ path: String, logID: [UInt8], fileSize: Int) throws(StorageError) {
        guard !Folder.exists(path), Folder.exists(path + ".lost") else { return }
        try create(path, logID: logID, fileSize: fileSize)
        guard unlink(path + ".lost") == 0 else { throw SystemError.from(errno, "removing \(path).lost") }
    }

    /// Removes the `.lost` file beside a journal that exists, since it would hide a later loss.
    ///
    /// - Returns: whether there was one.
    /// - Throws: `.failed` if it cannot be removed.
    static func removeSurrender(_ path: String) throws(StorageError) -> Bool {
        guard Folder.isThere(path + ".lost") else { return false }
        guard unlink(path + ".lost") == 0 else { throw SystemError.from(errno, "removing \(path).lost") }
        try Folder.sync(Folder.parent(of: path))
        return true
    }

    /// Takes over the journal of the log that this one was copied from, if a start ended between naming the copy and
    /// its journal.
    ///
    /// - Parameter head: the last event in blocks.
    /// - Throws: `.corrupt` if it holds events that the log lacks, `.failed` if it cannot be written.
    static func takeInherited(
        _ path: String, _ identity: StoredIdentity, after head: Position
    ) throws(StorageError) {
        guard Folder.exists(path),
            try isInherited(FileHandle(path, O_RDONLY | O_NOFOLLOW), path, identity, after: head)
        else { return }
        _ = try contents(at: path, identity, after: head, nil)
        try name(path, identity.id)
    }

    /// Writes another log's ID into the header of a journal: one sector, which is allocated already.
    ///
    /// - Throws: `.corrupt` if the journal has no header, `.failed` if it cannot be written.
    static func name(_ path: String, _ logID: [UInt8]) throws(StorageError) {
        let file = try FileHandle(path, O_RDWR | O_NOFOLLOW)
        guard let header = JournalHeader(try file.read(JournalHeader.size, at: 0, of: path)) else {
            throw .corrupt("\(path) does not begin like a journal", at: nil)
        }
        try file.write(JournalHeader(logID: logID, fileSize: header.fileSize).bytes, to: path)
        try file.sync(path)
    }
}
