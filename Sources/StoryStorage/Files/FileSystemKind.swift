import CLMDB
import Glibc
import StoryCore

/// The kind of the file system that a data directory is on.
package enum FileSystemKind: Equatable, Sendable {
    /// A file system that keeps synced data when the machine stops.
    case disk
    /// A file system in memory, which is lost when the machine stops.
    case memory
    /// The layer of a container, which is lost when the container is removed.
    case overlay

    /// The refused file systems, whose maps and locks are not those of one kernel, by their numbers in `fstatfs`.
    private static let refused: [UInt32: String] = [
        0x0000_6969: "NFS", 0xFF53_4D42: "CIFS", 0x0000_517B: "SMB", 0xFE53_4D42: "SMB2", 0x6573_5546: "FUSE",
        0x0102_1997: "9P", 0x7375_7245: "Coda", 0x5346_414F: "AFS", 0x6B41_4653: "AFS", 0x00C3_6400: "Ceph",
        0x0000_564C: "NCP", 0x0BD0_0BD0: "Lustre", 0x7461_636F: "OCFS2", 0x0116_1970: "GFS2",
    ]

    /// tmpfs and ramfs.
    private static let inMemory: Set<UInt32> = [0x0102_1994, 0x8584_58F6]
    private static let overlayNumber: UInt32 = 0x794C_7630

    /// Returns the kind of the file system that a folder is on.
    ///
    /// - Throws: `.failed` when LMDB's file cannot be trusted there.
    static func check(_ folder: borrowing FileHandle, _ path: String) throws(StorageError) -> FileSystemKind {
        var status = statfs()
        guard fstatfs(folder.descriptor, &status) == 0 else {
            throw SystemError.from(errno, "looking at the file system of \(path)")
        }
        let number = UInt32(truncatingIfNeeded: status.f_type)
        if let name = name(number) {
            throw .failed("\(path) lies on \(name), which cannot hold a store: use a local file system")
        }
        return kind(number)
    }

    /// Returns the kind for a number of `fstatfs`.
    static func kind(_ number: UInt32) -> FileSystemKind {
        if inMemory.contains(number) { return .memory }
        return number == overlayNumber ? .overlay : .disk
    }

    /// Returns the name of a refused file system; nil for one that may be used.
    static func name(_ number: UInt32) -> String? { refused[number] }
}
