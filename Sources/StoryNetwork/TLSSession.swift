import COpenSSL

/// The TLS of one connection: bytes in and bytes out, without a socket.
///
/// The owner gives it the bytes that the peer sent, and data to send; it returns bytes for the peer, and data from it. It
/// keeps at most a record of each. A closure `send` takes bytes for the peer, also before an error, which the peer is to
/// know.
package final class TLSSession {
    /// The state of the session.
    package enum State: Hashable, Sendable {
        case handshaking
        case open
        /// The peer has said that it sends no more; data can still be sent to it.
        case ended
        case failed
    }

    /// The greatest number of messages without data that one call takes.
    private static let mostMessages: UInt32 = 32

    /// The state of the session.
    package private(set) var state = State.handshaking
    /// The common name in the peer's certificate, once the session is open; nil where it has not exactly one.
    package private(set) var peerName: String?

    /// The time at which the first of the certificates expires by which the peer was accepted, in seconds since 1970; nil
    /// before the session is open.
    package private(set) var expiry: Int?

    private let context: TLSContext
    let session: OpaquePointer
    /// The bytes from the peer and those for it, which the session owns.
    private let (input, output): (OpaquePointer, OpaquePointer)
    private let messages = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

    init(_ context: TLSContext, host: String?) throws(TLSError) {
        guard let session = SSL_new(context.pointer) else { throw .failed(reason: OpenSSLErrors.takeLast()) }
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            SSL_free(session)
            throw .failed(reason: OpenSSLErrors.takeLast())
        }
        SSL_set_bio(session, input, output)
        (self.context, self.session, self.input, self.output) = (context, session, input, output)
        messages.initialize(to: 0)
        storykeep_tls_count_messages(session, messages)
        switch context.side {
        case .server: SSL_set_accept_state(session)
        case .client: SSL_set_connect_state(session)
        }
        if let host { try expect(host) }
    }

    deinit {
        SSL_free(session)
        messages.deallocate()
    }

    /// Offers the protocols that a client speaks inside (ALPN), before the handshake; no names offer nothing.
    package func offer(_ protocols: [String]) throws(TLSError) {
        let list = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + $0.utf8 }
        // It returns 0 where it was done.
        guard list.isEmpty || SSL_set_alpn_protos(session, list, UInt32(list.count)) == 0 else {
            throw .failed(reason: OpenSSLErrors.takeLast())
        }
    }

    /// Takes bytes that the peer sent.
    ///
    /// - Parameter deliver: takes data from the peer, which is valid until it returns.
    package func received(
        _ bytes: UnsafeRawBufferPointer, send: (UnsafeRawBufferPointer) -> Void,
        deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(TLSError) {
        var rest = bytes[...]
        messages.pointee = 0
        while !rest.isEmpty, state == .handshaking || state == .open {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(TLSScratch.part))
            rest = rest.dropFirst(part.count)
            // It fails without memory only.
            guard BIO_write(input, part.baseAddress, Int32(part.count)) == part.count else {
                state = .failed
                throw .failed(reason: OpenSSLErrors.takeLast())
            }
            if state == .handshaking { try handshake(send) }
            if state == .open { try read(send, deliver) }
        }
    }

    /// Encrypts data for the peer; nothing where the session is not open.
    package func send(_ data: UnsafeRawBufferPointer, _ send: (UnsafeRawBufferPointer) -> Void) throws(TLSError) {
        guard state == .open || state == .ended else { return }
        var rest = data[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(TLSScratch.part))
            rest = rest.dropFirst(part.count)
            ERR_clear_error()
            var written = 0
            guard SSL_write_ex(session, part.baseAddress, part.count, &written) == 1, written == part.count else {
                throw failure(send)
            }
            drain(send)
        }
    }

    /// Tells the peer that no more is sent; its data is still taken.
    package func close(_ send: (UnsafeRawBufferPointer) -> Void) {
        guard state == .open || state == .ended else { return }
        ERR_clear_error()
        SSL_shutdown(session)
        ERR_clear_error()
        drain(send)
    }

    /// Verifies the peer's certificate once more, by the authorities of another context.
    ///
    /// - Throws: `.notAccepted`, `.expired`.
    package func verifyPeer(by context: TLSContext) throws(TLSError) {
        var (end, reason): (Int64, Int32) = (0, 0)
        let purpose = context.side == .server ? "ssl_client" : "ssl_server"
        guard storykeep_tls_verify(context.pointer, session, purpose, &end, &reason) == 1 else {
            throw TLSError(verdict: Int(reason))
        }
        expiry = Int(end)
    }

    /// Checks that the certificates by which the peer was accepted are valid at a time, in seconds since 1970.
    ///
    /// - Throws: `.expired`.
    package func checkExpiry(at now: Int) throws(TLSError) {
        if let expiry, now >= expiry { throw .expired }
    }

    private func expect(_ host: String) throws(TLSError) {
        // The common name is that of a client's user, so it is not taken for the name of a host.
        SSL_set_hostflags(session, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) == 1 { return }
        ERR_clear_error()
        guard SSL_set1_host(session, host) == 1, storykeep_tls_set_server_name(session, host) == 1 else {
            throw .failed(reason: OpenSSLErrors.takeLast())
        }
    }

    /// Goes on with the handshake. A client begins it so; a server waits for that.
    package func handshake(_ send: (UnsafeRawBufferPointer) -> Void) throws(TLSError) {
        ERR_clear_error()
        let result = SSL_do_handshake(session)
        guard result != 1 else {
            state = .open
            var end: Int64 = 0
            if storykeep_tls_session_expiry(session, &end) == 1 { expiry = Int(end) }
            if let certificate = SSL_get1_peer_certificate(session) {
                peerName = CommonName.read(certificate)
                X509_free(certificate)
            }
            return drain(send)
        }
        guard SSL_get_error(session, result) == SSL_ERROR_WANT_READ else { throw failure(send) }
        drain(send)
    }

    /// Delivers the data of the records that are complete.
    private func read(
        _ send: (UnsafeRawBufferPointer) -> Void, _ deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(TLSError) {
        let buffer = context.scratch.data
        var (filled, isMore) = (0, true)
        while isMore {
            ERR_clear_error()
            var count = 0
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let result = SSL_read_ex(session, room.baseAddress, room.count, &count)
            filled += result == 1 ? count : 0
            guard messages.pointee <= TLSSession.mostMessages else {
                state = .failed
                throw .tooManyMessages
            }
            if result != 1 {
                let end = SSL_get_error(session, result)
                isMore = false
                if end == SSL_ERROR_ZERO_RETURN { state = .ended }
                if end != SSL_ERROR_ZERO_RETURN, end != SSL_ERROR_WANT_READ { throw failure(send) }
            }
            if filled > 0, !isMore || filled == buffer.count {
                deliver(UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
                filled = 0
            }
        }
        drain(send)
    }

    /// Hands over the bytes that wait for the peer.
    private func drain(_ send: (UnsafeRawBufferPointer) -> Void) {
        let buffer = context.scratch.records
        while BIO_ctrl_pending(output) > 0 {
            let count = BIO_read(output, buffer.baseAddress, Int32(buffer.count))
            guard count > 0 else { return }
            send(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
        }
    }

    /// Notes a failure, with the alert for the peer that OpenSSL has written.
    private func failure(_ send: (UnsafeRawBufferPointer) -> Void) -> TLSError {
        state = .failed
        let error = reason
        ERR_clear_error()
        drain(send)
        return error
    }

    /// The error that OpenSSL has queued.
    private var reason: TLSError {
        let code = ERR_peek_error()
        let number = ERR_GET_REASON(code)
        switch number {
        case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: return .noCertificate
        case SSL_R_CERTIFICATE_VERIFY_FAILED: return TLSError(verdict: SSL_get_verify_result(session))
        case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED: return .localExpired(end: context.shown?.expiry)
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: return .certificateWanted
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
            return .oldVersion
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_UNKNOWN_PROTOCOL:
            return .notTLS
        case 1_001..<1_256: return .refused(alert: OpenSSLErrors.text(code))
        default: return .failed(reason: OpenSSLErrors.text(code))
        }
    }
}

extension TLSError {
    /// The error for a certificate that OpenSSL did not verify, by the number of the verdict.
    fileprivate init(verdict: Int) {
        guard verdict != Int(X509_V_ERR_CERT_HAS_EXPIRED) else {
            self = .expired
            return
        }
        let text = X509_verify_cert_error_string(verdict).map { String(cString: $0) }
        self = .notAccepted(reason: text ?? "error \(verdict)")
    }
}
