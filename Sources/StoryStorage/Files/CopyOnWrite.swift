import CLMDB
import Glibc

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
