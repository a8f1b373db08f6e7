import StoryStorage
import COpenSSL
package import StoryCore

/// The seal of a block: SHA-256 over the block and the seal before it, a hash chain that makes the history
/// tamper-evident.
package struct Seal: Equatable, Sendable {
    /// The size of a seal, in bytes.
    package static let size = 32

    /// The hash.
    package let bytes: [UInt8]

    /// Makes a seal of a hash.
    package init(bytes: [UInt8]) { self.bytes = bytes }
}

/// A hasher that computes the seals of blocks.
///
/// `seal(b) = SHA-256(seal(b−1) ‖ header of the block ‖ for each record: its header from byte 9 on, its JSON up to
/// "by":U ‖ commit(labels), if there are any ‖ commit(content))`, and `commit(x) = SHA-256(salt ‖ x)`. So labels and
/// content can be erased, and the chain still proves everything else.
///
/// Unchecked: one thread uses it at a time.
package final class SealHasher: @unchecked Sendable {
    private let chain: OpaquePointer
    private let commitment: OpaquePointer
    private let algorithm: OpaquePointer
    private let digest: UnsafeMutablePointer<UInt8>

    /// Sets up OpenSSL's SHA-256.
    ///
    /// - Throws: `.failed` if OpenSSL has no memory or no SHA-256.
    package init() throws(StorageError) {
        guard let chain = EVP_MD_CTX_new() else { throw .failed("OpenSSL has no memory") }
        guard let commitment = EVP_MD_CTX_new(), let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else {
            EVP_MD_CTX_free(chain)
            throw .failed("OpenSSL has no SHA-256")
        }
        self.chain = chain
        self.commitment = commitment
        self.algorithm = algorithm
        digest = .allocate(capacity: Seal.size)
    }

    deinit {
        EVP_MD_free(algorithm)
        EVP_MD_CTX_free(chain)
        EVP_MD_CTX_free(commitment)
        digest.deallocate()
    }

    /// Returns the SHA-256 of some bytes.
    func hash(_ bytes: [UInt8]) -> Seal {
        EVP_DigestInit_ex2(chain, algorithm, nil)
        bytes.withUnsafeBytes(add)
        return finish()
    }

    /// Returns the seal that the first block follows, computed from the ID of the log that the history began in.
    func first(of root: [UInt8]) -> Seal { hash(Array("storykeep".utf8) + root) }

    /// Returns the seal of a block whose header and records are written.
    ///
    /// - Throws: `.corrupt` if the offsets or lengths of a record do not fit.
    package func seal(
        of header: BlockHeader, _ block: UnsafeRawBufferPointer, after seal: Seal
    ) throws(StorageError) -> Seal {
        guard let run = header.run(block) else { throw Record.damaged(header.first, "has no block") }
        EVP_DigestInit_ex2(chain, algorithm, nil)
        seal.bytes.withUnsafeBytes(add)
        add(UnsafeRawBufferPointer(rebasing: block[..<BlockHeader.size]))
        for position in run.first...run.last { try add(try run.record(at: position), at: position) }
        return finish()
    }

    private func add(_ record: UnsafeRawBufferPointer, at position: UInt64) throws(StorageError) {
        guard record.count >= RecordHeader.size else { throw Record.damaged(position, "is cut short") }
        let header = RecordHeader(record)
        guard header.recordCount == record.count,
            let layout = RecordLayout(position: position, header, count: Int(header.jsonCount))
        else { throw Record.damaged(position, "has lengths that do not fit its text") }
        let start = header.jsonStart
        let (labels, content) = (start + layout.labels.lowerBound, start + layout.labels.upperBound)
        let contentSalt = start - RecordHeader.saltSize
        add(UnsafeRawBufferPointer(rebasing: record[RecordHeader.sealed..<RecordHeader.size]))
        add(UnsafeRawBufferPointer(rebasing: record[start..<labels]))
        if header.hasLabels { commit(record, RecordHeader.size..<contentSalt, labels..<content) }
        commit(record, contentSalt..<start, content..<record.count)
    }

    private func commit(_ record: UnsafeRawBufferPointer, _ salt: Range<Int>, _ part: Range<Int>) {
        guard let base = record.baseAddress else { return }
        EVP_DigestInit_ex2(commitment, algorithm, nil)
        EVP_DigestUpdate(commitment, base + salt.lowerBound, salt.count)
        EVP_DigestUpdate(commitment, base + part.lowerBound, part.count)
        EVP_DigestFinal_ex(commitment, digest, nil)
        EVP_DigestUpdate(chain, digest, Seal.size)
    }

    @inline(__always)
    private func add(_ bytes: UnsafeRawBufferPointer) { EVP_DigestUpdate(chain, bytes.baseAddress, bytes.count) }

    private func finish() -> Seal {
        EVP_DigestFinal_ex(chain, digest, nil)
        return Seal(bytes: Array(UnsafeBufferPointer(start: digest, count: Seal.size)))
    }
}
