import CLMDB
import Glibc
import StoryCore

/// Random bytes of the kernel.
enum RandomBytes {
    static func make(_ count: Int) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard getrandom(&bytes, count, 0) == count else { throw SystemError.from(errno, "asking for random bytes") }
        return bytes
    }
}
