package import StoryCore

/// A cursor in a stored tree, which is moved entry by entry.
///
/// It follows the tree itself, without LMDB, so that each page is compared with its checksum before its first use. An
/// entry that it returns is valid as long as the tree.
package struct TreeCursor: ~Copyable {
    /// A page on the way from the root to the cursor, and the index of the node that leads on from it.
    private struct Level: BitwiseCopyable {
        var page: UnsafeRawPointer
        var count: Int
        var index: Int
    }

    private let tree: StoredTree
    private let isProving: Bool
    private var levels: InlineArray<16, Level>

    /// Makes a cursor that is on no entry yet.
    ///
    /// - Parameter isProving: true to compare each page with its checksum where the cursor moves to it, whenever that was
    ///   done before.
    package init(_ tree: StoredTree, isProving: Bool = false) {
        self.tree = tree
        self.isProving = isProving
        levels = InlineArray(repeating: Level(page: tree.map, count: 0, index: 0))
    }

    /// Moves to the first entry; nil when there is none.
    ///
    /// - Throws: `.corrupt` when a page is not as it was written; so do all moves.
    package mutating func first() throws(StorageError) -> KeyValue? { try end(isLast: false) }

    /// Moves to the last entry; nil when there is none.
    package mutating func last() throws(StorageError) -> KeyValue? { try end(isLast: true) }

    private mutating func end(isLast: Bool) throws(StorageError) -> KeyValue? {
        guard tree.depth > 0 else { return nil }
        try enter(try tree.rootPage(), at: 0)
        if isLast { levels[0].index = levels[0].count - 1 }
        try descend(from: 0, toLast: isLast)
        return try entry()
    }

    /// Moves to the next entry; nil at the end.
    package mutating func next() throws(StorageError) -> KeyValue? {
        var level = tree.depth - 1
        while level >= 0, levels[level].index + 1 >= levels[level].count { level -= 1 }
        guard level >= 0 else { return nil }
        levels[level].index += 1
        try descend(from: level, toLast: false)
        return try entry()
    }

    /// Moves to the previous entry; nil at the beginning.
    package mutating func previous() throws(StorageError) -> KeyValue? {
        var level = tree.depth - 1
        while level >= 0, levels[level].index == 0 { level -= 1 }
        guard level >= 0 else { return nil }
        levels[level].index -= 1
        try descend(from: level, toLast: true)
        return try entry()
    }

    /// Moves to the first entry of the next leaf page; nil at the end.
    mutating func nextPage() throws(StorageError) -> KeyValue? {
        levels[tree.depth - 1].index = levels[tree.depth - 1].count - 1
        return try next()
    }

    /// Moves to the last entry of the previous leaf page; nil at the beginning.
    mutating func previousPage() throws(StorageError) -> KeyValue? {
        levels[tree.depth - 1].index = 0
        return try previous()
    }

    /// Returns the last key of the leaf page that the cursor is on; nil where a value of the page has pages of its own.
    func lastKeyOfPage() throws(StorageError) -> UnsafeRawBufferPointer? {
        let leaf = levels[tree.depth - 1]
        for index in 0..<leaf.count where tree.isApart(leaf.page, try tree.node(leaf.page, index)) { return nil }
        return try tree.key(leaf.page, try tree.node(leaf.page, leaf.count - 1))
    }

    /// Moves to the first entry at or after a key; nil when there is none.
    package mutating func seek(_ key: UnsafeRawBufferPointer) throws(StorageError) -> KeyValue? {
        guard try search(for: key) else { return nil }
        let leaf = tree.depth - 1
        if levels[leaf].index < levels[leaf].count { return try entry() }
        levels[leaf].index -= 1
        return try next()
    }

    /// Moves to the last entry before a key; nil when there is none.
    package mutating func seek(before key: UnsafeRawBufferPointer) throws(StorageError) -> KeyValue? {
        try search(for: key) ? try previous() : nil
    }

    /// Moves to the last entry at or before a key, else to the first one; nil when there is none at all.
    package mutating func seek(atOrBefore key: UnsafeRawBufferPointer) throws(StorageError) -> KeyValue? {
        guard try search(for: key) else { return nil }
        let leaf = tree.depth - 1
        if levels[leaf].index < levels[leaf].count, try tree.order(key, levels[leaf].page, levels[leaf].index) == 0 {
            return try entry()
        }
        if let before = try previous() { return before }
        return try first()
    }

    /// Descends to the leaf page of a key, to its first entry that does not come before the key, or behind its last
    /// one; false in an empty tree.
    private mutating func search(for key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
        guard tree.depth > 0 else { return false }
        try enter(try tree.rootPage(), at: 0)
        for level in 0..<tree.depth {
            let isLeaf = level == tree.depth - 1
            let page = levels[level].page
            // The first key of a branch page counts as smaller than every other one.
            var (lower, upper) = (isLeaf ? 0 : 1, levels[level].count)
            while lower < upper {
                let middle = (lower + upper) / 2
                let order = try tree.order(key, page, middle)
                if isLeaf ? order > 0 : order >= 0 { lower = middle + 1 } else { upper = middle }
            }
            levels[level].index = isLeaf ? lower : lower - 1
            if !isLeaf { try enter(try child(at: level), at: level + 1) }
        }
        return true
    }

    /// Descends from a level to the first or last entry below its node.
    private mutating func descend(from level: Int, toLast: Bool) throws(StorageError) {
        for above in level..<tree.depth - 1 {
            try enter(try child(at: above), at: above + 1)
            if toLast { levels[above + 1].index = levels[above + 1].count - 1 }
        }
    }

    private mutating func enter(_ page: UnsafeRawPointer, at level: Int) throws(StorageError) {
        if isProving, page != levels[level].page { try tree.proveAgain(page) }
        let count = try tree.nodeCount(page, isLeaf: level == tree.depth - 1)
        levels[level] = Level(page: page, count: count, index: 0)
    }

    private func child(at level: Int) throws(StorageError) -> UnsafeRawPointer {
        let page = levels[level].page
        return try tree.page(tree.child(page, try tree.node(page, levels[level].index)))
    }

    private func entry() throws(StorageError) -> KeyValue {
        let leaf = tree.depth - 1
        let page = levels[leaf].page
        let node = try tree.node(page, levels[leaf].index)
        let found = KeyValue(key: try tree.key(page, node), value: try tree.value(page, node))
        if isProving { try tree.proveAgain(valueOf: node, on: page, found.value) }
        return found
    }
}
