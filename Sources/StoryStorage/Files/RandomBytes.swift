import CLMDB
import Glibc
package import StoryCore

/// Random bytes of the kernel.
package enum RandomBytes {
    /// So many bytes that nobody can foretell; throws when the kernel has none to give.
    package static func make(_ count: Int) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard getrandom(&bytes, count, 0) == count else { throw SystemError.from(errno, "asking for random bytes") }
        return bytes
    }

    /// Random bytes, two digits each.
    ///
    /// - Throws: `.failed` where the kernel gives none.
    package static func hexadecimal(_ count: Int) throws(StorageError) -> String {
        try make(count).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
