package import StoryCore

/// A meta page: one of the two first pages of an LMDB file, of which the one with the newer transaction is valid.
package struct MetaPage: Equatable, Sendable {
    /// The size in bytes: page header, magic, format, address, map size, two databases of 48 bytes, last page and
    /// transaction.
    static let size = 152
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let format: UInt32 = 1
    private static let pageSizes: ClosedRange<UInt32> = 512...65_536
    private static let isMeta: UInt16 = 0x08

    /// The size of a page in bytes.
    package let pageSize: Int
    /// The record of the free list's tree.
    package let free: TreeRecord
    /// The record of the main database's tree.
    package let main: TreeRecord
    /// The number of the last page that was ever allocated.
    package let lastPage: UInt64
    /// The number of the commit.
    package let transaction: UInt64
    /// The bytes of the meta page.
    package let bytes: [UInt8]

    /// Reads both meta pages and chooses as LMDB does.
    ///
    /// - Throws: `.corrupt` with the reason when LMDB should not open this file.
    package static func newest(_ file: borrowing FileHandle, _ path: String) throws(StorageError) -> MetaPage {
        let first = try MetaPage(try file.read(size, at: 0, of: path), 0, path)
        let second = try MetaPage(try file.read(size, at: first.pageSize, of: path), 1, path)
        guard first.pageSize == second.pageSize else {
            throw .corrupt("\(path): its two first pages disagree about the page size", at: nil)
        }
        // Commits write the two pages in turn, and before the first one both have transaction 0.
        let newest = first.transaction > second.transaction ? first : second
        let older = first.transaction > second.transaction ? second : first
        let isNew = newest.transaction == 0
        guard isNew || older.transaction + 1 == newest.transaction, first.transaction % 2 == 0,
            isNew || second.transaction % 2 == 1
        else { throw .corrupt("\(path): its two first pages are not of two commits in a row", at: nil) }
        // An allocated page stays allocated, so the last page never decreases.
        guard older.lastPage <= newest.lastPage else {
            throw .corrupt("\(path): its two first pages disagree about how many there are", at: nil)
        }
        return newest
    }

    private init(_ bytes: [UInt8], _ page: UInt64, _ path: String) throws(StorageError) {
        guard bytes.count == MetaPage.size else {
            throw .corrupt("\(path) was cut short: page \(page) is not there", at: nil)
        }
        guard bytes.number(at: 16, as: UInt32.self) == MetaPage.magic,
            bytes.number(at: 0, as: UInt64.self) == page,
            bytes.number(at: 10, as: UInt16.self) == MetaPage.isMeta
        else { throw .corrupt("\(path) is not an LMDB file: page \(page) does not begin like one", at: nil) }
        let version = bytes.number(at: 20, as: UInt32.self) & 0x0FFF_FFFF
        guard version == MetaPage.format else {
            throw .corrupt("\(path) is of LMDB's format \(version), not \(MetaPage.format)", at: nil)
        }
        let pageSize = bytes.number(at: 40, as: UInt32.self)
        guard MetaPage.pageSizes.contains(pageSize), pageSize.nonzeroBitCount == 1 else {
            throw .corrupt("\(path) claims pages of \(pageSize) bytes", at: nil)
        }
        self.pageSize = Int(pageSize)
        free = bytes.withBytes { TreeRecord($0, at: 40) }
        main = bytes.withBytes { TreeRecord($0, at: 88) }
        lastPage = bytes.number(at: 136, as: UInt64.self)
        transaction = bytes.number(at: 144, as: UInt64.self)
        self.bytes = bytes
    }
}

/// LMDB's record of one of its trees.
package struct TreeRecord: Equatable, Sendable {
    static let size = 48
    /// The root of an empty tree.
    static let noPage = UInt64.max

    let flags: UInt16
    let depth: Int
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    let entries: UInt64
    let root: UInt64

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        flags = bytes.number(at: offset + 4, as: UInt16.self)
        depth = Int(bytes.number(at: offset + 6, as: UInt16.self))
        branchPages = bytes.number(at: offset + 8, as: UInt64.self)
        leafPages = bytes.number(at: offset + 16, as: UInt64.self)
        overflowPages = bytes.number(at: offset + 24, as: UInt64.self)
        entries = bytes.number(at: offset + 32, as: UInt64.self)
        root = bytes.number(at: offset + 40, as: UInt64.self)
    }
}
