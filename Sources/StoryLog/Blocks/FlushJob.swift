import StoryStorage
import Glibc
import StoryCore

/// One flush beside the loop: records are sealed into blocks and stored while commits go on.
final class FlushJob: Sendable {
    /// The last position that is in blocks when it succeeds.
    let through: Position
    /// The first positions of the blocks that it makes.
    let firsts: [UInt64]
    private let work: OnceWork<Seal>
    nonisolated(unsafe) private let ended: UnsafeMutablePointer<sem_t>

    /// - Parameter sections: at least one.
    init(_ sections: [BlockSection], after seal: Seal, _ store: BlockStore) {
        precondition(!sections.isEmpty, "A flush has something to store.")
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

    /// Does it beside the loop; `whenDone` is called there. Without a thread it is done here.
    func start(on background: BackgroundStarter, whenDone: (@Sendable () -> Void)?) {
        let body: @Sendable () -> Void = {
            self.run()
            whenDone?()
        }
        if !background.start(body) { body() }
    }

    /// Does it here, unless somebody has begun; any thread may.
    func run() { if work.run() { sem_post(ended) } }

    /// Nil while it runs; then the seal of the last block, or why there is none.
    var result: Result<Seal, StorageError>? { work.result }

    /// Waits until it has ended; what nobody has begun is done here.
    func wait() -> Result<Seal, StorageError> {
        run()
        while true {
            if let result { return result }
            while sem_wait(ended) != 0 {}
        }
    }
}
