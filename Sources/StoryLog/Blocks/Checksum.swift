import StoryStorage
import CXXHash

/// What tells a record that changed on the disk from one that did not.
enum Checksum {
    /// XXH3-64 of the bytes; a record that strays to another position does not match either.
    @inline(__always)
    static func of(_ bytes: UnsafeRawBufferPointer, position: UInt64) -> UInt64 {
        xxhi_64(bytes.baseAddress, bytes.count, position)
    }
}
