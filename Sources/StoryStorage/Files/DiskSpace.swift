import CLMDB
import Glibc

/// The room on a disk.
package enum DiskSpace {
    private static let probe = [UInt8](repeating: 0, count: 1 << 16)

    /// The bytes that the process's user may still write on the file system of a path; nil where that is unknown.
    package static func free(at path: String) -> UInt64? {
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return nil }
        return UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
    }

    /// Returns true when a file cannot grow, because the disk, a quota or the process's limit is used up.
    ///
    /// If it can grow, it does, by zeros that are overwritten later.
    static func isExhausted(_ descriptor: Int32) -> Bool {
        let size = clm_size(descriptor)
        guard size >= 0 else { return false }
        let count = pwrite(descriptor, probe, probe.count, off_t(size))
        if count >= 0 { return count < probe.count }
        return errno == ENOSPC || errno == EDQUOT || errno == EFBIG
    }
}
