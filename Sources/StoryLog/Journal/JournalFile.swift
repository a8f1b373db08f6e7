import StoryStorage
import Glibc
import StoryCore

/// The journal of a log, a file of fixed size: a commit writes and syncs one entry, over sectors that exist already.
///
/// It has two halves. Commits go into one while the records of the other are flushed into blocks. A half is overwritten
/// from its beginning once all its records are in blocks; nothing is erased. Entries are written with direct I/O, past
/// the page cache, if the file system can do that (docs/decisions/0029).
///
/// Unchecked: the loop's thread uses it; the buffer and the writes belong to one commit at a time.
final class JournalFile: @unchecked Sendable {
    /// The usual size of a journal, in bytes.
    static let usualSize = 4 << 20
    /// The smallest size of a journal, in bytes.
    static let leastSize = 1 << 16

    let path: String
    let header: JournalHeader
    private let file: FileHandle
    /// The device and inode of the file, which stay as they are while it is open.
    private let identity: NamedFile
    private var halves: [JournalContents.Half]
    private var active: Int
    private var sequence: UInt64
    /// The buffer that an entry is encoded in, page-aligned, so that a write that is cut off ends between sectors, and
    /// for direct I/O.
    private let scratch: UnsafeMutableRawPointer

    /// Opens the journal of a log.
    ///
    /// - Throws: `.corrupt` if it is missing or damaged.
    init(
        at path: String, logID: [UInt8], after stored: Position, _ lastTime: Instant?
    ) throws(StorageError) {
        guard Folder.exists(path) else { throw JournalFile.missing(path) }
        file = try FileHandle(path, O_RDWR | O_NOFOLLOW)
        guard let identity = file.identity else { throw SystemError.from(errno, "looking at \(path)") }
        (self.identity, self.path) = (identity, path)
        let (header, bytes, contents) = try JournalFile.read(file, path, logID, after: stored, lastTime)
        self.header = header
        (halves, active, sequence) = (contents.halves, contents.active, contents.sequence)
        self.contents = contents
        scratch = .allocate(byteCount: header.halfSectors * JournalSector.size, alignment: 4_096)
        // After a failed sync of an earlier process, the disk may lack data that the page cache has.
        if !contents.entries.isEmpty {
            try bytes.withBytes { (bytes) throws(StorageError) in
                let halves = UnsafeRawBufferPointer(rebasing: bytes[JournalHeader.halvesStart...])
                try file.write(halves, at: JournalHeader.halvesStart, to: path)
            }
        }
        file.setDirect(true)
    }

    deinit { scratch.deallocate() }

    /// Its records beyond the blocks when it was opened; nil once they were taken.
    var contents: JournalContents?

    /// Returns true if the journal has another size, or the file system copies it on write.
    func isOutdated(size: Int) -> Bool { header.fileSize != size || file.isCopiedOnWrite }

    /// The descriptor of the file, for tests that put another file under it.
    var descriptor: Int32 { file.descriptor }

    /// Returns true if a half has room for the given number of bytes of records.
    func fits(_ byteCount: Int) -> Bool { JournalEntry.sectors(of: byteCount) <= header.halfSectors }

    /// Returns true if there is room for an entry; false if both halves hold records that are not in blocks.
    func hasRoom(for byteCount: Int, flushed: Position) -> Bool {
        hasRoom(for: byteCount) || halves[1 - active].last <= flushed.value
    }

    /// Returns true if the active half, which is written to, has room for an entry.
    private func hasRoom(for byteCount: Int) -> Bool {
        halves[active].end + JournalEntry.sectors(of: byteCount) <= header.halfSectors
    }

    /// Makes room for an entry, if need be in the other half; false if both halves hold records that are not in blocks.
    func ensureSpace(for byteCount: Int, flushed: Position) -> Bool {
        guard hasRoom(for: byteCount, flushed: flushed) else { return false }
        if hasRoom(for: byteCount) { return true }
        active = 1 - active
        halves[active] = JournalContents.Half()
        return true
    }

    /// The last position in the half that is not active.
    var waiting: Position { Position(halves[1 - active].last) }

    /// Returns the encoder of the next entry.
    func entry(first: UInt64, count: Int, _ sections: [BlockSection]) -> EntryWriter {
        let start = JournalHeader.firstSector + active * header.halfSectors
        return EntryWriter(
            sequence: sequence + 1, number: start + halves[active].end, first: first, count: count,
            sections: sections)
    }

    /// Writes an entry and makes it durable; on any thread, one entry at a time.
    ///
    /// - Throws: `.full` if there is no room, as if nothing was written; after `.failed` it is unknown whether the
    ///   entry is durable.
    func write(_ entry: EntryWriter) throws(StorageError) {
        entry.write(to: scratch)
        let bytes = UnsafeRawBufferPointer(start: scratch, count: entry.sectors * JournalSector.size)
        try file.write(bytes, at: entry.number * JournalSector.size, to: path)
        try sync()
        try checkName()
    }

    /// Checks that the file still has its name.
    ///
    /// - Throws: `.failed` if the file was moved, removed or replaced, since the next start reads another one.
    func checkName() throws(StorageError) {
        guard NamedFile(at: path) != identity else { return }
        throw .failed("\(path) was moved, removed or replaced while it was served")
    }

    /// Fills the file with zeros and syncs it, once no entry is written to it any more.
    ///
    /// - Throws: the error of the system.
    func zero() throws(StorageError) {
        file.setDirect(false)
        try file.zero(path)
    }

    /// Counts an entry that is durable.
    func written(_ entry: EntryWriter) {
        halves[active].end += entry.sectors
        halves[active].last = entry.first + UInt64(entry.count) - 1
        sequence = entry.sequence
    }

    /// Syncs the file.
    ///
    /// - Throws: `.failed`, whatever the reason, since the state of the disk is unknown.
    func sync() throws(StorageError) {
        guard fdatasync(file.descriptor) == 0 else {
            throw .failed("\(SystemError.text(errno)) while syncing \(path)")
        }
    }
}
