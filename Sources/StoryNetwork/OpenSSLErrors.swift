import COpenSSL

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
