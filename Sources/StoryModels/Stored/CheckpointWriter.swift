import StoryCore
import StoryStorage

/// Writes the entries of a checkpoint into the stored models.
///
/// LMDB keeps every page that a commit changes in memory, and keeps that memory. So a large checkpoint is written in
/// several commits: first all of it goes into a journal, then a mark says that the models are neither what they were
/// nor what they will be, and the last commit takes the mark away again.
struct CheckpointWriter: ~Copyable {
    /// About so many pages are changed in one commit.
    static let pages = 2_048

    private let environment: Environment
    private let tables: ModelTables
    private let buffers: BufferSet
    private let record: CheckpointRecord
    private let journal: CheckpointJournal
    private let checksums: KeptChecksums
    private let limit: Int
    private var transaction: WriteTransaction?
    private var changed = 0
    private var isMarked: Bool
    private var sets = KeySetWriter()

    /// - Parameter isMarked: whether a journal with all these entries, and the mark, are there already.
    init(
        _ buffers: BufferSet, _ environment: Environment, _ tables: ModelTables, _ checksums: KeptChecksums,
        _ record: CheckpointRecord, isMarked: Bool = false, pages: Int = CheckpointWriter.pages
    ) {
        self.environment = environment
        self.tables = tables
        self.buffers = buffers
        self.record = record
        self.isMarked = isMarked
        limit = pages
        journal = CheckpointJournal(models: environment.path)
        self.checksums = checksums
    }

    consuming func run() throws(StorageError) {
        var scratch: [SortedKey] = []
        for table in tables.numbers {
            guard let buffer = buffers.filled(table) else { continue }
            // In the order of the keys, so that each page is found once. The buffer's own order is its owner's.
            SortedKey.collect(0..<buffer.count, of: buffer, into: &scratch)
            var done = 0
            while done < scratch.count {
                if changed >= limit { try commitPiece() }
                let stored = tables[table]
                done =
                    try stored.isSet
                    ? writeKeys(scratch, from: done, buffer, stored.database)
                    : write(scratch, from: done, buffer, stored.database)
            }
        }
        try commitLast()
    }

    /// Writes entries until they are all written or enough pages are changed; answers how far it came.
    private mutating func write(
        _ items: [SortedKey], from start: Int, _ buffer: WriteBuffer, _ database: Database
    ) throws(StorageError) -> Int {
        let cursor = try Cursor(try begun(), database)
        var last: UnsafeRawPointer?
        var index = start
        while index < items.count, changed < limit {
            let entry = Int(items[index].index)
            if let value = buffer.value(entry) {
                try cursor.put(value, at: buffer.key(entry))
            } else {
                try cursor.remove(buffer.key(entry))
            }
            index += 1
            let here = cursor.keyPointer
            if !CheckpointWriter.isNear(last, here) { changed += 1 }
            last = here
        }
        return index
    }

    /// As `write`, where keys alone are stored.
    private mutating func writeKeys(
        _ items: [SortedKey], from start: Int, _ buffer: WriteBuffer, _ database: Database
    ) throws(StorageError) -> Int {
        let cursor = try Cursor(try begun(), database)
        var index = start
        while index < items.count, changed < limit {
            let (next, blocks) = try sets.write(items, from: index, buffer, cursor)
            changed += blocks
            index = next
        }
        return index
    }

    /// True when both keys seem to lie on one page; a guess is enough to keep memory bounded.
    private static func isNear(_ left: UnsafeRawPointer?, _ right: UnsafeRawPointer?) -> Bool {
        guard let left, let right else { return left == right }
        return abs(right - left) < 4_096
    }

    private mutating func begun() throws(StorageError) -> OpaquePointer {
        if transaction == nil {
            // Those of the commit before may have failed: they are never more than one behind.
            try checksums.update()
            try checksums.reserve(pages: UInt64(environment.usedBytes / environment.pageSize))
            transaction = try WriteTransaction(environment)
        }
        guard let handle = transaction?.handle else { throw .failed("LMDB began no transaction") }
        return handle
    }

    private mutating func commitPiece() throws(StorageError) {
        if !isMarked {
            try journal.write(buffers, record)
            try record.write(try begun(), tables.meta, as: CheckpointRecord.mark)
            isMarked = true
        }
        try transaction.take()?.commit()
        try checksums.update()
        changed = 0
    }

    private mutating func commitLast() throws(StorageError) {
        let handle = try begun()
        try CheckpointRecord.remove(CheckpointRecord.mark, handle, tables.meta)
        try record.write(handle, tables.meta, as: CheckpointRecord.key)
        try transaction.take()?.commit()
        try checksums.update()
        if isMarked { journal.remove() }
        environment.coverLastPage()
    }
}
