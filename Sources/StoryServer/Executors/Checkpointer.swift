import StoryCore
import StoryLog

/// Decides when the models are written to disk, and sees one such writing through beside the loop.
final class Checkpointer {
    /// So many events are folded before a checkpoint is due.
    static let events: UInt64 = 20_000
    /// Or so many bytes wait in memory.
    static let bytes = 12 << 20
    /// More than this never waits: the loop stands until the checkpoint under way is done.
    static let greatestBytes = 28 << 20

    private let store: LMDBModelStore
    private let whenDone: @Sendable () -> Void
    private var running: (checkpoint: Checkpoint, job: BackgroundJob)?
    /// The last failure; nil when the last checkpoint was written.
    private(set) var failure: StorageError?
    private(set) var count: UInt64 = 0

    init(store: LMDBModelStore, whenDone: @escaping @Sendable () -> Void) {
        self.store = store
        self.whenDone = whenDone
    }

    var checkpointed: Position { store.checkpointed }
    var isRunning: Bool { running != nil }

    func isDue(head: Position) -> Bool {
        head.value - min(store.checkpointed.value, head.value) >= Checkpointer.events
            || store.bufferedBytes >= Checkpointer.bytes
    }

    /// Begins one, unless one is under way or nothing is new.
    func start(at head: Position) {
        guard running == nil, head != store.checkpointed else { return }
        failure = nil
        let checkpoint = store.freeze(at: head)
        let job = BackgroundJob({ () throws(StorageError) in try checkpoint.run() }, whenDone: whenDone)
        running = (checkpoint, job)
        job.start()
    }

    /// Looks whether the one under way is done; true when it just ended, well or not.
    func poll() -> Bool {
        guard let job = running?.job, let result = job.result else { return false }
        settle(result)
        return true
    }

    /// Waits for the one under way.
    func wait() {
        guard let job = running?.job else { return }
        settle(job.wait())
    }

    /// Keeps memory bounded when folding outruns the disk.
    func holdBack() {
        if store.bufferedBytes >= Checkpointer.greatestBytes { wait() }
    }

    private func settle(_ result: Result<Void, StorageError>) {
        running = nil
        switch result {
        case .success:
            store.finish()
            failure = nil
            count += 1
        case .failure(let error):
            store.fail()
            failure = error
        }
    }
}
