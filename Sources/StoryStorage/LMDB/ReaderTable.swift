import CLMDB
import Glibc
import StoryCore

/// The file `lock.mdb` with LMDB's mutexes and reader table, prepared before LMDB opens it.
///
/// LMDB writes it through a shared map, and creates it without blocks: on a full disk the first write to a page would
/// end the process with SIGBUS. Here each page gets its block before the file is mapped.
enum ReaderTable {
    /// The sizes of a reader slot and of the rest, in bytes.
    private static let (readerSize, headSize) = (64, 128)

    /// Creates the file if it is missing, and allocates all its blocks.
    ///
    /// On a full disk, a process that writes the environment takes the blocks from the room that a flush reserved and
    /// did not need.
    ///
    /// - Parameters:
    ///   - folder: the environment's folder, which this process does not have open.
    ///   - readers: the number of reader slots.
    ///   - isWriter: true when no other process writes the environment.
    /// - Throws: `.full` when the disk has no room for it, `.failed` when it cannot be opened.
    static func prepare(in folder: String, readers: UInt32, isWriter: Bool) throws(StorageError) {
        do throws(StorageError) {
            try prepare(in: folder, readers)
        } catch {
            guard case .full = error, isWriter, try trim(folder + "/data.mdb") else { throw error }
            try prepare(in: folder, readers)
        }
    }

    /// Truncates a file after its last page; false when nothing is behind it.
    private static func trim(_ path: String) throws(StorageError) -> Bool {
        guard Folder.exists(path) else { return false }
        let file = try FileHandle(path, O_RDWR | O_NOFOLLOW)
        let meta = try MetaPage.newest(file, path)
        let used = (Int(meta.lastPage) + 1) * meta.pageSize
        return try file.size(path) > used && ftruncate(file.descriptor, off_t(used)) == 0
    }

    private static func prepare(in folder: String, _ readers: UInt32) throws(StorageError) {
        let path = folder + "/lock.mdb"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // A read-only file system is read without the reader table.
        guard descriptor >= 0 || errno != EROFS else { return }
        let file = try FileHandle(opened: descriptor, path)
        // A file that is copied on write is from an earlier program. Its content is of no use to the first process that
        // opens the environment.
        if file.isCopiedOnWrite, isAlone(file) { ftruncate(file.descriptor, 0) }
        file.writeInPlace()
        let status = try file.status(path)
        let size = max(Int(status.st_size), headSize + Int(readers) * readerSize)
        guard Int(status.st_blocks) * 512 < size else { return }
        let code = posix_fallocate(file.descriptor, 0, off_t(size))
        guard SystemError.isRefusal(ofSpace: code) else { return }
        // Other files need the blocks that were allocated.
        if isAlone(file) { ftruncate(file.descriptor, 0) }
        throw SystemError.from(code, "making room for \(path)")
    }

    /// Returns true when no process has the environment open; none can open it then before the file is closed here.
    private static func isAlone(_ file: borrowing FileHandle) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_len = 1
        return fcntl(file.descriptor, F_SETLK, &lock) == 0
    }
}

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
