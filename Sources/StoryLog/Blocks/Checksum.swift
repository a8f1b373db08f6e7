import StoryStorage
import CXXHash

/// The checksum of records, which detects a change of a record on the disk.
package enum Checksum {
    /// Returns the XXH3-64 of the bytes, seeded with the position, so that a record that strays to another position
    /// does not match either.
    @inline(__always)
    package static func of(_ bytes: UnsafeRawBufferPointer, position: UInt64) -> UInt64 {
        xxhi_64(bytes.baseAddress, bytes.count, position)
    }
}
