import StoryStorage
import StoryCore

/// Remembers the first failure after which it is unknown what the disk holds: from then on nothing is committed and
/// nothing is flushed.
///
/// It belongs to the thread that appends.
final class FailStop {
    private(set) var cause: StorageError?

    /// - Throws: the failure, once there was one.
    func check() throws(StorageError) {
        if let cause { throw cause }
    }

    /// Takes note of a failure and returns it; a disk that is full is none.
    func noted(_ error: StorageError) -> StorageError {
        if case .full = error { return error }
        cause = cause ?? error
        return error
    }
}
