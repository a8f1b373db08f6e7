package import StoryCore
package import StoryLog
package import StoryModels
import StoryStorage
import Synchronization

/// What can be done with the log beside the loop; the work is prepared as it begins, of what is committed by then.
package struct LogWork {
    /// Checks every record, and every page of the stored models, until the flag says that it must end.
    package let verify: (_ mustEnd: EndFlag) -> Work
    /// Copies the log into a new directory, unless the flag says that it must end.
    package let backUp: (_ path: String, _ mustEnd: EndFlag) -> Work

    /// Runs on a thread of its own; returns what the request is answered with.
    package typealias Work = @Sendable () throws(StorageError) -> [Member]

    package init(verify: @escaping (EndFlag) -> Work, backUp: @escaping (String, EndFlag) -> Work) {
        self.verify = verify
        self.backUp = backUp
    }

    /// The work on a log and models that are stored.
    package init(_ log: LMDBEventLog, _ models: LMDBModelStore) {
        verify = { mustEnd in
            let verifier = log.verifier()
            let proof = models.proof()
            return { () throws(StorageError) in
                var last = Position.zero
                try verifier.run { position in
                    last = position
                    return !mustEnd.isSet
                }
                if !mustEnd.isSet { try proof.run() }
                return [Member("verified", .count(last.value)), Member("position", .count(last.value))]
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

/// Long work beside the loop, whose end answers a request.
final class Jobs {
    private struct Running {
        let connection: Connection
        let tag: Tag?
        /// Where it makes a copy.
        let target: String?
        let work: BackgroundJob<Outcome>
    }

    private enum Outcome {
        case done([Member])
        case refused(Failure)
    }

    private let work: LogWork
    private let data: String
    private let trace: Trace
    private let background: BackgroundStarter
    private let whenDone: @Sendable () -> Void
    private let mustEnd = EndFlag()
    private var running: [Running] = []
    /// What this turn asked for; it begins at the end of the turn.
    private var waiting: [(target: String?, begin: () -> Void)] = []

    /// - Parameter data: the data directory, in which no copy is made.
    init(
        _ work: LogWork, of data: String, _ trace: Trace, _ background: BackgroundStarter,
        whenDone: @escaping @Sendable () -> Void
    ) {
        self.work = work
        self.data = data
        self.trace = trace
        self.background = background
        self.whenDone = whenDone
    }

    /// `VERIFY`: every record, its position, its time, the chain of seals, and the pages of the models.
    func verify(_ tag: Tag?, _ connection: Connection) {
        let mustEnd = mustEnd
        add(tag, connection, nil) { $0.verify(mustEnd) }
    }

    /// `BACKUP`: a copy of the log at one position. Returns why there can be none, as far as that is known at once.
    ///
    /// The path is looked at beside the loop: it may lie on a file system that does not answer.
    func backUp(to path: String, _ tag: Tag?, _ connection: Connection) -> Failure? {
        guard !waiting.contains(where: { $0.target == path }), !running.contains(where: { $0.target == path }) else {
            return Failure(.exists, "a copy is being made as \(path); name another directory", .field("directory"))
        }
        let (mustEnd, data) = (mustEnd, data)
        add(tag, connection, path, refusal: { Jobs.refusal(ofCopyTo: path, besides: data) }) {
            $0.backUp(path, mustEnd)
        }
        return nil
    }

    private func add(
        _ tag: Tag?, _ connection: Connection, _ target: String?,
        refusal: @escaping @Sendable () -> Failure? = { nil }, _ prepare: @escaping (LogWork) -> LogWork.Work
    ) {
        let begin = { [self] in
            let work = prepare(work)
            let job = BackgroundJob(
                on: background,
                { () throws(StorageError) in
                    if let failure = refusal() { return Outcome.refused(failure) }
                    return .done(try work())
                }, whenDone: whenDone)
            running.append(Running(connection: connection, tag: tag, target: target, work: job))
        }
        waiting.append((target, begin))
    }

    /// Begins what this turn asked for, now that the turn is over.
    func begin() {
        guard !waiting.isEmpty else { return }
        let starts = waiting
        waiting = []
        for start in starts { start.begin() }
    }

    /// The requests whose work is done.
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
                case .success(.done(let members)): .done(.members(members))
                case .success(.refused(let failure)): .failed(failure)
                case .failure(let error): .failed(trace.failure(of: error))
                }
            answers.append(JobAnswer(connection: job.connection, tag: job.tag, reply: reply))
        }
        return answers
    }

    /// Waits for the work that is under way: it reads what is about to be closed.
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

/// Tells threads of their own to come to an end.
package final class EndFlag: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package var isSet: Bool { flag.load(ordering: .relaxed) }

    package func set() { flag.store(true, ordering: .relaxed) }
}

extension Trace {
    /// What a client is told when storage failed under its request, which is traced as well.
    func failure(of error: StorageError) -> Failure {
        switch error {
        case .corrupt: sayEachSecond("corrupt", ["reason": "\(error)"])
        case .full: break
        case .failed(let reason), .held(let reason): sayEachSecond("storage-error", ["reason": reason])
        }
        return .storage(error)
    }
}
