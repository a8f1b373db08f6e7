package import StoryCore

/// The writing of frozen buffers into the stored models, as one synced commit.
package final class Checkpoint: @unchecked Sendable {
    // Unchecked: `run` is called by one thread; the owner only reads the frozen buffers until it is told the outcome.

    /// What the stored models will be a fold of.
    package var position: Position { record.position }
    let buffers: BufferSet
    private let environment: Environment
    private let tables: ModelTables
    private let record: CheckpointRecord

    init(_ buffers: BufferSet, _ environment: Environment, _ tables: ModelTables, _ record: CheckpointRecord) {
        self.buffers = buffers
        self.environment = environment
        self.tables = tables
        self.record = record
    }

    /// Writes and syncs; on any one thread. Afterwards the owner calls `finish`, or `fail` when this threw.
    package func run() throws(StorageError) {
        let transaction = try WriteTransaction(environment)
        var scratch: [SortedKey] = []
        for table in Table.allCases {
            guard let buffer = buffers.filled(table) else { continue }
            try write(buffer, tables[table], transaction.handle, &scratch)
        }
        try record.write(transaction, tables.meta)
        try transaction.commit()
        environment.coverLastPage()
    }

    /// In the order of the keys, so that each page is found once. The buffer's own order belongs to the owner.
    private func write(
        _ buffer: WriteBuffer, _ database: Database, _ transaction: OpaquePointer, _ scratch: inout [SortedKey]
    ) throws(StorageError) {
        SortedKey.collect(0..<buffer.count, of: buffer, into: &scratch)
        let cursor = try Cursor(transaction, database)
        for item in scratch {
            let index = Int(item.index)
            if let value = buffer.value(index) {
                try cursor.put(value, at: buffer.key(index))
            } else {
                try cursor.remove(buffer.key(index))
            }
        }
    }
}
