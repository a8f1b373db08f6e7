import CLMDB
import Glibc
package import StoryCore

/// Random bytes from the kernel.
package enum RandomBytes {
    /// Returns `count` unpredictable bytes; throws when the kernel returns fewer.
    package static func make(_ count: Int) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard getrandom(&bytes, count, 0) == count else { throw SystemError.from(errno, "asking for random bytes") }
        return bytes
    }

    /// Returns `count` random bytes as text, two digits each.
    ///
    /// - Throws: `.failed` when the kernel returns fewer.
    package static func hexadecimal(_ count: Int) throws(StorageError) -> String {
        String(decoding: try make(count).hexadecimal, as: UTF8.self)
    }
}
