import COpenSSL
import Glibc
import StoryCore
import StoryStorage

/// A SHA-256 in progress.
struct SHA256 {
    /// The 32 bytes of a hash.
    typealias Digest = (UInt64, UInt64, UInt64, UInt64)

    static let none: Digest = (0, 0, 0, 0)

    private var context = SHA256_CTX()

    init() { SHA256_Init(&context) }

    @inline(__always)
    mutating func add(_ bytes: UnsafeRawBufferPointer) { SHA256_Update(&context, bytes.baseAddress, bytes.count) }

    @inline(__always)
    mutating func add(_ record: UnsafeRawBufferPointer, _ range: Range<Int>) {
        if let base = record.baseAddress { SHA256_Update(&context, base + range.lowerBound, range.count) }
    }

    mutating func add(_ digest: Digest) { withUnsafeBytes(of: digest) { add($0) } }

    mutating func finish() -> Digest {
        var digest = SHA256.none
        withUnsafeMutableBytes(of: &digest) { bytes in
            _ = SHA256_Final(bytes.assumingMemoryBound(to: UInt8.self).baseAddress, &context)
        }
        return digest
    }
}

extension RecordArea {
    /// Returns the commitment of a part that is whole: the hash of its salt and text.
    func commitment(in record: UnsafeRawBufferPointer) -> SHA256.Digest {
        var hash = SHA256()
        hash.add(record, salt)
        hash.add(record, text)
        return hash.finish()
    }
}

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
