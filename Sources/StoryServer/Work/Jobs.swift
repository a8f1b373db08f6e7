package import StoryCore
import StoryEngine
package import StoryLog
package import StoryStore
import StoryStorage
import Synchronization

/// The background work on the log; it is prepared when it begins, for the events that are committed by then.
package struct LogJobs {
    /// Checks every record, and every page of the built-in models and of the given ones, until the flag is set; the reply
    /// has the seal at a position, or at the last one.
    package let verify: (_ sealAt: Position?, _ declared: [PageScrub], _ mustEnd: EndFlag) -> Work
    /// Copies the log into a new directory, unless the flag is set.
    package let backUp: (_ path: String, _ mustEnd: EndFlag) -> Work
    /// Computes the seal at an acknowledged position, as text.
    package let seal: (_ position: Position) -> SealWork

    /// The log and the models that the models can be rebuilt from; nil for those in memory.
    let store: Store?

    /// A log on the disk, and the models of it.
    struct Store {
        let log: LMDBEventLog
        let models: LMDBModelStore
    }

    /// A piece of work, to be run on its own thread; returns the members of the reply.
    package typealias Work = @Sendable () throws(StorageError) -> [Member]
    /// A piece of work likewise, which returns a seal.
    package typealias SealWork = @Sendable () throws(StorageError) -> String

    /// Makes work of functions.
    package init(
        verify: @escaping (Position?, [PageScrub], EndFlag) -> Work, backUp: @escaping (String, EndFlag) -> Work,
        seal: @escaping (Position) -> SealWork
    ) {
        self.verify = verify
        self.backUp = backUp
        self.seal = seal
        store = nil
    }

    /// Makes the work on a stored log and stored models.
    package init(_ log: LMDBEventLog, _ models: LMDBModelStore) {
        store = Store(log: log, models: models)
        seal = { position in
            let seals = log.seals()
            return { () throws(StorageError) in try seals.seal(at: position).text }
        }
        verify = { position, declared, mustEnd in
            let verifier = log.verifier()
            let opened = models.opened
            return { () throws(StorageError) in
                var last = Position.zero
                let seal = try verifier.run(sealAt: position) { position in
                    last = position
                    return !mustEnd.isSet
                }
                if !mustEnd.isSet { try opened.verify() }
                for model in declared { try model.run { !mustEnd.isSet } }
                let asked = position.map { [Member("at", .count($0.value))] } ?? []
                return [Member("verified", .count(last.value)), Member("position", .count(last.value))] + asked
                    + (seal.map { [Member("seal", .text($0.text))] } ?? [])
            }
        }
        backUp = { path, mustEnd in
            let copier = log.copier()
            return { () throws(StorageError) in
                let position = try copier.run(to: path) { mustEnd.isSet }
                return [Member("backup", .text(path)), Member("position", .count(position.value))]
            }
        }
    }
}

/// The long jobs in the background, each of which replies to a request when it ends.
final class Jobs {
    /// A job in progress.
    private struct Running {
        let connection: Connection
        let tag: Tag?
        /// The directory of the copy; nil for other work.
        let target: String?
        let work: BackgroundJob<Reply>
    }

    /// A comparison of the index of words with the log, for another thread; returns members of the reply.
    typealias Comparison = @Sendable (EndFlag) throws(StorageError) -> [Member]

    private let work: LogJobs
    /// Returns the stored pages of the declared models.
    private let declared: () -> [PageScrub]
    /// Returns the comparison of the index of words through a stored position; nil where there is none.
    private let words: (Position) -> Comparison?
    /// The data directory, in which no copy is made.
    private let data: String
    private let trace: Trace
    private let starter: JobStarter
    private let mustEnd = EndFlag()
    private var running: [Running] = []
    /// The jobs that wait for the end of the turn, and until the events that were acknowledged then are stored.
    private var waiting: [(target: String?, after: Position?, begin: (Position) -> Void)] = []

    init(
        _ work: LogJobs, data: String, trace: Trace, starter: JobStarter, declared: @escaping () -> [PageScrub],
        words: @escaping (Position) -> Comparison?
    ) {
        (self.work, self.data, self.trace, self.starter, self.declared) = (work, data, trace, starter, declared)
        self.words = words
    }

    /// Queues a `VERIFY`: every record, its position, its time, the chain of seals, the pages of all models, and the index
    /// of words.
    func verify(sealAt position: Position?, _ tag: Tag?, _ connection: Connection) {
        let (mustEnd, declared, words) = (mustEnd, declared, words)
        add(tag, connection, nil) { (work, stored) in
            let (verify, comparison) = (work.verify(position, declared(), mustEnd), words(stored))
            return { () throws(StorageError) in try verify() + (comparison?(mustEnd) ?? []) }
        }
    }

    /// Queues a `BACKUP`: a copy of the log at one position. Returns a failure where one is known at once.
    ///
    /// The path is checked in the background, since its file system may hang.
    func backUp(to path: String, _ tag: Tag?, _ connection: Connection) -> Failure? {
        guard !waiting.contains(where: { $0.target == path }), !running.contains(where: { $0.target == path }) else {
            return Failure(.exists, "a copy is being made as \(path); name another directory", .field("directory"))
        }
        let (mustEnd, data) = (mustEnd, data)
        add(tag, connection, path, refusal: { Jobs.refusal(ofCopyTo: path, besides: data) }) {
            (work, _) in work.backUp(path, mustEnd)
        }
        return nil
    }

    private func add(
        _ tag: Tag?, _ connection: Connection, _ target: String?,
        refusal: @escaping @Sendable () -> Failure? = { nil },
        _ prepare: @escaping (LogJobs, _ stored: Position) -> LogJobs.Work
    ) {
        let begin = { [self] (stored: Position) in
            let work = prepare(work, stored)
            let job = starter.start { () throws(StorageError) in
                if let failure = refusal() { return Reply.failed(failure) }
                return .done(.members(try work()))
            }
            running.append(Running(connection: connection, tag: tag, target: target, work: job))
        }
        waiting.append((target, nil, begin))
    }

    /// True while no job is under way.
    var areIdle: Bool { running.isEmpty }

    /// Begins the jobs that were requested, once all events are stored that were acknowledged at the end of that turn.
    func begin(_ turn: Turn, acknowledged: Position) {
        guard !waiting.isEmpty else { return }
        let starts = waiting
        waiting = []
        for start in starts {
            let after = start.after ?? acknowledged
            if after <= turn.stored {
                start.begin(turn.stored)
            } else {
                waiting.append((start.target, after, start.begin))
            }
        }
    }

    /// Returns the replies of the jobs that have ended.
    func answers() -> [JobAnswer] {
        let all = running
        running = []
        var answers: [JobAnswer] = []
        for job in all {
            guard let result = job.work.result else {
                running.append(job)
                continue
            }
            let reply: Reply =
                switch result {
                case .success(let reply): reply
                case .failure(let error): .failed(trace.failure(of: error))
                }
            answers.append(JobAnswer(connection: job.connection, tag: job.tag, reply: reply))
        }
        return answers
    }

    /// Ends the jobs in progress and waits for them, since they read files that are about to be closed.
    func end() {
        mustEnd.set()
        for job in running { _ = job.work.wait() }
        running = []
        waiting = []
    }

    private static func refusal(ofCopyTo path: String, besides data: String) -> Failure? {
        if let error = CopyTarget.error(in: path, besides: data) {
            return Failure(.invalid, "1 field is wrong: directory", .fields([error]))
        }
        guard !Folder.isThere(path) else {
            return Failure(.exists, "\(path) exists already; name a new directory", .field("directory"))
        }
        return nil
    }
}

/// The reply to a request that waited for background work.
struct JobAnswer {
    let connection: Connection
    let tag: Tag?
    let reply: Reply
}

/// A flag that tells background threads to end.
package final class EndFlag: Sendable {
    private let flag = Atomic(false)

    /// Makes a flag that is not set.
    package init() {}

    /// True once the threads must end.
    package var isSet: Bool { flag.load(ordering: .relaxed) }

    /// Sets the flag; may be called from any thread.
    package func set() { flag.store(true, ordering: .relaxed) }
}

extension Trace {
    /// Returns the reply to a request whose storage access failed; traces the failure, unless the disk is full.
    func failure(of error: StorageError) -> Failure {
        switch error {
        case .corrupt: sayEachSecond("corrupt", ["reason": "\(error)"])
        case .full: break
        case .failed(let reason), .held(let reason): sayEachSecond("storage-error", ["reason": reason])
        }
        return .storage(error)
    }
}
