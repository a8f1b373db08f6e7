import Glibc
import StoryCore

/// Looks at `data.mdb` before LMDB does.
///
/// LMDB maps a file of any size and trusts what stands in it: one that was cut short kills the process with SIGBUS
/// at the first page that is missing.
enum Preflight {
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let format: UInt32 = 1
    /// Page header, then magic, format, address, map size, two databases of 48 bytes, last page and transaction.
    private static let metaCount = 152
    private static let pageSizes: ClosedRange<UInt32> = 512...65_536

    private struct Meta {
        let pageSize: Int
        let lastPage: UInt64
    }

    /// Throws `.corrupt` with the reason when LMDB should not open this file.
    static func check(_ path: String) throws(StorageError) {
        guard Folder.exists(path) else { throw .corrupt("\(path) is not there", at: nil) }
        let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        let size = Int(try file.status(path).st_size)
        let first = try meta(try file.read(metaCount, at: 0, of: path), 0, path)
        let second = try meta(try file.read(metaCount, at: first.pageSize, of: path), 1, path)
        guard first.pageSize == second.pageSize else {
            throw .corrupt("\(path): its two first pages disagree about the page size", at: nil)
        }
        let lastPage = max(first.lastPage, second.lastPage)
        let (pages, areTooMany) = lastPage.addingReportingOverflow(1)
        let (needed, isTooLarge) = pages.multipliedReportingOverflow(by: UInt64(first.pageSize))
        guard !areTooMany, !isTooLarge, needed <= UInt64(size) else {
            throw .corrupt("\(path) was cut short: it has \(size) bytes and should have \(needed)", at: nil)
        }
    }

    private static func meta(_ bytes: [UInt8], _ page: Int, _ path: String) throws(StorageError) -> Meta {
        guard bytes.count == metaCount else {
            throw .corrupt("\(path) was cut short: page \(page) is not there", at: nil)
        }
        guard bytes.number(at: 16, as: UInt32.self) == magic else {
            throw .corrupt("\(path) is not an LMDB file: page \(page) does not begin like one", at: nil)
        }
        let version = bytes.number(at: 20, as: UInt32.self) & 0x0FFF_FFFF
        guard version == format else {
            throw .corrupt("\(path) is of LMDB's format \(version), not \(format)", at: nil)
        }
        let pageSize = bytes.number(at: 40, as: UInt32.self)
        guard pageSizes.contains(pageSize), pageSize.nonzeroBitCount == 1 else {
            throw .corrupt("\(path) claims pages of \(pageSize) bytes", at: nil)
        }
        return Meta(pageSize: Int(pageSize), lastPage: bytes.number(at: 136, as: UInt64.self))
    }
}
