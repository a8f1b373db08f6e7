import StoryCore

/// The last (table, key) that was looked up; none at first.
struct LastLookup: ~Copyable {
    private var table: UInt8?
    private var key = KeyBuffer()

    /// The key's bytes; valid until another key is kept.
    var bytes: UnsafeRawBufferPointer { key.bytes }

    /// Returns whether this is the key that was kept.
    @inline(__always)
    func matches(_ table: UInt8, _ key: UnsafeRawBufferPointer) -> Bool {
        table == self.table && self.key.bytes.equals(key)
    }

    @inline(__always)
    mutating func keep(_ table: UInt8, _ key: UnsafeRawBufferPointer) {
        self.table = table
        self.key.set(key)
    }

    /// Forgets the key.
    mutating func forget() { table = nil }
}
