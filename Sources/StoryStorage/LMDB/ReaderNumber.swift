import Glibc

/// The number by which LMDB knows a reading process: the process number, held by a lock on the byte at that offset of
/// `lock.mdb`.
package enum ReaderNumber {
    /// Returns true when another process holds this one's number in a data directory; it runs in another PID namespace.
    ///
    /// This process must have no environment of the directory open: closing the file here drops its locks.
    package static func isTaken(in directory: String) -> Bool {
        ["/log", "/models"].contains { isLocked(directory + $0 + "/lock.mdb") }
    }

    private static func isLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(getpid())
        lock.l_len = 1
        return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }
}
