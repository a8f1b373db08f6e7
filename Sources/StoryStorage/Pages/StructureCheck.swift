import StoryCore

/// A check of every page that LMDB navigates by, before LMDB opens the file; values on overflow pages are not read.
///
/// LMDB maps a file of any size and trusts its content: it crashes on a page that is missing or a number that leads out
/// of a page, and it writes over pages that a damaged free list contains.
final class StructureCheck: PageVisitor {
    /// One bit for each page, set once the page was seen.
    private var seen: [UInt64]
    private let path: String
    private let lastPage: UInt64

    /// Checks the file at a path.
    ///
    /// - Throws: `.corrupt` when LMDB should not open this file.
    static func run(_ path: String) throws(StorageError) {
        let walk = try PageWalk(path)
        try walk.run(StructureCheck(walk.meta, path))
    }

    private init(_ meta: MetaPage, _ path: String) {
        seen = [UInt64](repeating: 0, count: Int(meta.lastPage / 64) + 1)
        lastPage = meta.lastPage
        self.path = path
    }

    func enters(_ page: UInt64, _ count: UInt64) throws(StorageError) -> Bool {
        for number in page..<page + count { try see(number) }
        return true
    }

    func frees(_ pages: UnsafeRawBufferPointer, by transaction: UInt64) throws(StorageError) {
        for index in 0..<pages.count / 8 { try see(pages.number(at: 8 * index, as: UInt64.self)) }
    }

    private func see(_ page: UInt64) throws(StorageError) {
        guard page >= 2, page <= lastPage else {
            throw .corrupt("\(path) is damaged: it frees page \(page), which it does not have", at: nil)
        }
        let bit = UInt64(1) << (page % 64)
        guard seen[Int(page / 64)] & bit == 0 else {
            throw .corrupt("\(path) is damaged: two things claim its page \(page)", at: nil)
        }
        seen[Int(page / 64)] |= bit
    }
}
