import CLMDB
package import StoryCore

/// A search for one key: a B-tree descent page by page, with a binary search within each page.
///
/// Each step compares one key, prefetches the memory that the next step reads, and does not wait for it.
package struct TreeSearch: BitwiseCopyable {
    /// The number of bytes of a value that are prefetched.
    private static let askedBytes = 448
    /// The number of bytes of a page that are prefetched, which have the offsets of its keys.
    private static let askedPlaces = 256

    private let key: UnsafeRawBufferPointer
    private let tree: StoredTree
    /// True where each page is compared with its checksum as it is now.
    private let isProving: Bool
    /// The current page.
    private var page: UnsafeRawPointer
    /// The number of pages that are left to descend, this one counted.
    private(set) var levels: Int
    /// The index of the last node that is known not to follow the key; the first of a page is assumed not to.
    private var low = 0
    /// The number of nodes after `low` that may not follow the key either; negative until the page was looked at.
    private var left = -1
    /// The value at the key, once the search is over; nil when there is none.
    package private(set) var value: UnsafeRawBufferPointer?

    /// Begins a search at the root of a tree.
    ///
    /// - Parameter isProving: as for `value` of a tree; then take the steps by `finish`.
    /// - Throws: `.corrupt` when the root is outside the map, or is not as it was written.
    package init(
        _ key: UnsafeRawBufferPointer, in tree: StoredTree, isProving: Bool = false
    ) throws(StorageError) {
        self.key = key
        self.tree = tree
        self.isProving = isProving
        levels = tree.depth
        page = levels > 0 ? try tree.rootPage() : tree.map
    }

    /// Takes the next step; false when the search is over.
    ///
    /// - Throws: `.corrupt` when the page is not as it was written.
    package mutating func step() throws(StorageError) -> Bool {
        if left > 0 {
            let half = (left + 1) / 2
            low += try tree.order(key, page, low + half) >= 0 ? half : 0
            left -= half
        } else {
            guard levels > 0 else { return false }
            left = try tree.nodeCount(page, isLeaf: levels == 1) - 1
        }
        if left > 0 {
            (page + (try tree.node(page, low + (left + 1) / 2))).prefetch(1)
            return true
        }
        return try leavePage()
    }

    /// Takes all remaining steps and returns the value at the key; nil when there is none.
    ///
    /// - Throws: as `step`.
    package mutating func finish() throws(StorageError) -> UnsafeRawBufferPointer? {
        while try leaveNextPage() {}
        return value
    }

    /// Takes all steps on the current page; false when the search is over.
    ///
    /// It is for a look-up of one key: it prefetches both keys of which one is compared next.
    ///
    /// - Throws: as `step`.
    mutating func leaveNextPage() throws(StorageError) -> Bool {
        guard levels > 0 else { return false }
        if isProving { try tree.proveAgain(page) }
        var (low, left) = (0, try tree.nodeCount(page, isLeaf: levels == 1) - 1)
        while left > 0 {
            let half = (left + 1) / 2
            left -= half
            let next = (left + 1) / 2
            (page + (try tree.node(page, low + next))).prefetch(1)
            (page + (try tree.node(page, low + half + next))).prefetch(1)
            low += try tree.order(key, page, low + half) >= 0 ? half : 0
        }
        self.low = low
        return try leavePage()
    }

    /// Descends to the page below, or ends the search at the value; false then.
    private mutating func leavePage() throws(StorageError) -> Bool {
        levels -= 1
        let node = try tree.node(page, low)
        guard levels > 0 else {
            guard try tree.order(key, page, low) == 0 else { return false }
            let found = try tree.value(page, node)
            if isProving { try tree.proveAgain(valueOf: node, on: page, found) }
            found.baseAddress?.prefetch(min(found.count, TreeSearch.askedBytes))
            value = found
            return false
        }
        page = try tree.page(tree.child(page, node))
        (low, left) = (0, -1)
        page.prefetch(TreeSearch.askedPlaces)
        return true
    }
}

extension UnsafeRawPointer {
    /// Prefetches the cache lines of `count` bytes, at most eight of them.
    package func prefetch(_ count: Int) { clm_prefetch(self, count) }
}
