/// An answer of HTTP: a status, headers besides those that every answer has, and a body.
package struct HTTPAnswer {
    /// The bytes that follow the headers.
    enum Body {
        case bytes([UInt8])
        /// A file of the program, which is never freed.
        case file(UnsafeRawBufferPointer)
        /// Bytes of which each piece is read when the one before has left.
        case stream(any BodyStream)
    }

    /// A status of HTTP that is used here.
    package enum Status: Int, Sendable {
        case ok = 200
        case seeOther = 303
        case notModified = 304
        case badRequest = 400
        case unauthorized = 401
        case forbidden = 403
        case notFound = 404
        case methodNotAllowed = 405
        case conflict = 409
        case gone = 410
        case tooLarge = 413
        case misdirected = 421
        case invalid = 422
        case failed = 500
        case unavailable = 503
        case full = 507
    }

    package let status: Status
    var headers: [(name: String, value: String)] = []
    var body = Body.bytes([])

    /// The headers of every answer: the page runs its own scripts alone, in no frame, and nobody else reads it.
    static let always: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                + "require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// An answer that is never kept, of a content type.
    static func content(
        _ type: String, _ body: Body, status: Status = .ok, and headers: [(name: String, value: String)] = []
    ) -> HTTPAnswer {
        let own = [("Content-Type", type), ("Cache-Control", "no-store")]
        let later = status == .unavailable ? [("Retry-After", "1")] : []
        return HTTPAnswer(status: status, headers: own + later + headers, body: body)
    }

    static func json(_ json: [UInt8], status: Status = .ok) -> HTTPAnswer {
        content("application/json", .bytes(json), status: status)
    }

    /// An answer of one sentence for a person.
    static func text(
        _ text: String, status: Status, and headers: [(name: String, value: String)] = []
    ) -> HTTPAnswer {
        content("text/plain; charset=utf-8", .bytes(Array((text + "\n").utf8)), status: status, and: headers)
    }
}

/// A source of the bytes of a body, read by the thread of its connection; dropping it ends it.
protocol BodyStream: AnyObject {
    /// Returns the next bytes; waits until there are any.
    func next() -> BodyPiece
}

/// A piece of a body.
enum BodyPiece {
    /// One byte or more.
    case bytes([UInt8])
    /// The body is whole.
    case end
    /// The body cannot be completed: the connection is closed, so that the reader notices.
    case cut
}
