import StoryCore

/// The key that was looked up last and is not stored.
///
/// Whether a key is new is asked before its event is written, and again when that is folded: the second time nothing is
/// searched.
struct MissingKey: ~Copyable {
    private var table: UInt8?
    private var key = KeyBuffer()

    /// True for this key of this table.
    @inline(__always)
    func matches(_ table: UInt8, _ key: UnsafeRawBufferPointer) -> Bool {
        table == self.table && self.key.bytes.equals(key)
    }

    /// It was looked for and not found.
    @inline(__always)
    mutating func note(_ table: UInt8, _ key: UnsafeRawBufferPointer) {
        self.table = table
        self.key.set(key)
    }

    /// Other tables are looked at from now on.
    mutating func forget() { table = nil }
}
