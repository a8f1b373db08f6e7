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
        guard let file = try? FileHandle(path, O_RDONLY | O_NOFOLLOW) else { return false }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(getpid())
        lock.l_len = 1
        return fcntl(file.descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }
}
