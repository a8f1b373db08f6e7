import Glibc
package import StoryCore

/// The lock of a data directory, held by its only process: a lock on the directory itself, and one on its file `lock`.
///
/// The directory itself is locked, so that another process finds it locked whichever files are removed in it or put
/// back. Earlier programs lock only the file; it names the holder for a person.
struct DirectoryLock: ~Copyable {
    private let path: String
    private let folder: FileLock
    /// The lock of the file; nil when the disk had no room for it, or the directory is read-only and never had a
    /// daemon.
    private var file: FileLock?

    /// Locks the directory and its file.
    ///
    /// - Parameter folder: the directory, open.
    /// - Throws: `.held`, naming the process, when another one holds it; `.failed` when it was removed meanwhile.
    static func take(_ folder: consuming FileHandle, _ path: String) throws(StorageError) -> DirectoryLock {
        var lock = DirectoryLock(path: path, folder: try locked(folder, LOCK_EX, path))
        try lock.checkName()
        try lock.lockFile()
        return lock
    }

    /// Keeps daemons from a directory that this process can only read, by a shared lock.
    ///
    /// Such a process reads without LMDB's reader table. A daemon that has the directory mounted writable would
    /// overwrite the pages that are being read.
    ///
    /// - Throws: `.held` while a daemon serves it.
    static func keepingDaemonsAway(
        from folder: consuming FileHandle, _ path: String
    ) throws(StorageError) -> DirectoryLock {
        do throws(StorageError) {
            var lock = DirectoryLock(path: path, folder: try locked(folder, LOCK_SH, path))
            guard Folder.isThere(path + "/lock") else { return lock }
            lock.file = try locked(FileHandle(path + "/lock", O_RDONLY | O_NOFOLLOW), LOCK_SH, path)
            return lock
        } catch {
            guard case .held(let reason) = error else { throw error }
            throw .held(
                "\(reason), and can only be read here, where the holder sees no reader: ask it by its socket, or mount the "
                    + "directory writable")
        }
    }

    /// Checks that the directory was not moved, and makes and locks the file `lock` again if it was removed.
    ///
    /// - Throws: `.held` when another process has the file, `.failed` when the path leads elsewhere.
    mutating func renew() throws(StorageError) {
        try checkName()
        if file?.file.isNamed(path + "/lock") == true { return }
        try lockFile()
    }

    /// Checks that the path still leads to the locked directory.
    ///
    /// - Throws: `.failed` when it leads elsewhere.
    private borrowing func checkName() throws(StorageError) {
        guard !folder.file.isNamed(path) else { return }
        throw .failed("\(path) was moved or removed, and something else may be served there")
    }

    /// Locks the file, for programs that lock only that. When there is no room to create it, they cannot create it
    /// either.
    private mutating func lockFile() throws(StorageError) {
        let name = path + "/lock"
        do throws(StorageError) {
            var taken = try opened(name)
            // A process that discards a new directory may have removed the file that was opened just before.
            while !taken.file.isNamed(name) { taken = try opened(name) }
            DirectoryLock.name(taken.file, name)
            file = consume taken
        } catch {
            guard case .full = error else { throw error }
            file = nil
        }
    }

    private borrowing func opened(_ name: String) throws(StorageError) -> FileLock {
        try DirectoryLock.locked(FileHandle(name, O_RDWR | O_CREAT | O_NOFOLLOW), LOCK_EX, path)
    }

    /// Writes this process's number into the file, for a person; a full disk may have no room for it.
    private static func name(_ file: borrowing FileHandle, _ path: String) {
        guard ftruncate(file.descriptor, 0) == 0 else { return }
        do throws(StorageError) { try file.write(Array("\(getpid())\n".utf8), to: path) } catch {}
    }

    private static func locked(
        _ file: consuming FileHandle, _ operation: Int32, _ folder: String
    ) throws(StorageError) -> FileLock {
        guard let lock = try FileLock(operation, on: file, of: folder) else {
            throw .held("\(folder) is held by \(holder(folder))")
        }
        return lock
    }

    /// Names the process whose number is in the file; the number may not be written yet.
    private static func holder(_ folder: String) -> String {
        let path = folder + "/lock"
        do throws(StorageError) {
            let digits = try FileHandle(path, O_RDONLY | O_NOFOLLOW).read(20, at: 0, of: path)
                .prefix { (0x30...0x39).contains($0) }
            return digits.isEmpty ? "another process" : "process \(String(decoding: digits, as: UTF8.self))"
        } catch {
            return "another process"
        }
    }
}

/// A lock that keeps all daemons from a data directory, whatever is in it.
package final class DirectoryHold {
    private let lock: DirectoryLock

    /// Locks a directory.
    ///
    /// - Throws: `.held` when another process holds it, `.failed` when it does not exist.
    package init(_ path: String) throws(StorageError) {
        guard Folder.exists(path) else { throw .failed("there is no data directory at \(path)") }
        let folder = try FileHandle(path, O_RDONLY | O_DIRECTORY)
        lock =
            try Folder.isReadOnly(path)
            ? DirectoryLock.keepingDaemonsAway(from: folder, path) : DirectoryLock.take(folder, path)
    }
}
