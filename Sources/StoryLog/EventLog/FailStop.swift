import StoryStorage
import StoryCore

/// A latch for the first error after which the state of the disk is unknown: from then on no commit and no flush
/// begins.
///
/// It belongs to the thread that appends.
final class FailStop {
    private(set) var cause: StorageError?

    /// Throws the recorded error, if there is one.
    func check() throws(StorageError) {
        if let cause { throw cause }
    }

    /// Records an error and returns it; `.full` is not recorded.
    func noted(_ error: StorageError) -> StorageError {
        if case .full = error { return error }
        cause = cause ?? error
        return error
    }
}
