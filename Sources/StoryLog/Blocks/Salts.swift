import StoryStorage
import CLMDB
import Glibc
import StoryCore

/// Random bytes that make a commitment useless for guessing what was committed to.
///
/// They come from the kernel's generator, some kilobytes at a time, and each byte is used once: nothing that is stored
/// tells another salt.
package final class Salts {
    /// 256 salts a system call: about 40 ns each.
    private static let poolSize = 4_096

    private let pool: UnsafeMutableRawPointer
    private var used = Salts.poolSize

    package init() { pool = .allocate(byteCount: Salts.poolSize, alignment: 16) }

    deinit { pool.deallocate() }

    /// Copies so many fresh random bytes.
    @inline(__always)
    func take(_ count: Int, to target: UnsafeMutableRawPointer) {
        if used + count > Salts.poolSize { fill() }
        memcpy(target, pool + used, count)
        used += count
    }

    private func fill() {
        var done = 0
        while done < Salts.poolSize {
            let count = getrandom(pool + done, Salts.poolSize - done, 0)
            precondition(count > 0 || errno == EINTR, "The kernel gives random bytes.")
            done += max(count, 0)
        }
        used = 0
    }
}
