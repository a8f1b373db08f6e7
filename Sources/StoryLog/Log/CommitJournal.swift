import Glibc
import StoryCore
import StoryStorage

/// A file of fixed size in front of the log: a commit is one block, written and synced over blocks that are there.
///
/// So a commit costs one write and one sync. The log's environment takes over what the journal holds when that is
/// full, and now and then; after that the journal begins anew, from its beginning and with the next generation.
/// Everything since then is in memory as well, as it lies in the file.
final class CommitJournal {
    /// The bytes of a new journal. Taking over that much takes a few milliseconds.
    static let fileSize = 2 << 20
    /// A commit of more bytes than this is cheaper when the log's environment takes it at once.
    static let largestBlock = 1 << 17

    /// A new journal is written in pieces of so many bytes. The system keeps what is written at once together in its
    /// cache, and a sync looks through all of what a block lies in.
    private static let piece = 4_096

    private let path: String
    private let file: FileHandle
    private let memory: UnsafeMutableRawBufferPointer
    private var generation: UInt64 = 1
    /// The greatest generation of any block in the file.
    private var greatest: UInt64 = 0
    private var sequence: UInt64 = 0
    /// Where the blocks end.
    private var end = JournalHeader.blocksStart
    /// Where the next record of the block that is being made goes, and how many it has.
    private var filled = JournalHeader.blocksStart + JournalBlock.headerSize
    private var count = 0
    private var limit: Int

    /// Opens the journal of a store; where there is none, it is made.
    init(at path: String, storeID: [UInt8], fileSize: Int) throws(StorageError) {
        if !Folder.exists(path) { try CommitJournal.create(path, storeID, fileSize) }
        let file = try FileHandle(path, O_RDWR | O_NOFOLLOW)
        let bytes = try CommitJournal.read(file, path, storeID)
        self.path = path
        self.file = file
        memory = .allocate(byteCount: bytes.count, alignment: 4_096)
        memory.copyBytes(from: bytes)
        limit = 0
        beginBlock()
    }

    deinit { memory.deallocate() }

    /// For tests, which put another file in its place.
    var descriptor: Int32 { file.descriptor }

    /// False while what was added is too much for a block, or for the room that is left.
    var hasRoom: Bool { filled <= limit }

    /// Finds what the log lacks; the blocks that come next follow it.
    func recover(after state: LogState, _ hasher: SealHasher) throws(StorageError) -> JournalContents {
        let contents = try JournalContents(UnsafeRawBufferPointer(memory), after: state, hasher)
        (end, sequence, generation) = (contents.end, contents.sequence, contents.generation)
        greatest = contents.greatest
        contents.records.isEmpty ? beginAnew() : beginBlock()
        return contents
    }

    /// Adds a record to the block that is being made.
    func add(_ record: UnsafeRawBufferPointer) {
        let place = filled
        filled += JournalBlock.recordHead + record.count
        guard hasRoom, let base = memory.baseAddress, let source = record.baseAddress else { return }
        base.put(UInt32(record.count), at: place)
        memcpy(base + place + JournalBlock.recordHead, source, record.count)
        count += 1
    }

    /// Makes the block durable. After `.failed` it is unknown whether it is.
    func write(first: Position) throws(StorageError) {
        precondition(hasRoom && count > 0, "A block is written when it is whole.")
        let length = JournalBlock.aligned(filled) - end
        let block = JournalBlock(
            generation: generation, sequence: sequence, first: first.value, length: length, count: count)
        block.write(to: memory, at: end, end: filled)
        try write(UnsafeRawBufferPointer(rebasing: memory[end..<end + length]), at: end)
        try sync()
        end += length
        sequence += 1
        beginBlock()
    }

    func sync() throws(StorageError) {
        guard fdatasync(file.descriptor) == 0 else {
            // Whatever the reason, what is on the disk is unknown.
            throw .failed("\(SystemError.text(errno)) while syncing \(path)")
        }
    }

    /// Forgets the block that is being made.
    func dropBlock() { beginBlock() }

    /// Begins anew: the log has taken over all of it.
    func beginAnew() {
        generation = max(generation, greatest) + 1
        sequence = 0
        end = JournalHeader.blocksStart
        beginBlock()
    }

    /// The records after a position that the log has, in order.
    func forEachRecord(
        after stored: Position, _ body: (UInt64, UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        let bytes = UnsafeRawBufferPointer(memory)
        for (position, place) in places(after: stored) {
            try body(position, UnsafeRawBufferPointer(rebasing: bytes[place]))
        }
    }

    /// A copy of what comes after a position that the log has; nil when there is nothing.
    func tail(after stored: Position) -> JournalTail? {
        let bytes = UnsafeRawBufferPointer(rebasing: memory[..<end])
        return JournalTail(bytes, places(after: stored).map(\.place), first: stored.next.value)
    }

    private func places(after stored: Position) -> [(position: UInt64, place: Range<Int>)] {
        let bytes = UnsafeRawBufferPointer(rebasing: memory[..<end])
        var found: [(position: UInt64, place: Range<Int>)] = []
        var offset = JournalHeader.blocksStart
        while offset < end, let block = JournalBlock(unchecked: bytes, at: offset) {
            let places = block.last > stored.value ? block.records(in: bytes, at: offset) ?? [] : []
            for (index, place) in places.enumerated() { found.append((block.first + UInt64(index), place)) }
            offset += block.length
        }
        return found
    }

    private func beginBlock() {
        filled = end + JournalBlock.headerSize
        limit = min(memory.count, end + CommitJournal.largestBlock)
        count = 0
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                file.descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError.from(errno, "writing \(path)") }
            done += count
        }
    }

    /// All bytes of a journal, whose header is looked at.
    static func read(
        _ file: borrowing FileHandle, _ path: String, _ storeID: [UInt8]
    ) throws(StorageError) -> [UInt8] {
        let size = Int(try file.status(path).st_size)
        let bytes = try file.read(size, at: 0, of: path)
        guard let header = JournalHeader(bytes) else {
            throw .corrupt("\(path) does not begin like a journal", at: nil)
        }
        guard header.storeID == storeID else { throw .corrupt("\(path) belongs to another log", at: nil) }
        guard header.fileSize == bytes.count else {
            throw .corrupt("\(path) has \(bytes.count) bytes and should have \(header.fileSize)", at: nil)
        }
        return bytes
    }

    /// Made of zeros that are written, so that a sync of what lies over them has no block to allocate; a crash leaves
    /// all of it or nothing.
    private static func create(_ path: String, _ storeID: [UInt8], _ fileSize: Int) throws(StorageError) {
        precondition(
            fileSize > JournalHeader.blocksStart && fileSize % JournalBlock.alignment == 0,
            "A journal has room for blocks.")
        let draft = path + ".tmp"
        let file = try FileHandle(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        let header = JournalHeader(storeID: storeID, fileSize: fileSize).bytes
        let bytes = header + [UInt8](repeating: 0, count: fileSize - header.count)
        for start in stride(from: 0, to: fileSize, by: piece) {
            try file.write(Array(bytes[start..<min(start + piece, fileSize)]), at: start, to: draft)
        }
        try file.sync(draft)
        try Folder.rename(draft, to: path)
    }
}
