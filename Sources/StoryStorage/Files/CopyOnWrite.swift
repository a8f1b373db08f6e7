import CLMDB
import Glibc

/// The file system's copy-on-write, which the files of a store do without.
///
/// Where each change of a file wants new blocks (btrfs), a full disk refuses changes of what has its blocks already: of
/// the journal, of LMDB's pages, and of the table of readers, which is written through a map. Only an empty file can be
/// changed to be written in place; a file takes it over from the folder that it is made in.
package enum CopyOnWrite {
    /// Has the files that are made in a folder from now on written in place. Other file systems do so anyway, and one that
    /// refuses is served all the same.
    static func turnOff(in folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = clm_write_in_place(descriptor)
    }
}

extension FileHandle {
    /// True where the file system writes each change of the file elsewhere.
    package var isCopiedOnWrite: Bool { clm_is_copied_on_write(descriptor) != 0 }

    /// Has a file written in place, where it is empty.
    package func writeInPlace() { _ = clm_write_in_place(descriptor) }
}
