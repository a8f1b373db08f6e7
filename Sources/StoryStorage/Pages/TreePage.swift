import StoryCore

/// A branch page or leaf page of one of LMDB's trees; every offset in it was checked, so that no read leads out of it.
struct TreePage {
    /// The entry of a leaf page.
    enum LeafValue {
        /// A value on the page itself.
        case inline(UnsafeRawBufferPointer)
        /// A value of `count` bytes on overflow pages.
        case apart(page: UInt64, count: Int)
        /// The tree of a named database.
        case tree(TreeRecord)
    }

    static let headerSize = 16
    static let nodeSize = 8
    static let isBranch: UInt16 = 0x01
    static let isLeaf: UInt16 = 0x02
    static let isApart: UInt16 = 0x01
    private static let isTree: UInt16 = 0x02

    let number: UInt64
    let isBranch: Bool
    let count: Int
    /// The range of the bytes between the offsets and the entries.
    let gap: Range<Int>
    private let bytes: UnsafeRawBufferPointer

    /// Checks a page; nil when the bytes are not a page of this number that LMDB wrote.
    init?(_ bytes: UnsafeRawBufferPointer, number: UInt64) {
        let flags = bytes.number(at: 10, as: UInt16.self)
        let lower = Int(bytes.number(at: 12, as: UInt16.self))
        let upper = Int(bytes.number(at: 14, as: UInt16.self))
        guard bytes.number(at: 0, as: UInt64.self) == number, flags == TreePage.isBranch || flags == TreePage.isLeaf,
            lower > TreePage.headerSize, lower % 2 == 0, lower <= upper, upper <= bytes.count
        else { return nil }
        self.bytes = bytes
        self.number = number
        gap = lower..<upper
        isBranch = flags == TreePage.isBranch
        count = (lower - TreePage.headerSize) / 2
        var used = 0
        for index in 0..<count {
            let offset = offset(index)
            guard offset >= upper, offset + TreePage.nodeSize <= bytes.count else { return nil }
            let size = size(at: offset)
            guard offset + size <= bytes.count else { return nil }
            if !isBranch {
                let flags = nodeFlags(offset)
                guard flags == 0 || flags == TreePage.isApart || flags == TreePage.isTree else { return nil }
                if flags == TreePage.isTree, valueCount(offset) != TreeRecord.size { return nil }
            }
            used += size + size % 2
        }
        // LMDB keeps nodes without a gap, so a gap is a node that was lost.
        guard used == bytes.count - upper else { return nil }
    }

    func key(_ index: Int) -> UnsafeRawBufferPointer {
        let offset = offset(index)
        return bytes.slice(offset + TreePage.nodeSize, count: keyCount(offset))
    }

    /// Returns the number of the page below a branch page.
    func child(_ index: Int) -> UInt64 {
        let offset = offset(index)
        return UInt64(bytes.number(at: offset, as: UInt32.self)) | UInt64(nodeFlags(offset)) << 32
    }

    /// Returns an entry of a leaf page.
    func entry(_ index: Int) -> LeafValue {
        let offset = offset(index)
        let start = offset + TreePage.nodeSize + keyCount(offset)
        let flags = nodeFlags(offset)
        if flags & TreePage.isApart != 0 {
            return .apart(page: bytes.number(at: start, as: UInt64.self), count: valueCount(offset))
        }
        if flags & TreePage.isTree != 0 { return .tree(TreeRecord(bytes, at: start)) }
        return .inline(bytes.slice(start, count: valueCount(offset)))
    }

    /// Returns the number of overflow pages of a value of `count` bytes.
    static func pages(of count: Int, pageSize: Int) -> UInt64 { UInt64((headerSize - 1 + count) / pageSize + 1) }

    private func offset(_ index: Int) -> Int {
        Int(bytes.number(at: TreePage.headerSize + 2 * index, as: UInt16.self))
    }

    private func nodeFlags(_ offset: Int) -> UInt16 { bytes.number(at: offset + 4, as: UInt16.self) }

    private func keyCount(_ offset: Int) -> Int { Int(bytes.number(at: offset + 6, as: UInt16.self)) }

    private func valueCount(_ offset: Int) -> Int { Int(bytes.number(at: offset, as: UInt32.self)) }

    private func size(at offset: Int) -> Int {
        let head = TreePage.nodeSize + keyCount(offset)
        if isBranch { return head }
        return head + (nodeFlags(offset) & TreePage.isApart != 0 ? 8 : valueCount(offset))
    }
}
