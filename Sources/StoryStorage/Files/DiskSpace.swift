import Glibc

/// A test for room on the disk, by a write.
enum DiskSpace {
    private static let probe = [UInt8](repeating: 0, count: 1 << 16)

    /// Returns true when a file cannot grow, because the disk, a quota or the process's limit is used up.
    ///
    /// If it can grow, it does, by zeros that are overwritten later.
    static func isExhausted(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        let count = pwrite(descriptor, probe, probe.count, status.st_size)
        if count >= 0 { return count < probe.count }
        return errno == ENOSPC || errno == EDQUOT || errno == EFBIG
    }
}
