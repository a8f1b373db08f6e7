import StoryStorage
import StoryCore

/// A position as a key of the log: 8 bytes, big-endian, so that bytes and numbers have one order.
enum PositionKey {
    @inline(__always)
    static func with<Result>(
        _ position: UInt64, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        var key = position.bigEndian
        // A stack buffer and typed errors: `withUnsafeBytes` of the library would widen them.
        return try withUnsafePointer(to: &key) { (pointer) throws(StorageError) -> Result in
            try body(UnsafeRawBufferPointer(start: pointer, count: 8))
        }
    }

    /// The position that a key stands for; nil when it is none.
    @inline(__always)
    static func position(_ key: UnsafeRawBufferPointer) -> UInt64? {
        key.count == 8 ? UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) : nil
    }
}
