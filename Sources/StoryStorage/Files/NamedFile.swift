import CLMDB
import Glibc
package import StoryCore

/// The device and inode of the file that a path leads to: the path may lead to another file while this one is open.
package struct NamedFile: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Looks up the file that a path leads to; nil when there is none.
    package init?(at path: String) {
        // `withCString` avoids a copy of the string, since each commit calls this.
        guard let file = path.withCString({ NamedFile(CLM_HERE, $0) }) else { return nil }
        self = file
    }

    /// Looks up the file of a descriptor; nil when the system refuses.
    package init?(of descriptor: Int32) { self.init(descriptor, "") }

    private init?(_ folder: Int32, _ path: UnsafePointer<CChar>) {
        var name = clm_name()
        guard clm_identify(folder, path, &name) else { return nil }
        (device, inode) = (name.device, name.inode)
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
    /// Returns the size of the file in bytes, without a look at its times: the next sync would take longer.
    package func size(_ path: String) throws(StorageError) -> Int {
        let size = clm_size(descriptor)
        guard size >= 0 else { throw SystemError.from(errno, "looking at \(path)") }
        return Int(size)
    }

    /// The device and inode of the file; nil when the system refuses.
    package var identity: NamedFile? { NamedFile(of: descriptor) }

    /// Returns true when the path leads to the file.
    package func isNamed(_ path: String) -> Bool {
        guard let file = identity else { return false }
        return NamedFile(at: path) == file
    }
}

/// The inode number and birth time of a file, which a copy of the file does not share.
package struct FileIdentity: Equatable, Sendable {
    /// The inode's number, unique in one file system.
    package let inode: UInt64
    /// The birth time in nanoseconds since 1970; 0 when the file system does not keep it.
    package let birthNanoseconds: Int64

    /// Creates an identity from its parts.
    package init(inode: UInt64, birthNanoseconds: Int64) {
        self.inode = inode
        self.birthNanoseconds = birthNanoseconds
    }

    /// Reads the identity of an open file.
    ///
    /// - Throws: `.failed` when the system refuses.
    package init(_ descriptor: Int32) throws(StorageError) {
        var name = clm_name()
        guard clm_identify(descriptor, "", &name) else { throw SystemError.from(errno, "looking at a file") }
        inode = name.inode
        birthNanoseconds = clm_birth(descriptor)
    }

    /// Returns false when the identities are of different files; a birth time of 0 is not compared.
    package func isSame(as other: FileIdentity) -> Bool {
        let knowsBoth = birthNanoseconds != 0 && other.birthNanoseconds != 0
        return inode == other.inode && (!knowsBoth || birthNanoseconds == other.birthNanoseconds)
    }
}
