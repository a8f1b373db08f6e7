import Glibc
import StoryCore
import StoryStorage

/// A comparison of single pages of the stored models with their checksums.
///
/// It reads the files itself, so that a read failure of the disk is an error and does not end the process. The files
/// stay open, so that a checkpoint needs no free descriptor.
final class PageCheck: Sendable {
    let checksums: PageChecksums
    let file: ChecksumFile
    let data: SharedFile
    let pageSize: Int

    /// Opens the files.
    ///
    /// - Throws: when the system refuses to open the files.
    init(_ checksums: PageChecksums, pageSize: Int) throws(StorageError) {
        self.checksums = checksums
        self.pageSize = pageSize
        file = try checksums.open()
        data = try SharedFile(checksums.data, O_RDONLY | O_NOFOLLOW)
    }

    /// Compares a page with its checksum, and returns that; on any thread.
    ///
    /// - Throws: `.corrupt` if they differ, or the page cannot be read.
    @discardableResult
    func run(_ page: UInt64) throws(StorageError) -> UInt64 {
        let result = withUnsafeTemporaryAllocation(byteCount: pageSize, alignment: 8) { bytes in
            Result { () throws(StorageError) in try checksum(page, bytes) }
        }
        guard let sum = try result.get() else { throw checksums.damaged(page) }
        return sum
    }

    /// Has the next start fold the models again, unless others have their name by now; on any thread.
    func suspect(_ damage: StorageError) {
        if data.handle.isNamed(checksums.data) { checksums.suspect(damage) }
    }

    /// Returns the checksum of a page that has it; nil for a page that was changed.
    private func checksum(
        _ page: UInt64, _ bytes: UnsafeMutableRawBufferPointer
    ) throws(StorageError) -> UInt64? {
        let head = UnsafeMutableRawBufferPointer(rebasing: bytes[..<8])
        let offset = PageChecksums.headSize + 8 * Int(page)
        guard try file.file.read(into: head, at: offset, of: checksums.path) == 8 else { return nil }
        let sum = UnsafeRawBufferPointer(head).number(at: 0, as: UInt64.self)
        guard try data.handle.read(into: bytes, at: Int(page) * pageSize, of: checksums.data) == pageSize,
            PageChecksums.of(UnsafeRawBufferPointer(bytes), number: page) == sum
        else { return nil }
        return sum
    }
}
