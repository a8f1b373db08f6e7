import StoryStorage

/// A key that is asked for soon: the search for it has come to its leaf, which is on its way from memory meanwhile.
struct ExpectedKey: ~Copyable {
    private var key = KeptKey()
    private var search: TreeSearch?

    /// Begins the search for a key. One that fails is begun anew by whoever asks, and fails there.
    @inline(__always)
    mutating func begin(_ table: UInt8, _ key: UnsafeRawBufferPointer, in tree: StoredTree) {
        self.key.keep(table, key)
        search = try? tree.search(for: self.key.bytes)
    }

    /// The search that was begun, once; nil where it is another key's.
    @inline(__always)
    mutating func taken(_ table: UInt8, _ key: UnsafeRawBufferPointer) -> TreeSearch? {
        guard self.key.matches(table, key) else { return nil }
        forget()
        return search
    }

    /// Other tables are looked at from now on.
    mutating func forget() { key.forget() }
}
