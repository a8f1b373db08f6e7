import CLMDB
import Glibc
package import StoryCore

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
