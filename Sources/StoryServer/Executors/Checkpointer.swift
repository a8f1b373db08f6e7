import StoryCore
import StoryModels
import StoryStorage

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
    private var running: BackgroundJob<Bool>?
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
        running = BackgroundJob(
            { () throws(StorageError) in
                try checkpoint.run()
                return true
            }, whenDone: whenDone)
    }

    /// Looks whether the one under way is done; true when it just ended, well or not.
    func poll() -> Bool {
        guard let result = running?.result else { return false }
        settle(result)
        return true
    }

    /// Waits for the one under way.
    func wait() {
        if let running { settle(running.wait()) }
    }

    /// Keeps memory bounded when folding outruns the disk.
    func holdBack() {
        if store.bufferedBytes >= Checkpointer.greatestBytes { wait() }
    }

    private func settle(_ result: Result<Bool, StorageError>) {
        running = nil
        do throws(StorageError) {
            _ = try result.get()
        } catch {
            store.fail()
            failure = error
            return
        }
        do throws(StorageError) {
            try store.finish()
            count += 1
        } catch {
            failure = error
        }
    }
}
