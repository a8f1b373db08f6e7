import CLMDB
import Glibc
import StoryCore

/// Which file systems a data directory may not lie on.
enum FileSystemKind {
    /// The numbers that `fstatfs` answers for file systems whose maps and locks are not those of one kernel.
    private static let refused: [UInt32: String] = [
        0x0000_6969: "NFS", 0xFF53_4D42: "CIFS", 0x0000_517B: "SMB", 0xFE53_4D42: "SMB2", 0x6573_5546: "FUSE",
        0x0102_1997: "9P", 0x7375_7245: "Coda", 0x5346_414F: "AFS", 0x6B41_4653: "AFS", 0x00C3_6400: "Ceph",
        0x0000_564C: "NCP", 0x0BD0_0BD0: "Lustre", 0x7461_636F: "OCFS2", 0x0116_1970: "GFS2",
    ]

    /// tmpfs and ramfs.
    private static let volatile: Set<UInt32> = [0x0102_1994, 0x8584_58F6]

    /// True where the file system lies in memory.
    ///
    /// - Throws: `.failed` when LMDB's file cannot be trusted there.
    static func check(_ folder: borrowing FileHandle, _ path: String) throws(StorageError) -> Bool {
        var status = statfs()
        guard fstatfs(folder.descriptor, &status) == 0 else {
            throw SystemError.from(errno, "looking at the file system of \(path)")
        }
        let number = UInt32(truncatingIfNeeded: status.f_type)
        if let name = name(number) {
            throw .failed("\(path) lies on \(name), which cannot hold a store: use a local file system")
        }
        return isVolatile(number)
    }

    /// True for a file system that lies in memory.
    static func isVolatile(_ number: UInt32) -> Bool { volatile.contains(number) }

    /// The name of a refused file system; nil for one that may be used.
    static func name(_ number: UInt32) -> String? { refused[number] }
}
