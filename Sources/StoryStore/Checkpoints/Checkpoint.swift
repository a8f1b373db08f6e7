package import StoryCore
import StoryStorage

/// A checkpoint: writes the immutable memtables into the stored models, synced.
package final class Checkpoint: @unchecked Sendable {
    // Unchecked: one thread calls `run`; the owner only reads the immutable memtables until `finish` or `fail`.

    /// The position that the stored models will be folded up to.
    package var position: Position { record.position }
    let buffers: MemtableSet
    private let environment: Environment
    private let tables: ModelTables
    private let checksums: KeptChecksums
    private let record: CheckpointRecord

    init(
        _ buffers: MemtableSet, _ environment: Environment, _ tables: ModelTables, _ checksums: KeptChecksums,
        _ record: CheckpointRecord
    ) {
        self.checksums = checksums
        self.buffers = buffers
        self.environment = environment
        self.tables = tables
        self.record = record
    }

    /// Writes and syncs; on any one thread. Afterwards the owner calls `finish`, or `fail` when this threw.
    package func run() throws(StorageError) {
        try CheckpointWriter(buffers, environment, tables, checksums, record).run()
    }

    /// Writes and syncs as `run` does, in commits of about the given number of pages.
    ///
    /// - Throws: as `run`.
    package func run(pages: Int) throws(StorageError) {
        try CheckpointWriter(buffers, environment, tables, checksums, record, pages: pages).run()
    }
}
