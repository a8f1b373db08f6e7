import Glibc
import StoryCore
import StoryLog
import StoryReactor
import StoryStorage
import Synchronization

/// Long work beside the loop, whose end answers a request.
extension Server {
    struct Job {
        let connection: Connection
        let tag: Tag?
        let work: BackgroundJob<[Member]>
    }

    /// `VERIFY`: every record, its place, its time, and the chain of seals.
    func verify(_ session: SessionID, _ tag: Tag?) {
        let mustEnd = jobsMustEnd
        start(session, tag) { log in
            let verifier = log.verifier()
            return { () throws(StorageError) in
                var last = Position.zero
                try verifier.run { position in
                    last = position
                    return !mustEnd.isSet
                }
                return [Member("verified", .count(last.value)), Member("position", .count(last.value))]
            }
        }
    }

    /// `BACKUP`: a copy of the log at one position.
    func backUp(_ session: SessionID, _ tag: Tag?, to path: String) {
        if let failure = Server.refusal(ofCopyTo: path) {
            if let connection = connection(of: session) { answer(.failed(failure), tag, connection) }
            return
        }
        let mustEnd = jobsMustEnd
        start(session, tag) { log in
            let copier = log.copier()
            return { () throws(StorageError) in
                let position = try copier.run(to: path) { mustEnd.isSet }
                return [Member("backup", .text(path)), Member("position", .count(position.value))]
            }
        }
    }

    private typealias Work = @Sendable () throws(StorageError) -> [Member]

    /// - Parameter prepare: makes the work as it begins, of what is committed by then.
    private func start(_ session: SessionID, _ tag: Tag?, _ prepare: @escaping (LMDBEventLog) -> Work) {
        guard let connection = connection(of: session) else { return }
        connection.isAwaiting = true
        waitingJobs.append { [self] in
            let waker = reactor.waker
            let job = BackgroundJob(prepare(dependency.log), whenDone: { waker.wake() })
            jobs.append(Job(connection: connection, tag: tag, work: job))
        }
    }

    /// Begins what this turn asked for, now that the turn is committed: it covers what came before it on any connection.
    func startJobs() {
        let starts = waitingJobs
        waitingJobs = []
        for start in starts { start() }
    }

    /// Waits for the work that is under way: it reads what is about to be closed.
    func endJobs() {
        jobsMustEnd.set()
        for job in jobs { _ = job.work.wait() }
        jobs = []
    }

    /// Answers those whose work is done.
    func finishJobs() {
        let running = jobs
        jobs = []
        for job in running {
            switch job.work.result {
            case nil: jobs.append(job)
            case .success(let members): resume(job.connection, .done(.members(members)), job.tag)
            case .failure(let error): resume(job.connection, .failed(failure(error)), job.tag)
            }
        }
    }

    private static func refusal(ofCopyTo path: String) -> Failure? {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            let message = "the daemon wants an absolute path"
            return Failure(
                .invalid, "1 field is wrong: directory",
                .fields([FieldError(field: "directory", rule: .malformed, message: message)]))
        }
        guard access(path, F_OK) != 0 else {
            return Failure(.exists, "\(path) exists already; name a new directory", .field("directory"))
        }
        return nil
    }

    /// What a client is told when storage failed under its request, which is traced as well.
    func failure(_ error: StorageError) -> Failure {
        switch error {
        case .corrupt:
            dependency.trace.say("corrupt", ["reason": "\(error)"])
        case .full: break
        case .failed(let reason), .held(let reason):
            dependency.trace.say("storage-error", ["reason": reason])
        }
        return .storage(error)
    }
}

/// Tells threads of their own to come to an end.
final class EndFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }
}
