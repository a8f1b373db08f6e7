import StoryCore
import StoryWire

/// The requests that wait until everything up to a position is stored: of the built-in kinds, and of the declared
/// models that answer.
final class CheckpointRequests {
    private struct Waiter {
        let connection: Connection
        let tag: Tag?
        let position: Position
    }

    private let kinds: Checkpoints
    private let declared: DeclaredModels
    private var waiters: [Waiter] = []

    init(_ kinds: Checkpoints, _ declared: DeclaredModels) { (self.kinds, self.declared) = (kinds, declared) }

    private var all: [Checkpoints] { [kinds] + declared.checkpoints }

    /// Makes a request wait until everything up to a position is stored.
    func wait(for position: Position, _ tag: Tag?, _ connection: Connection) {
        waiters.append(Waiter(connection: connection, tag: tag, position: position))
        for checkpoints in all {
            checkpoints.forgetFailure()
            checkpoints.ask(through: position)
        }
    }

    /// Returns the waiting requests that can be replied to now.
    func answers() -> [JobAnswer] {
        guard !waiters.isEmpty else { return [] }
        let all = all
        var answers: [JobAnswer] = []
        waiters.removeAll { waiter in
            // A model may have begun to answer since the request came.
            for checkpoints in all { checkpoints.ask(through: waiter.position) }
            guard let reply = reply(to: waiter, all) else { return false }
            answers.append(JobAnswer(connection: waiter.connection, tag: waiter.tag, reply: reply))
            return true
        }
        return answers
    }

    private func reply(to waiter: Waiter, _ all: [Checkpoints]) -> Reply? {
        let missing = all.filter { $0.checkpointed < waiter.position }
        if let failure = missing.lazy.compactMap(\.failure).first {
            return .failed(CheckpointRequests.refusal(failure))
        }
        guard missing.isEmpty else { return nil }
        let stored = all.map(\.checkpointed.value).min() ?? waiter.position.value
        return .done(.members([Member("position", .count(stored))]))
    }

    private static func refusal(_ error: StorageError) -> Failure {
        let message = "the models were not written: \(error)"
        switch error {
        case .full: return Failure(.full, message)
        case .corrupt, .failed, .held: return Failure(.internal, message)
        }
    }
}
