import StoryStorage

/// A B-tree descent in advance, for a key that will be looked up soon: it is at the leaf page, which is being
/// prefetched.
struct PrefetchedLookup: ~Copyable {
    private var key = LastLookup()
    private var search: TreeSearch?

    /// Begins the search for a key. A search that fails is dropped; the look-up begins it again and throws the error.
    @inline(__always)
    mutating func begin(_ table: UInt8, _ key: UnsafeRawBufferPointer, in tree: StoredTree) {
        self.key.keep(table, key)
        search = try? tree.search(for: self.key.bytes)
    }

    /// Returns the search that was begun, once; nil where it is for another key.
    @inline(__always)
    mutating func taken(_ table: UInt8, _ key: UnsafeRawBufferPointer) -> TreeSearch? {
        guard self.key.matches(table, key) else { return nil }
        forget()
        return search
    }

    /// Discards the search when the view of the tables changes.
    mutating func forget() { key.forget() }
}
