package import StoryCore
import StoryStorage

/// A checkpoint: writes the immutable memtables into the stored models, synced.
package final class Checkpoint: @unchecked Sendable {
    // Unchecked: one thread calls `run`; the owner only reads the immutable memtables until `finish` or `fail`.

    /// The approximate number of pages that one commit changes.
    package static let pages = 2_048

    /// The position that the stored models will be folded up to.
    package var position: Position { record.position }
    let buffers: MemtableSet
    private let models: ModelEnvironment
    private let record: CheckpointRecord

    init(_ buffers: MemtableSet, _ models: ModelEnvironment, _ record: CheckpointRecord) {
        self.buffers = buffers
        self.models = models
        self.record = record
    }

    /// Writes and syncs, in commits of about the given number of pages; on any one thread. Afterwards the owner calls
    /// `finish`, or `fail` when this threw.
    package func run(pages: Int = Checkpoint.pages) throws(StorageError) {
        try CheckpointWriter(buffers, models, record, pages: pages).run()
    }
}

/// A writer of a checkpoint's entries into the stored models.
///
/// LMDB holds every page that a commit changes in memory, and does not free that memory. So a large checkpoint is
/// written in several commits: first a journal of all entries, then a mark that the models are between two positions;
/// the last commit removes the mark.
struct CheckpointWriter: ~Copyable {
    private let environment: Environment
    private let tables: ModelTables
    private let checksums: KeptChecksums
    private let buffers: MemtableSet
    private let record: CheckpointRecord
    private let journal: CheckpointJournal
    private let limit: Int
    private var transaction: WriteTransaction?
    private var changed = 0
    private var isMarked: Bool
    private var sets = KeySetWriter()

    /// Creates a writer of the entries of a checkpoint.
    ///
    /// - Parameter isMarked: whether a journal of all these entries, and the mark, exist already.
    init(
        _ buffers: MemtableSet, _ models: ModelEnvironment, _ record: CheckpointRecord, isMarked: Bool = false,
        pages: Int = Checkpoint.pages
    ) {
        (environment, tables, checksums) = (models.environment, models.tables, models.checksums)
        self.buffers = buffers
        self.record = record
        self.isMarked = isMarked
        limit = pages
        journal = CheckpointJournal(models: environment.path)
    }

    consuming func run() throws(StorageError) {
        do throws(StorageError) {
            try write()
        } catch {
            checksums.keep(error)
            throw error
        }
    }

    private mutating func write() throws(StorageError) {
        var scratch: [SortedKey] = []
        for table in tables.numbers {
            guard let buffer = buffers.filled(table) else { continue }
            // In key order, so that each page is found once. The memtable's own `order` belongs to the owner's thread.
            SortedKey.collect(0..<buffer.count, of: buffer, into: &scratch)
            transaction = try begun()
            try CheckpointWriter.prove(scratch, buffer, tables[table], environment, checksums.pages)
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

    /// Compares the pages of a table that LMDB reads to write these entries with their checksums, as they are now: it trusts
    /// every number on a page.
    static func prove(
        _ items: [SortedKey], _ buffer: Memtable, _ table: StoredTable, _ environment: Environment,
        _ proven: ProvenPages
    ) throws(StorageError) {
        let view = try ReadTransaction(environment)
        guard let tree = try view.tree(of: table.name, in: environment, proven) else { return }
        let changes = TreeChanges(of: items.count, in: tree) { buffer.key(Int(items[$0].index)) }
        if table.isSet {
            let blocks = try changes.proveBlocks(keysOfChange: KeySetWriter.maxChanges)
            try changes.proveNeighbours(of: blocks)
        } else {
            try changes.provePaths()
            guard (0..<buffer.count).contains(where: { buffer.value($0) == nil }) else { return }
            try changes.proveNeighbours(of: items.indices.filter { buffer.value(Int(items[$0].index)) == nil })
        }
    }

    /// Writes entries until all are written or enough pages are changed; returns the index of the next entry.
    private mutating func write(
        _ items: [SortedKey], from start: Int, _ buffer: Memtable, _ database: Database
    ) throws(StorageError) -> Int {
        let transaction = try begun()
        var last: UnsafeRawPointer?
        var index = start
        try transaction.withCursor(in: database) { (cursor) throws(StorageError) in
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
        }
        self.transaction = consume transaction
        return index
    }

    /// Writes entries as `write` does, for a set, which stores only keys.
    private mutating func writeKeys(
        _ items: [SortedKey], from start: Int, _ buffer: Memtable, _ database: Database
    ) throws(StorageError) -> Int {
        let transaction = try begun()
        var index = start
        try transaction.withCursor(in: database) { (cursor) throws(StorageError) in
            while index < items.count, changed < limit {
                let (next, blocks) = try sets.write(items, from: index, buffer, cursor)
                changed += blocks
                index = next
            }
        }
        self.transaction = consume transaction
        return index
    }

    /// Returns whether both keys seem to be on one page; a guess is enough to bound the memory.
    private static func isNear(_ left: UnsafeRawPointer?, _ right: UnsafeRawPointer?) -> Bool {
        guard let left, let right else { return left == right }
        return abs(right - left) < 4_096
    }

    /// Takes the transaction under way, or begins one; the caller commits it, or puts it back.
    private mutating func begun() throws(StorageError) -> WriteTransaction {
        if let transaction = transaction.take() { return transaction }
        // The update after the last commit may have failed, and checksums must never be more than one commit behind.
        try checksums.update()
        try checksums.proveFirst()
        try proveRecords()
        try checksums.reserve(pages: UInt64(environment.usedBytes / environment.pageSize))
        return try WriteTransaction(environment)
    }

    private func proveRecords() throws(StorageError) {
        let view = try ReadTransaction(environment)
        guard let meta = try view.tree(of: ModelTables.metaName, in: environment, checksums.pages) else { return }
        for key in [CheckpointRecord.key, CheckpointRecord.mark] { _ = try CheckpointRecord.read(meta, at: key) }
    }

    private mutating func commitPiece() throws(StorageError) {
        let transaction = try begun()
        if !isMarked {
            try journal.write(buffers, record)
            try record.write(transaction, tables.meta, as: CheckpointRecord.mark)
            isMarked = true
        }
        try transaction.commit()
        try checksums.update()
        changed = 0
    }

    private mutating func commitLast() throws(StorageError) {
        let transaction = try begun()
        try CheckpointRecord.remove(CheckpointRecord.mark, transaction, tables.meta)
        try record.write(transaction, tables.meta, as: CheckpointRecord.key)
        try transaction.commit()
        try checksums.update()
        if isMarked { journal.remove() }
        environment.coverLastPage()
    }
}
