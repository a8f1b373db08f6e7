import StoryCore

/// A key of a table that is kept so that it is known again; none at first.
struct KeptKey: ~Copyable {
    private var table: UInt8?
    private var key = KeyBuffer()

    /// The key's bytes; they stay where they are until another one is kept.
    var bytes: UnsafeRawBufferPointer { key.bytes }

    /// True for this key of this table.
    @inline(__always)
    func matches(_ table: UInt8, _ key: UnsafeRawBufferPointer) -> Bool {
        table == self.table && self.key.bytes.equals(key)
    }

    @inline(__always)
    mutating func keep(_ table: UInt8, _ key: UnsafeRawBufferPointer) {
        self.table = table
        self.key.set(key)
    }

    /// From now on it is known no more.
    mutating func forget() { table = nil }
}
