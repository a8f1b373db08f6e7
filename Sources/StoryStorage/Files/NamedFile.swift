import Glibc
import StoryCore

/// The device and inode of the file that a path leads to: the path may lead to another file while this one is open.
struct NamedFile: Hashable, Sendable {
    private let device: UInt
    private let inode: UInt

    init(_ status: stat) {
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
    }

    /// Looks up the file that a path leads to; nil when there is none.
    init?(at path: String) {
        var status = stat()
        // `withCString` avoids a copy of the string, since each commit calls this.
        guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
        self.init(status)
    }

    /// Looks up the file of a descriptor; nil when the system refuses.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }
}

/// A lock of a whole file (`flock`), which belongs to a descriptor.
struct FileLock: ~Copyable {
    let file: FileHandle

    /// Locks a file with `flock`, without waiting; nil when another process holds the lock.
    ///
    /// - Throws: `.failed` when the system refuses.
    init?(_ operation: Int32, on file: consuming FileHandle, of path: String) throws(StorageError) {
        self.file = file
        guard try FileLock.take(operation, on: self.file.descriptor, of: path) else { return nil }
    }

    deinit { FileLock.giveUp(file.descriptor) }

    /// Releases the lock of a descriptor that is about to be closed.
    ///
    /// Closing it is not enough: a child that is being started has a copy of every descriptor until it runs its
    /// program, and would hold the lock until then.
    static func giveUp(_ descriptor: Int32) { flock(descriptor, LOCK_UN) }

    /// Locks a descriptor that its owner closes; false when another process holds the lock.
    ///
    /// - Throws: `.failed` when the system refuses.
    static func take(_ operation: Int32, on descriptor: Int32, of path: String) throws(StorageError) -> Bool {
        while flock(descriptor, operation | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw SystemError.from(errno, "locking \(path)") }
            return false
        }
        return true
    }
}

extension FileHandle {
    /// Returns true when the path leads to the file.
    package func isNamed(_ path: String) -> Bool {
        guard let file = NamedFile(of: descriptor) else { return false }
        return NamedFile(at: path) == file
    }
}
