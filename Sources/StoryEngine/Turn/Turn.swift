package import StoryCore

/// The commit cycle: a state machine over the events that are appended, acknowledged and stored, and the next step.
///
/// An event is **acknowledged** once it is in the log for good, so that replies which rest on it may leave, and
/// **stored** once this process can read it back after a restart, so that checkpoints may contain it. A commit into the
/// own journal does both at once; an entry that came from elsewhere is acknowledged first. On a node of a cluster every
/// entry is, and the node stores it beside the cycle.
///
/// The machine alone decides on a commit, a release of replies, a rollback and the end of the process. Each method is an
/// input, named for the event that happened, and returns the action for the shell. Once it is stopped, no input has an
/// effect: nothing is sent or published, and no job and no checkpoint starts.
package struct Turn: Equatable, Sendable {
    /// The state of the cycle.
    package enum State: Equatable, Sendable {
        /// Everything that was appended is committed.
        case idle
        /// Events up to `head` wait for a commit.
        case open(head: Position)
        /// An append was refused, or not folded: everything that is not acknowledged is rolled back when the turn ends.
        case failing(Failure)
        /// A commit is in progress, or its outcome is unknown; `next` follows it.
        case committing(through: Position, next: Next)
        /// A rollback of everything that was not acknowledged is in progress.
        case rollingBack(Failure)
        /// The process has to end: the state of the disk or of the models is unknown.
        case stopped(StorageError)
    }

    /// The step after a commit that succeeds.
    package enum Next: Equatable, Sendable {
        /// Nothing: no event was appended meanwhile.
        case nothing
        /// One more commit: events up to `head` were appended meanwhile.
        case commit(head: Position)
        /// A rollback: an append was refused meanwhile.
        case rollBack(Failure)
    }

    /// The action for the shell.
    package enum Action: Equatable, Sendable {
        case none
        /// Commit the appended events, then call `commitEnded`.
        case commitInline
        /// Begin to commit them on the worker and call `commitDelayed`; call `commitEnded` when that has ended.
        case commitOnWorker
        /// Send replies that rest on events up to here.
        case release(through: Position)
        /// Roll back everything that is not acknowledged, reply with this failure, then call `rollBackFinished`.
        case rollBack(Failure)
        /// Wait before the next commit: there was no room to store events that are acknowledged, so none is undone.
        case storeLater(Failure)
        /// End the process with exit code 5; no waiting reply is sent.
        case stop(StorageError)
    }

    /// The present state of the cycle.
    package private(set) var state = State.idle { didSet { takesAppends = state.takesAppends } }
    /// True if an event that is appended now could be acknowledged. Stored, since each append reads it.
    package private(set) var takesAppends = true
    /// The last event that is acknowledged.
    package private(set) var acknowledged: Position
    /// The last event that is stored.
    package private(set) var stored: Position

    /// True where entries are stored beside the cycle, once they are acknowledged.
    private let storesBeside: Bool

    /// Creates an idle cycle at the end of a log that is stored.
    ///
    /// - Parameters:
    ///   - stored: the last event of the log.
    ///   - storesBeside: whether entries are stored beside the cycle, once they are acknowledged.
    package init(stored: Position, storesBeside: Bool = false) {
        (acknowledged, self.stored, self.storesBeside) = (stored, stored, storesBeside)
    }

    /// The position at which a checkpoint may begin: everything that was folded is stored. Nil while it is not, or once
    /// the cycle is stopped.
    package var checkpointPosition: Position? {
        switch state {
        case .idle: stored == acknowledged ? stored : nil
        case .open, .failing, .committing, .rollingBack, .stopped: nil
        }
    }

    /// True while entries from elsewhere can follow: every event that was appended is acknowledged.
    package var takesEntries: Bool {
        switch state {
        case .idle: true
        case .open(let head), .committing(let head, .nothing), .committing(_, .commit(let head)): head == acknowledged
        case .committing(_, .rollBack), .failing, .rollingBack, .stopped: false
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

    /// Notes that the log took events up to this position, which were decided here.
    package mutating func appended(through head: Position) -> Action {
        switch state {
        case .idle, .open: state = .open(head: head)
        case .committing(let through, .nothing), .committing(let through, .commit):
            state = .committing(through: through, next: .commit(head: head))
        case .committing(_, .rollBack), .failing, .rollingBack, .stopped: break
        }
        return .none
    }

    /// Notes that the log took an entry from elsewhere up to this position, while `takesEntries`.
    package mutating func arrived(through head: Position) -> Action {
        guard takesEntries else { return .none }
        acknowledged = head
        return storesBeside ? .none : appended(through: head)
    }

    /// Notes that the log refused an event; those before it are folded into the models.
    package mutating func appendFailed(_ error: StorageError) -> Action {
        guard let failure = error.refusal else { return storageFailed(error) }
        return foldFailed(failure)
    }

    /// The journal has no room for events. Those that are acknowledged stay, and are stored later; others are undone.
    package mutating func spaceRefused(_ error: StorageError) -> Action {
        guard storesBeside else { return appendFailed(error) }
        return error.refusal.map { .storeLater($0) } ?? storageFailed(error)
    }

    /// Notes that an event could not be folded, and is in the log's memory alone; the models may have a part of it.
    ///
    /// - Parameter failure: the reply to the writes that are undone.
    package mutating func foldFailed(_ failure: Failure) -> Action {
        switch state {
        case .idle, .open: state = .failing(failure)
        case .committing(let through, .nothing), .committing(let through, .commit):
            state = .committing(through: through, next: .rollBack(failure))
        case .committing(_, .rollBack), .failing, .rollingBack, .stopped: break
        }
        return .none
    }

    /// Notes that another node may lead: events that were decided here, and that no commit has, are undone.
    ///
    /// - Parameter failure: the reply to the writes that are undone.
    package mutating func leadLost(_ failure: Failure) -> Action {
        guard case .open(let head) = state, head > acknowledged else { return .none }
        return foldFailed(failure)
    }

    /// Begins a commit or a rollback after everything that one poll brought was handled.
    ///
    /// - Parameter decision: what the policy decided on the events that wait for a commit; no matter where none does.
    package mutating func turnEnded(_ decision: GroupCommitPolicy.Decision) -> Action {
        switch state {
        case .idle, .committing: return .release(through: acknowledged)
        case .open(let head):
            switch decision {
            case .wait: return .release(through: acknowledged)
            case .commitInline, .commitOnWorker:
                state = .committing(through: head, next: .nothing)
                return decision == .commitInline ? .commitInline : .commitOnWorker
            }
        case .failing(let failure):
            state = .rollingBack(failure)
            return .rollBack(failure)
        case .rollingBack, .stopped: return .none
        }
    }

    /// Releases replies that rest on acknowledged events, while the commit goes on asynchronously.
    package mutating func commitDelayed() -> Action {
        switch state {
        case .committing: .release(through: acknowledged)
        case .idle, .open, .failing, .rollingBack, .stopped: .none
        }
    }

    /// Notes that events up to this position can be read back after a restart.
    package mutating func stored(through position: Position) {
        if stopReason == nil { stored = max(stored, position) }
    }

    /// Takes the end of the commit. As long as its outcome is unknown it has none, and stays in progress.
    package mutating func commitEnded(_ end: CommitEnd) -> Action {
        guard case .committing(let through, let next) = state else { return .none }
        switch end {
        case .acknowledged:
            acknowledged = max(acknowledged, through)
            follow(next, otherwise: .idle)
            return .release(through: acknowledged)
        case .refused(let failure) where through <= acknowledged:
            follow(next, otherwise: .open(head: through))
            return .storeLater(failure)
        case .refused(let failure):
            state = .rollingBack(failure)
            return .rollBack(failure)
        case .failed(let error): return storageFailed(error)
        }
    }

    private mutating func follow(_ next: Next, otherwise: State) {
        switch next {
        case .nothing: state = otherwise
        case .commit(let head): state = .open(head: head)
        case .rollBack(let failure): state = .failing(failure)
        }
    }

    /// Takes the result of the rollback: the log is at `acknowledged` again, and the models are or will be; or the state of
    /// the disk is unknown.
    package mutating func rollBackFinished(_ result: Result<Void, StorageError>) -> Action {
        guard case .rollingBack = state else { return .none }
        switch result {
        case .success:
            state = stored < acknowledged && !storesBeside ? .open(head: acknowledged) : .idle
            return .release(through: acknowledged)
        case .failure(let error): return storageFailed(error)
        }
    }

    /// Stops the process if a flush of the journal failed, except for lack of space, which loses nothing.
    package mutating func flushFailed(_ error: StorageError) -> Action {
        error.refusal == nil ? storageFailed(error) : .none
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

extension Turn.State {
    fileprivate var takesAppends: Bool {
        switch self {
        case .idle, .open, .committing(_, .nothing), .committing(_, .commit): true
        case .committing(_, .rollBack), .failing, .rollingBack, .stopped: false
        }
    }
}
