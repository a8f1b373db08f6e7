import StoryStorage
import StoryCore

/// A position as a key of the log: 8 bytes, big-endian, so that bytes and numbers have one order.
enum PositionKey {
    /// Calls `body` with the key of a position.
    @inline(__always)
    static func with<Result>(
        _ position: UInt64, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        var key = position.bigEndian
        // The key is on the stack; the library's `withUnsafeBytes` would widen the typed error.
        return try withUnsafePointer(to: &key) { (pointer) throws(StorageError) -> Result in
            try body(UnsafeRawBufferPointer(start: pointer, count: 8))
        }
    }

    /// Returns the position that a key encodes; nil if it is none.
    @inline(__always)
    static func position(_ key: UnsafeRawBufferPointer) -> UInt64? {
        key.count == 8 ? UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) : nil
    }
}
