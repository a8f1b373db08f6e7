import COpenSSL
import StoryCore

/// SHA-256 over one commit and the seal of the commit before it: the chain that makes history fast.
struct Seal: Equatable, Sendable {
    static let size = 32

    let bytes: [UInt8]
}

/// Computes one seal after the other, record by record.
final class SealHasher {
    private let context: OpaquePointer
    private let algorithm: OpaquePointer

    init() throws(StorageError) {
        guard let context = EVP_MD_CTX_new() else { throw .failed("OpenSSL has no memory") }
        guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else {
            EVP_MD_CTX_free(context)
            throw .failed("OpenSSL has no SHA-256")
        }
        self.context = context
        self.algorithm = algorithm
    }

    deinit {
        EVP_MD_free(algorithm)
        EVP_MD_CTX_free(context)
    }

    /// Begins with nothing: the seal of the log's header.
    func begin() { EVP_DigestInit_ex2(context, algorithm, nil) }

    /// Begins the seal that follows another.
    func begin(after seal: Seal) {
        begin()
        seal.bytes.withUnsafeBytes(add)
    }

    /// Takes in a record without its seal.
    @inline(__always)
    func add(_ bytes: UnsafeRawBufferPointer) { EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) }

    /// The seal of what was taken in.
    func finish() -> Seal {
        Seal(
            bytes: [UInt8](unsafeUninitializedCapacity: Seal.size) { buffer, count in
                var written: UInt32 = 0
                EVP_DigestFinal_ex(context, buffer.baseAddress, &written)
                count = Int(written)
            })
    }
}
