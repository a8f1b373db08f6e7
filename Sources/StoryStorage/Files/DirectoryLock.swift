import Glibc
package import StoryCore

/// The right to be the only process at a data directory: a lock on its file `lock`, which names the holder.
struct DirectoryLock: ~Copyable {
    private let file: FileHandle

    /// Throws `.held`, naming the process, when another one has it.
    init(_ folder: String) throws(StorageError) {
        let path = folder + "/lock"
        var file = try DirectoryLock.locked(path, folder)
        // Whoever gave a new directory up may have removed the file that was opened just before.
        while try !DirectoryLock.isNamed(file, path) { file = try DirectoryLock.locked(path, folder) }
        DirectoryLock.name(file, path)
        self.file = file
    }

    /// Writes this process's number into the file, for a person: a full disk may have no room for it.
    private static func name(_ file: borrowing FileHandle, _ path: String) {
        guard ftruncate(file.descriptor, 0) == 0 else { return }
        do throws(StorageError) { try file.write(Array("\(getpid())\n".utf8), to: path) } catch {}
    }

    /// Keeps daemons from a directory that this process can only read, and so without LMDB's table of readers: a daemon
    /// that writes it, from where it can be written, would overwrite what is read.
    ///
    /// - Returns: nil where no daemon ever was.
    /// - Throws: `.held` while one serves it.
    static func keepingDaemonsAway(_ folder: String) throws(StorageError) -> DirectoryLock? {
        guard Folder.isThere(folder + "/lock") else { return nil }
        do throws(StorageError) {
            return DirectoryLock(
                file: try locked(folder + "/lock", folder, flags: O_RDONLY | O_NOFOLLOW, LOCK_SH | LOCK_NB))
        } catch {
            guard case .held(let reason) = error else { throw error }
            throw .held(
                "\(reason), and can only be read here, where the holder sees no reader: ask it by its socket, or mount the "
                    + "directory writable")
        }
    }

    private init(file: consuming FileHandle) { self.file = file }

    /// The lock is given up, not just closed: a child that is being started has a copy of every descriptor until it
    /// runs its program, and would hold the lock for so long.
    deinit { flock(file.descriptor, LOCK_UN) }

    private static func locked(
        _ path: String, _ folder: String, flags: Int32 = O_RDWR | O_CREAT | O_NOFOLLOW,
        _ operation: Int32 = LOCK_EX | LOCK_NB
    ) throws(StorageError) -> FileHandle {
        let file = try FileHandle(path, flags)
        while flock(file.descriptor, operation) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw SystemError.from(errno, "locking \(path)") }
            throw .held("\(folder) is held by \(try holder(file, path))")
        }
        return file
    }

    /// True when the path leads to the file.
    private static func isNamed(_ file: borrowing FileHandle, _ path: String) throws(StorageError) -> Bool {
        let status = try file.status(path)
        var named = stat()
        return stat(path, &named) == 0 && (named.st_dev, named.st_ino) == (status.st_dev, status.st_ino)
    }

    private static func holder(_ file: borrowing FileHandle, _ path: String) throws(StorageError) -> String {
        let digits = try file.read(20, at: 0, of: path).prefix { (0x30...0x39).contains($0) }
        // The holder may be just about to write it.
        return digits.isEmpty ? "another process" : "process \(String(decoding: digits, as: UTF8.self))"
    }
}

/// A data directory that no daemon serves, and none begins to, whatever is in it.
package final class DirectoryHold {
    /// None where the file system can only be read, and no daemon ever was there.
    private let lock: DirectoryLock?

    /// - Throws: `.held` when another process has it, `.failed` where there is none.
    package init(_ path: String) throws(StorageError) {
        guard Folder.exists(path) else { throw .failed("there is no data directory at \(path)") }
        lock = try Folder.isReadOnly(path) ? DirectoryLock.keepingDaemonsAway(path) : DirectoryLock(path)
    }
}
