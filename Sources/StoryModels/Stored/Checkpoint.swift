package import StoryCore
import StoryStorage

/// The writing of frozen buffers into the stored models, synced.
package final class Checkpoint: @unchecked Sendable {
    // Unchecked: `run` is called by one thread; the owner only reads the frozen buffers until it is told the outcome.

    /// What the stored models will be a fold of.
    package var position: Position { record.position }
    let buffers: BufferSet
    private let environment: Environment
    private let tables: ModelTables
    private let checksums: KeptChecksums
    private let record: CheckpointRecord

    init(
        _ buffers: BufferSet, _ environment: Environment, _ tables: ModelTables, _ checksums: KeptChecksums,
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

    /// As `run`, with commits of so many pages.
    ///
    /// - Throws: as `run`.
    package func run(pages: Int) throws(StorageError) {
        try CheckpointWriter(buffers, environment, tables, checksums, record, pages: pages).run()
    }
}
