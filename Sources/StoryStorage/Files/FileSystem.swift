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

/// The file system's copy-on-write, which is turned off for the files of a store.
///
/// When each change of a file needs new blocks (btrfs), a full disk refuses even changes of bytes that have their
/// blocks: of the journal, of LMDB's pages, and of the reader table, which is written through a map. Copy-on-write can
/// be turned off for an empty file only; a file inherits the setting from the folder that it is created in.
package enum CopyOnWrite {
    /// Turns copy-on-write off for the files that are created in a folder from now on.
    ///
    /// Other file systems have none, and one that refuses is used nevertheless.
    static func turnOff(in folder: String) {
        guard let folder = try? FileHandle(folder, O_RDONLY | O_DIRECTORY) else { return }
        folder.writeInPlace()
    }

    /// The file systems that write each change to new blocks whatever the file, by their numbers in `fstatfs`: ZFS and
    /// bcachefs.
    private static let always: Set<UInt32> = [0x2FC1_2FC1, 0xCA45_1A4E]

    /// Returns true where the file system writes each change of an open file to new blocks.
    static func isUsed(_ descriptor: Int32) -> Bool {
        var status = statfs()
        guard fstatfs(descriptor, &status) == 0 else { return false }
        return always.contains(UInt32(truncatingIfNeeded: status.f_type)) || clm_is_copied_on_write(descriptor) != 0
    }
}

extension FileHandle {
    /// True when the file system writes each change of the file to new blocks.
    package var isCopiedOnWrite: Bool { clm_is_copied_on_write(descriptor) != 0 }

    /// Turns copy-on-write off for a file, if it is empty.
    package func writeInPlace() { _ = clm_write_in_place(descriptor) }
}
