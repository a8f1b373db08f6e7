import StoryStorage
import Glibc
import StoryCore

/// One flush: seals records into blocks and stores them, usually on a background thread while commits continue.
final class FlushJob: Sendable {
    /// The last position that is in blocks once the flush succeeds.
    let through: Position
    /// The first positions of the blocks that it stores.
    let firsts: [UInt64]
    private let work: OnceWork<Seal>
    nonisolated(unsafe) private let ended: UnsafeMutablePointer<sem_t>

    /// - Parameter sections: at least one.
    init(_ sections: [BlockSection], after seal: Seal, _ store: BlockStore) {
        precondition(!sections.isEmpty, "flush of no records")
        through = Position(sections[sections.count - 1].run.last)
        firsts = sections.map(\.run.first)
        work = OnceWork { () throws(StorageError) in try store.store(sections, after: seal) }
        ended = .allocate(capacity: 1)
        sem_init(ended, 0, 0)
    }

    deinit {
        sem_destroy(ended)
        ended.deallocate()
    }

    /// Runs the flush on a background thread, which calls `whenDone` after it; on the calling thread if there is none.
    func start(on background: BackgroundStarter, whenDone: @escaping @Sendable () -> Void) {
        let body: @Sendable () -> Void = {
            self.run()
            whenDone()
        }
        if !background.start(body) { body() }
    }

    /// Runs the flush on the calling thread, unless another thread has begun it.
    func run() { if work.run() { sem_post(ended) } }

    /// The seal of the last block, or the error; nil until the flush has ended.
    var result: Result<Seal, StorageError>? { work.result }

    /// Waits until the flush has ended; runs it on the calling thread if no thread has begun it.
    func wait() -> Result<Seal, StorageError> {
        run()
        while true {
            if let result { return result }
            while sem_wait(ended) != 0 {}
        }
    }
}
