package import StoryCore

/// The commit cycle: what was appended, what of it is durable, and what is done about it next.
///
/// It is the only place where a commit, a release of replies, a rollback or the end of the process is decided. Each
/// method is an input, named for what happened, and returns what the shell has to do. Once it is stopped, no input
/// leads to anything: nothing leaves, nothing is published, no job and no checkpoint starts.
package struct Turn: Equatable, Sendable {
    /// Where the cycle stands.
    package enum State: Equatable, Sendable {
        /// Everything that was appended is durable.
        case idle
        /// Events up to `head` wait for a commit.
        case open(head: Position)
        /// An append failed: what is not durable is rolled back when the turn ends.
        case failing(StorageError)
        /// A commit is under way; `next` follows it.
        case committing(through: Position, next: Next)
        /// What was not durable is being forgotten.
        case rollingBack(StorageError)
        /// The process has to end: nobody knows what the disk or the models hold.
        case stopped(StorageError)
    }

    /// What follows a commit that succeeds.
    package enum Next: Equatable, Sendable {
        /// Nothing: no event was appended meanwhile.
        case nothing
        /// One more commit: events up to `head` were appended meanwhile.
        case commit(head: Position)
        /// A rollback: an append failed meanwhile.
        case rollBack(StorageError)
    }

    /// What the shell has to do.
    package enum Action: Equatable, Sendable {
        case none
        /// Make durable what was appended, and tell `commitFinished`; before that `commitDelayed`, if it ends later.
        case commit
        /// Send what rests on events up to here.
        case release(through: Position)
        /// Forget what is not durable, and tell `rollBackFinished`.
        case rollBack(StorageError)
        /// End the process with exit code 5; nothing that is waiting leaves.
        case stop(StorageError)
    }

    package private(set) var state = State.idle { didSet { takesAppends = state.takesAppends } }
    /// True when an event that is appended now could become durable. Kept, because each event asks for it.
    package private(set) var takesAppends = true
    /// The last event that is durable.
    package private(set) var durable: Position

    package init(durable: Position) { self.durable = durable }

    /// Where a checkpoint may begin: everything that was folded is durable. Nil while it is not, or once it is stopped.
    package var quietPosition: Position? {
        switch state {
        case .idle: durable
        case .open, .failing, .committing, .rollingBack, .stopped: nil
        }
    }

    /// Why the process has to end; nil while it goes on.
    package var stopReason: StorageError? {
        switch state {
        case .stopped(let error): error
        case .idle, .open, .failing, .committing, .rollingBack: nil
        }
    }

    // MARK: Inputs

    /// The log took events up to this position.
    package mutating func appended(through head: Position) -> Action {
        switch state {
        case .idle, .open: state = .open(head: head)
        case .committing(let through, .nothing), .committing(let through, .commit):
            state = .committing(through: through, next: .commit(head: head))
        case .committing(_, .rollBack), .failing, .rollingBack, .stopped: break
        }
        return .none
    }

    /// The log did not take an event; those before it are folded into the models.
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

    /// Everything that one poll brought was handled.
    ///
    /// - Parameter isGathering: whether more is expected at once, for which the commit waits.
    package mutating func turnEnded(isGathering: Bool = false) -> Action {
        switch state {
        case .idle, .committing: return .release(through: durable)
        case .open(let head):
            guard !isGathering else { return .release(through: durable) }
            state = .committing(through: head, next: .nothing)
            return .commit
        case .failing(let error):
            state = .rollingBack(error)
            return .rollBack(error)
        case .rollingBack, .stopped: return .none
        }
    }

    /// The commit goes on beside the loop; what rests on what is durable already can leave.
    package mutating func commitDelayed() -> Action {
        switch state {
        case .committing: .release(through: durable)
        case .idle, .open, .failing, .rollingBack, .stopped: .none
        }
    }

    /// The commit that was asked for ended. Where it failed for want of space, none of its events is durable.
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

    /// Log and models are as they were when `durable` became so, or it is unknown what they are.
    package mutating func rollBackFinished(_ result: Result<Void, StorageError>) -> Action {
        guard case .rollingBack = state else { return .none }
        switch result {
        case .success:
            state = .idle
            return .release(through: durable)
        case .failure(let error): return storageFailed(error)
        }
    }

    /// The log did not take over what its journal holds. For want of space nothing is lost.
    package mutating func flushFailed(_ error: StorageError) -> Action {
        error.isFull ? .none : storageFailed(error)
    }

    /// Reading or writing log or models failed in a way that nobody can go on from.
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
    /// True when nothing was written for want of space, and writing may be tried again.
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
