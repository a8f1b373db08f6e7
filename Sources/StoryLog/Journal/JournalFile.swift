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

    /// True where the journal has another size, or is not written in place.
    func isOutdated(size: Int) -> Bool { header.fileSize != size || file.isCopiedOnWrite }

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
        try checkName()
    }

    /// - Throws: `.failed` where the file was moved, removed or replaced: the next start reads another one.
    func checkName() throws(StorageError) {
        guard !file.isNamed(path) else { return }
        throw .failed("\(path) was moved, removed or replaced while it was served")
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
