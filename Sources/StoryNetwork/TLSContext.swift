import COpenSSL
import Glibc

/// The certificates and the rules of one side; it makes sessions, which keep it.
///
/// TLS 1.3 only; nothing is resumed, so that each connection shows its certificates. A context and its sessions are used
/// by one thread at a time.
package final class TLSContext {
    /// The side of the connections.
    package enum Side: Sendable {
        /// Accepts connections, and demands a certificate.
        case server
        /// Makes connections, and checks that the certificate is that of the host.
        case client
    }

    /// The greatest size of a peer's certificates in bytes.
    private static let longestChain = 32_768
    /// The greatest number of certificates between the peer's and the authority's.
    private static let greatestDepth: Int32 = 4

    let pointer: OpaquePointer
    let scratch = TLSScratch()
    /// The side of the connections.
    package let side: Side

    /// Reads the files.
    ///
    /// - Throws: `TLSError`, which names the file at fault.
    package init(_ side: Side, _ files: TLSFiles) throws(TLSError) {
        guard let pointer = SSL_CTX_new(side == .server ? TLS_server_method() : TLS_client_method()) else {
            throw .failed(reason: OpenSSLErrors.takeLast())
        }
        (self.pointer, self.side) = (pointer, side)
        guard storykeep_tls_only_13(pointer) == 1 else { throw .failed(reason: OpenSSLErrors.takeLast()) }
        storykeep_tls_release_buffers(pointer)
        storykeep_tls_no_sessions(pointer)
        storykeep_tls_longest_chain(pointer, TLSContext.longestChain)
        storykeep_tls_ask_nobody(pointer)
        SSL_CTX_set_verify_depth(pointer, TLSContext.greatestDepth)
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | (side == .server ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nil)
        try trust(files.authority)
        if let certificate = files.certificate, let key = files.key { try show(certificate, key) }
    }

    deinit { SSL_CTX_free(pointer) }

    /// Makes the session of a connection.
    ///
    /// - Parameter host: the name or the address in the server's certificate; only a client has one.
    /// - Throws: `.failed`.
    package func session(host: String? = nil) throws(TLSError) -> TLSSession { try TLSSession(self, host: host) }

    /// The common name of the own certificate, and the time at which it expires, in seconds since 1970; nil where none is
    /// shown.
    package var shown: (name: String?, expiry: Int)? {
        guard let certificate = SSL_CTX_get0_certificate(pointer), let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_TIME_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(certificate)) == 1 else { return nil }
        return (CommonName.read(certificate), Int(days) * 86_400 + Int(seconds))
    }

    private func trust(_ path: String) throws(TLSError) {
        try TLSContext.checkReadable(.authority, path)
        ERR_clear_error()
        guard SSL_CTX_load_verify_file(pointer, path) == 1 else { throw .malformed(.authority, path: path) }
        // A client may choose its certificate by the names of the authorities.
        if side == .server, let names = SSL_load_client_CA_file(path) { SSL_CTX_set_client_CA_list(pointer, names) }
    }

    private func show(_ certificate: String, _ key: String) throws(TLSError) {
        try TLSContext.checkReadable(.certificate, certificate)
        try TLSContext.checkReadable(.key, key)
        ERR_clear_error()
        guard SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
            let isSmall = [SSL_R_EE_KEY_TOO_SMALL, SSL_R_CA_KEY_TOO_SMALL].contains(OpenSSLErrors.lastReason)
            throw isSmall ? .tooSmall(path: certificate) : .malformed(.certificate, path: certificate)
        }
        ERR_clear_error()
        guard SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1 else {
            let isOther = OpenSSLErrors.lastReason == X509_R_KEY_VALUES_MISMATCH
            throw isOther ? .mismatch(certificate: certificate, key: key) : .malformed(.key, path: key)
        }
        guard SSL_CTX_check_private_key(pointer) == 1 else { throw .mismatch(certificate: certificate, key: key) }
    }

    /// Opens a file as a test, since OpenSSL does not say why it cannot read one.
    private static func checkReadable(_ part: TLSFiles.Part, _ path: String) throws(TLSError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw .unreadable(part, path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(part, path: path, reason: "it is no file")
        }
    }
}

/// The buffers that the sessions of a context share, since each uses them only within a call.
final class TLSScratch {
    /// The bytes that a session takes or gives at a time.
    static let part = 16_384
    /// Room for the data of a part and of the record that was incomplete before it.
    let data = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * part, alignment: 16)
    let records = UnsafeMutableRawBufferPointer.allocate(byteCount: part, alignment: 16)

    deinit {
        data.deallocate()
        records.deallocate()
    }
}

/// The common name in the subject of a certificate.
enum CommonName {
    /// The greatest length of a name in bytes.
    private static let longest = 256

    /// Reads the name; nil unless there is exactly one, of 1 to 256 bytes without control characters.
    static func read(_ certificate: OpaquePointer) -> String? {
        guard let subject = X509_get_subject_name(certificate) else { return nil }
        let index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1)
        guard index >= 0, X509_NAME_get_index_by_NID(subject, NID_commonName, index) < 0,
            let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index))
        else { return nil }
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&bytes, value)
        guard count >= 0, let bytes else { return nil }
        defer { CRYPTO_free(bytes, nil, 0) }
        guard 1...longest ~= Int(count) else { return nil }
        let name = String(validating: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
        guard let name, !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            return nil
        }
        return name
    }
}
