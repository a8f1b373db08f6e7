import COpenSSL
import StoryCore

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
