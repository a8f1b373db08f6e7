import StoryStorage
import CXXHash

/// What tells a record that changed on the disk from one that did not.
package enum Checksum {
    /// XXH3-64 of the bytes; a record that strays to another position does not match either.
    @inline(__always)
    package static func of(_ bytes: UnsafeRawBufferPointer, position: UInt64) -> UInt64 {
        xxhi_64(bytes.baseAddress, bytes.count, position)
    }
}
