import COpenSSL
import StoryCore

/// A failure of TLS; each description is a sentence that says what to do.
package enum TLSError: Error, Hashable, Sendable {
    /// The file cannot be read.
    case unreadable(TLSFiles.Part, path: String, reason: String)
    /// The file has no certificate or key.
    case malformed(TLSFiles.Part, path: String)
    /// The key of the certificate is shorter than is safe.
    case tooSmall(path: String)
    /// The key is not that of the certificate.
    case mismatch(certificate: String, key: String)
    /// The peer showed no certificate.
    case noCertificate
    /// The peer's certificate was not accepted; the reason is OpenSSL's.
    case notAccepted(reason: String)
    /// The peer's certificate, or one above it, has expired.
    case expired
    /// The peer says that the own certificate, or one above it, has expired; with the end of the own one, in seconds since
    /// 1970.
    case localExpired(end: Int?)
    /// The peer demands a certificate, and none was shown to it.
    case certificateWanted
    /// The peer does not offer TLS 1.3.
    case oldVersion
    /// The bytes that came are no TLS.
    case notTLS
    /// The peer ended the connection with an alert.
    case refused(alert: String)
    /// The peer sent more messages that are no data than a connection needs.
    case tooManyMessages
    /// Something else failed; the reason is OpenSSL's.
    case failed(reason: String)

    /// The file that is at fault; nil where none is.
    package var part: TLSFiles.Part? {
        switch self {
        case .unreadable(let part, _, _), .malformed(let part, _): part
        case .mismatch: .key
        case .tooSmall: .certificate
        case .noCertificate, .notAccepted, .expired, .localExpired, .certificateWanted, .oldVersion, .notTLS, .refused,
            .tooManyMessages, .failed:
            nil
        }
    }
}

extension TLSError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(_, let path, let reason): "\(path) cannot be read: \(reason)"
        case .malformed(.certificate, let path):
            "\(path) begins with no certificate that can be used; it is to be in PEM"
        case .malformed(.key, let path): "\(path) has no private key without a passphrase; it is to be in PEM"
        case .malformed(.authority, let path): "\(path) has no certificate of an authority; it is to be in PEM"
        case .tooSmall(let path):
            "the key of the certificate in \(path) is too small; use one of RSA with 2,048 bits or more, or of P-256"
        case .mismatch(let certificate, let key):
            "the key in \(key) does not belong to the certificate in \(certificate); name the two that were made together"
        case .noCertificate: "the peer showed no certificate; give it one that the authority has signed"
        case .notAccepted(let reason):
            "the peer's certificate is not accepted: \(reason); see which authority signed it, for which name and until "
                + "when"
        case .expired: "the peer's certificate has expired; give it a new one"
        case .localExpired(let end):
            "the certificate shown to the peer has expired, as the peer says"
                + (end.map { ": it was valid until \(Instant(milliseconds: Int64($0) * 1_000).text)" } ?? "")
                + "; show a new one"
        case .certificateWanted: "the peer demands a certificate; show it one that its authority has signed"
        case .oldVersion: "the peer does not offer TLS 1.3; use a newer library there"
        case .notTLS: "what came is no TLS; connect to a port with TLS by a client that speaks it"
        case .refused(let alert):
            "the peer refused the connection (\(alert)); see that its authority has signed the certificate shown to it, "
                + "and its log"
        case .tooManyMessages: "the peer sent many messages without data; connect again"
        case .failed(let reason): "TLS failed: \(reason); connect again"
        }
    }
}

/// The errors that OpenSSL has queued for this thread.
enum OpenSSLErrors {
    /// The reason of the newest error; 0 where there is none.
    static var lastReason: Int32 { ERR_GET_REASON(ERR_peek_last_error()) }

    /// Returns the text of the first error, and forgets all.
    static func takeLast() -> String {
        defer { ERR_clear_error() }
        return text(ERR_peek_error())
    }

    /// Returns the text of an error without the names of OpenSSL's functions.
    static func text(_ code: UInt) -> String {
        if let text = ERR_reason_error_string(code) { return String(cString: text) }
        return code == 0 ? "the connection broke" : "error \(code)"
    }
}
