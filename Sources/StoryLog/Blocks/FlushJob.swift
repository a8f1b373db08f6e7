import StoryStorage
import Glibc
import StoryCore
import Synchronization

/// One flush on a thread of its own: records are sealed into blocks and stored while commits go on.
final class FlushJob: Sendable {
    /// The last position that is in blocks when it succeeds.
    let through: Position
    /// The first positions of the blocks that it makes.
    let firsts: [UInt64]
    private let work: @Sendable () throws(StorageError) -> Seal
    private let outcome = Mutex<Result<Seal, StorageError>?>(nil)
    nonisolated(unsafe) private let ended: UnsafeMutablePointer<sem_t>

    /// - Parameter sections: at least one.
    init(_ sections: [BlockSection], after seal: Seal, _ store: BlockStore) {
        precondition(!sections.isEmpty, "A flush has something to store.")
        through = Position(sections[sections.count - 1].run.last)
        firsts = sections.map(\.run.first)
        work = { () throws(StorageError) in try store.store(sections, after: seal) }
        ended = .allocate(capacity: 1)
        sem_init(ended, 0, 0)
    }

    deinit {
        sem_destroy(ended)
        ended.deallocate()
    }

    /// Does it on a thread of its own; `whenDone` is called there. Without a thread it is done here.
    func start(whenDone: (@Sendable () -> Void)?) {
        let body: @Sendable () -> Void = {
            self.run()
            whenDone?()
        }
        if !BackgroundThread.start(body) { body() }
    }

    /// Does it here; any thread may.
    func run() {
        let result: Result<Seal, StorageError>
        do throws(StorageError) { result = .success(try work()) } catch { result = .failure(error) }
        outcome.withLock { $0 = result }
        sem_post(ended)
    }

    /// Nil while it runs; then the seal of the last block, or why there is none.
    var result: Result<Seal, StorageError>? { outcome.withLock { $0 } }

    /// Waits until it has ended.
    func wait() -> Result<Seal, StorageError> {
        while true {
            if let result { return result }
            while sem_wait(ended) != 0 {}
        }
    }
}
