/// The end of a commit.
///
/// A commit whose outcome is unknown has not ended: it stays under way, and the same entry is tried again.
package enum CommitEnd: Equatable, Sendable {
    /// Its events are in the log for good.
    case acknowledged
    /// None of its events is in the log, nor will be: they are undone, and clients get this failure.
    case refused(Failure)
    /// The state of the log is unknown, and the process has to end.
    case failed(StorageError)

    /// The end of a commit that failed with an error.
    package init(_ error: StorageError) {
        self = error.refusal.map { .refused($0) } ?? .failed(error)
    }
}

extension StorageError {
    /// The failure that clients get where nothing was written for lack of space; nil for an error that ends the process.
    package var refusal: Failure? {
        switch self {
        case .full: Failure(.full, "\(self); nothing was written")
        case .corrupt, .failed, .held: nil
        }
    }
}
