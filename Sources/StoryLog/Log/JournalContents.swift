import StoryCore

/// What a journal holds beyond the end of its log, found by reading all of it.
///
/// A commit is one block. The blocks of the newest generation stand one behind the other from the beginning on; what
/// comes after them is older, or was never written whole.
struct JournalContents {
    /// Where the records lie that the log lacks, the one after its end first.
    private(set) var records: [Range<Int>] = []
    /// The log's end with them.
    private(set) var head: Position
    private(set) var lastTime: Instant?
    private(set) var lastSeal: Seal
    /// Where the next block of this generation goes, and its number.
    private(set) var end = JournalHeader.blocksStart
    private(set) var sequence: UInt64 = 0
    private(set) var generation: UInt64 = 0
    /// The greatest generation of any block.
    private(set) var greatest: UInt64 = 0

    private let stored: Position
    private let hasher: SealHasher

    /// Throws `.corrupt`, naming a position, where events are missing or are not those that were written.
    ///
    /// - Parameter state: the log's end.
    init(_ bytes: UnsafeRawBufferPointer, after state: LogState, _ hasher: SealHasher) throws(StorageError) {
        stored = state.head
        head = state.head
        lastTime = state.lastTime
        lastSeal = state.lastSeal
        self.hasher = hasher
        while let block = JournalBlock(bytes, at: end), follows(block) {
            try take(block, bytes)
            end += block.length
            sequence += 1
            generation = block.generation
        }
        greatest = generation
        try search(bytes)
    }

    private func follows(_ block: JournalBlock) -> Bool {
        block.sequence == sequence && (sequence == 0 || block.generation == generation)
    }

    private mutating func take(_ block: JournalBlock, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        // The log has it: it was flushed, and the journal not begun anew since.
        guard block.last > stored.value else { return }
        guard block.first == head.next.value else {
            throw .corrupt(
                "the journal goes on at position \(block.first), but what comes before it ends at \(head.value)",
                at: head.next)
        }
        guard let places = block.records(in: bytes, at: end) else {
            throw Record.damaged(block.first, "does not fit its block of the journal")
        }
        hasher.begin(after: lastSeal)
        for place in places {
            try take(UnsafeRawBufferPointer(rebasing: bytes[place]), isLast: head.next.value == block.last)
        }
        records += places
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer, isLast: Bool) throws(StorageError) {
        let position = head.next
        let record = try Record.read(bytes, at: position.value)
        let count = Record.unsealedCount(bytes) ?? bytes.count
        hasher.add(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        let seal = Record.seal(bytes)
        guard (seal != nil) == isLast else { throw Record.damaged(position.value, "is sealed where no commit ends") }
        if let seal {
            guard hasher.finish() == seal else {
                throw Record.damaged(position.value, "does not match the seal of its commit")
            }
            lastSeal = seal
        }
        lastTime = record.time
        head = position
    }

    /// Looks behind the last whole block: a commit was written only once the one before it was safe, so one that
    /// stands there and is not in the log says that what came before it is damaged.
    private mutating func search(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        for offset in stride(from: end, to: bytes.count, by: JournalBlock.alignment) {
            guard let block = JournalBlock(bytes, at: offset) else { continue }
            greatest = max(greatest, block.generation)
            guard block.last <= stored.value else {
                throw .corrupt(
                    "the journal is damaged: it holds position \(block.last), but not all that comes before it",
                    at: head.next)
            }
        }
    }
}
