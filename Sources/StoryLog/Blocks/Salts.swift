import StoryStorage
import COpenSSL
import Glibc
import StoryCore

/// Random bytes that make a commitment useless for guessing what was committed to.
///
/// They come from OpenSSL's generator, which the kernel's seeds, some kilobytes at a time, and each byte is used once:
/// nothing that is stored tells another salt.
package final class Salts {
    /// 256 salts a call: about 5 ns each, where the kernel's generator takes 40.
    private static let poolSize = 4_096

    private let pool: UnsafeMutablePointer<UInt8>
    private var used = Salts.poolSize

    package init() { pool = .allocate(capacity: Salts.poolSize) }

    deinit { pool.deallocate() }

    /// Copies so many fresh random bytes.
    @inline(__always)
    func take(_ count: Int, to target: UnsafeMutableRawPointer) {
        if used + count > Salts.poolSize { fill() }
        memcpy(target, pool + used, count)
        used += count
    }

    private func fill() {
        precondition(RAND_bytes(pool, Int32(Salts.poolSize)) == 1, "OpenSSL gives random bytes.")
        used = 0
    }
}
