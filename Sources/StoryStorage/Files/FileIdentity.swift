import CLMDB
import Glibc
package import StoryCore

/// The number of a file and the time it was made, which a copy of the file does not share.
///
/// A file that is renamed keeps both. A snapshot of a whole file system has both as well.
package struct FileIdentity: Equatable, Sendable {
    /// The inode's number, unique in one file system.
    package let inode: UInt64
    /// Nanoseconds since 1970; 0 where the file system does not keep it.
    package let birthNanoseconds: Int64

    package init(inode: UInt64, birthNanoseconds: Int64) {
        self.inode = inode
        self.birthNanoseconds = birthNanoseconds
    }

    /// The identity of an open file.
    ///
    /// - Throws: `.failed` where the system refuses to tell it.
    package init(_ descriptor: Int32) throws(StorageError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError.from(errno, "looking at a file") }
        inode = UInt64(status.st_ino)
        birthNanoseconds = clm_birth(descriptor)
    }

    /// False where the other identity is that of another file. A time that is not known says nothing.
    package func isSame(as other: FileIdentity) -> Bool {
        let knowsBoth = birthNanoseconds != 0 && other.birthNanoseconds != 0
        return inode == other.inode && (!knowsBoth || birthNanoseconds == other.birthNanoseconds)
    }
}

extension FileHandle {
    /// The identity of the file.
    ///
    /// - Throws: `.failed` where the system refuses to tell it.
    package func identity() throws(StorageError) -> FileIdentity { try FileIdentity(descriptor) }
}

extension Environment {
    /// The identity of `data.mdb`.
    ///
    /// - Throws: `.failed` where the system refuses to tell it.
    package func fileIdentity() throws(StorageError) -> FileIdentity { try FileIdentity(fileDescriptor) }
}

extension WriteTransaction {
    /// The identity of the `data.mdb` that is written.
    ///
    /// - Throws: `.failed` where the system refuses to tell it.
    package borrowing func fileIdentity() throws(StorageError) -> FileIdentity {
        var descriptor: Int32 = -1
        mdb_env_get_fd(mdb_txn_env(handle), &descriptor)
        return try FileIdentity(descriptor)
    }
}
