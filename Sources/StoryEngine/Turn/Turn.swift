package import StoryCore

/// The commit cycle: a state machine over the appended events, the durable ones and the next step.
///
/// It alone decides on a commit, a release of replies, a rollback and the end of the process. Each method is an input,
/// named for the event that happened, and returns the action for the shell. Once it is stopped, no input has an effect:
/// nothing is sent or published, and no job and no checkpoint starts.
package struct Turn: Equatable, Sendable {
    /// The state of the cycle.
    package enum State: Equatable, Sendable {
        /// Everything that was appended is durable.
        case idle
        /// Events up to `head` wait for a commit.
        case open(head: Position)
        /// An append failed: everything that is not durable is rolled back when the turn ends.
        case failing(StorageError)
        /// A commit is in progress; `next` follows it.
        case committing(through: Position, next: Next)
        /// A rollback of everything that was not durable is in progress.
        case rollingBack(StorageError)
        /// The process has to end: the state of the disk or of the models is unknown.
        case stopped(StorageError)
    }

    /// The step after a commit that succeeds.
    package enum Next: Equatable, Sendable {
        /// Nothing: no event was appended meanwhile.
        case nothing
        /// One more commit: events up to `head` were appended meanwhile.
        case commit(head: Position)
        /// A rollback: an append failed meanwhile.
        case rollBack(StorageError)
    }

    /// The action for the shell.
    package enum Action: Equatable, Sendable {
        case none
        /// Make the appended events durable, then call `commitFinished`.
        case commitInline
        /// Begin to make them durable on the worker and call `commitDelayed`; call `commitFinished` when that has ended.
        case commitOnWorker
        /// Send replies that rest on events up to here.
        case release(through: Position)
        /// Roll back everything that is not durable, then call `rollBackFinished`.
        case rollBack(StorageError)
        /// End the process with exit code 5; no waiting reply is sent.
        case stop(StorageError)
    }

    /// The present state of the cycle.
    package private(set) var state = State.idle { didSet { takesAppends = state.takesAppends } }
    /// True if an event that is appended now could become durable. Stored, since each append reads it.
    package private(set) var takesAppends = true
    /// The last event that is durable.
    package private(set) var durable: Position

    /// Creates an idle cycle at the end of a log.
    package init(durable: Position) { self.durable = durable }

    /// The position at which a checkpoint may begin: everything that was folded is durable. Nil while it is not, or
    /// once the cycle is stopped.
    package var checkpointPosition: Position? {
        switch state {
        case .idle: durable
        case .open, .failing, .committing, .rollingBack, .stopped: nil
        }
    }

    /// The error that ends the process; nil unless the cycle is stopped.
    package var stopReason: StorageError? {
        switch state {
        case .stopped(let error): error
        case .idle, .open, .failing, .committing, .rollingBack: nil
        }
    }

    // MARK: Inputs

    /// Notes that the log took events up to this position.
    package mutating func appended(through head: Position) -> Action {
        switch state {
        case .idle, .open: state = .open(head: head)
        case .committing(let through, .nothing), .committing(let through, .commit):
            state = .committing(through: through, next: .commit(head: head))
        case .committing(_, .rollBack), .failing, .rollingBack, .stopped: break
        }
        return .none
    }

    /// Notes that the log refused an event; those before it are folded into the models.
    package mutating func appendFailed(_ error: StorageError) -> Action {
        guard error.isFull else { return storageFailed(error) }
        switch state {
        case .idle, .open: state = .failing(error)
        case .committing(let through, .nothing), .committing(let through, .commit):
            state = .committing(through: through, next: .rollBack(error))
        case .committing(_, .rollBack), .failing, .rollingBack, .stopped: break
        }
        return .none
    }

    /// Begins a commit or a rollback after everything that one poll brought was handled.
    ///
    /// - Parameter decision: what the policy decided on the events that wait for a commit; no matter where none does.
    package mutating func turnEnded(_ decision: GroupCommitPolicy.Decision) -> Action {
        switch state {
        case .idle, .committing: return .release(through: durable)
        case .open(let head):
            switch decision {
            case .wait: return .release(through: durable)
            case .commitInline, .commitOnWorker:
                state = .committing(through: head, next: .nothing)
                return decision == .commitInline ? .commitInline : .commitOnWorker
            }
        case .failing(let error):
            state = .rollingBack(error)
            return .rollBack(error)
        case .rollingBack, .stopped: return .none
        }
    }

    /// Releases replies that rest on durable events, while the commit goes on asynchronously.
    package mutating func commitDelayed() -> Action {
        switch state {
        case .committing: .release(through: durable)
        case .idle, .open, .failing, .rollingBack, .stopped: .none
        }
    }

    /// Takes the result of the commit. If it failed for lack of space, none of its events is durable.
    package mutating func commitFinished(_ result: Result<Void, StorageError>) -> Action {
        guard case .committing(let through, let next) = state else { return .none }
        switch result {
        case .success:
            durable = through
            switch next {
            case .nothing: state = .idle
            case .commit(let head): state = .open(head: head)
            case .rollBack(let error): state = .failing(error)
            }
            return .release(through: through)
        case .failure(let error):
            guard error.isFull else { return storageFailed(error) }
            state = .rollingBack(error)
            return .rollBack(error)
        }
    }

    /// Takes the result of the rollback: log and models are at `durable` again, or their state is unknown.
    package mutating func rollBackFinished(_ result: Result<Void, StorageError>) -> Action {
        guard case .rollingBack = state else { return .none }
        switch result {
        case .success:
            state = .idle
            return .release(through: durable)
        case .failure(let error): return storageFailed(error)
        }
    }

    /// Stops the process if a flush of the journal failed, except for lack of space, which loses nothing.
    package mutating func flushFailed(_ error: StorageError) -> Action {
        error.isFull ? .none : storageFailed(error)
    }

    /// Stops the process: reading or writing the log or the models failed without a way to recover.
    package mutating func storageFailed(_ error: StorageError) -> Action {
        switch state {
        case .idle, .open, .failing, .committing, .rollingBack:
            state = .stopped(error)
            return .stop(error)
        case .stopped: return .none
        }
    }
}

extension StorageError {
    /// True if nothing was written for lack of space, and the write may be tried again.
    package var isFull: Bool {
        switch self {
        case .full: true
        case .corrupt, .failed, .held: false
        }
    }
}

extension Turn.State {
    fileprivate var takesAppends: Bool {
        switch self {
        case .idle, .open, .committing(_, .nothing), .committing(_, .commit): true
        case .committing(_, .rollBack), .failing, .rollingBack, .stopped: false
        }
    }
}
