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
