import StoryCore
import StoryStorage

/// The seals that are computed beside the loop, one at a time: clients with the role `read` may ask for them.
final class SealQueue {
    /// Takes a seal as text, or the error of computing it.
    typealias Answer = (Result<String, StorageError>) -> Void

    private let work: LogJobs
    private let starter: JobStarter
    private var waiting = FIFO<(position: Position, answer: Answer)>()
    private var running: (job: BackgroundJob<String>, answer: Answer)?

    init(_ work: LogJobs, starter: JobStarter) { (self.work, self.starter) = (work, starter) }

    /// Computes the seal at an acknowledged position, after those that were asked for before.
    func add(_ position: Position, then answer: @escaping Answer) {
        waiting.append((position, answer))
        begin()
    }

    /// Passes on a seal that is there, and begins the next one.
    func advance() {
        guard let (job, answer) = running, let result = job.result else { return }
        running = nil
        answer(result)
        begin()
    }

    private func begin() {
        guard running == nil, let next = waiting.next() else { return }
        running = (starter.start(work.seal(next.position)), next.answer)
    }

    /// Waits for the seal in progress, which reads files that are about to be closed.
    func end() {
        _ = running?.job.wait()
        running = nil
        waiting = FIFO()
    }
}

extension Reply {
    /// Creates the reply to `SEAL`.
    init(
        _ seal: Result<String, StorageError>, at position: Position, _ identity: LogIdentity, _ trace: Trace
    ) {
        switch seal {
        case .success(let seal):
            let ancestors = identity.ancestors.map { Member($0.id.description, .count($0.position.value)) }
            self = .done(
                .members([
                    Member("position", .count(position.value)), Member("seal", .text(seal)),
                    Member("log", .text(identity.id.description)), Member("ancestors", .object(ancestors)),
                ]))
        case .failure(let error): self = .failed(trace.failure(of: error))
        }
    }
}
