import Glibc
import StoryCore
import StoryStorage

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

    /// The entries that a journal holds beyond the blocks, read beside the process that writes it. They are durable: an
    /// entry whose write failed and was taken back is never whole, and one that is whole is synced here.
    ///
    /// - Throws: `.corrupt` where it is missing, damaged, of another log, or was being written; `.failed` where it cannot
    ///   be synced.
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
        if !contents.entries.isEmpty { try file.sync(path) }
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
    /// - Throws: `.full` or `.failed` where it cannot be written. No draft is left then: its room may be the last there is.
    static func create(_ path: String, logID: [UInt8], fileSize: Int) throws(StorageError) {
        precondition(fileSize >= leastSize, "A journal has room for two halves.")
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
            for number in JournalHeader.halvesStart / JournalSector.size..<header.fileSize / JournalSector.size {
                JournalSector.seal(
                    base + number * JournalSector.size, number: number, sequence: 0, index: 0, count: 0)
            }
        }
        try file.write(bytes, to: path)
        try file.sync(path)
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

    static func missing(_ path: String) -> StorageError {
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

    /// Removes the file that gives a journal up which is there: it would silence a later loss.
    ///
    /// - Returns: whether there was one.
    /// - Throws: `.failed` where it cannot be removed.
    static func removeSurrender(_ path: String) throws(StorageError) -> Bool {
        guard Folder.isThere(path + ".lost") else { return false }
        guard unlink(path + ".lost") == 0 else { throw SystemError.from(errno, "removing \(path).lost") }
        try Folder.sync(Folder.parent(of: path))
        return true
    }

    /// Takes over the journal of the log that this one was copied from, where a start ended between naming the copy and
    /// its journal.
    ///
    /// - Parameter head: the last event in blocks.
    /// - Throws: `.corrupt` where it holds events that the log lacks, `.failed` where it cannot be written.
    static func takeInherited(
        _ path: String, _ identity: StoredIdentity, after head: Position
    ) throws(StorageError) {
        guard Folder.exists(path),
            try isInherited(FileHandle(path, O_RDONLY | O_NOFOLLOW), path, identity, after: head)
        else { return }
        _ = try contents(at: path, identity, after: head, nil)
        try name(path, identity.id)
    }

    /// Writes another log's ID into the header of a journal: one sector, which has its room already.
    ///
    /// - Throws: `.corrupt` where it has no header, `.failed` where that cannot be written.
    static func name(_ path: String, _ logID: [UInt8]) throws(StorageError) {
        let file = try FileHandle(path, O_RDWR | O_NOFOLLOW)
        guard let header = JournalHeader(try file.read(JournalHeader.size, at: 0, of: path)) else {
            throw .corrupt("\(path) does not begin like a journal", at: nil)
        }
        try file.write(JournalHeader(logID: logID, fileSize: header.fileSize).bytes, to: path)
        try file.sync(path)
    }
}
