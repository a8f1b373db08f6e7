/// Why the store refused a request, or why it could not be asked.
///
/// The first cases are the codes of the protocol, each with its members; `other` is for codes that are newer than this
/// library. A cancelled task gets a `CancellationError` instead of one of these.
public enum ClientError: Error, Hashable, Sendable {
    /// The line is not a request; reading stopped at this byte, from 1.
    case syntax(message: String, column: Int?)
    /// The store has no such verb, kind, option, sort or filter.
    case unknown(message: String, name: String?, nearest: String?)
    /// Fields or options are wrong: every one of them.
    case invalid(message: String, fields: [WrongField])
    /// Nothing has that ID.
    case notFound(message: String)
    /// What had that ID was deleted; its history stays readable.
    case gone(message: String)
    /// The ID, the email or the directory is taken; `field` says which.
    case exists(message: String, field: String?)
    /// The stream is not at the version that the write names: read it and decide again.
    case conflict(message: String, expected: UInt64, actual: UInt64, stream: String?)
    /// The key belongs to another write, whose last event is at this position.
    case keyReused(message: String, position: UInt64)
    /// This user's role may not do this, or the category is the store's own.
    case denied(message: String)
    /// Something is over a limit.
    case tooLarge(message: String, limit: Int?)
    /// The disk or the map is full; nothing was written.
    case full(message: String)
    /// The position is one of another history. `log` is the store's, `position` the last event that both have.
    case diverged(message: String, log: String, position: UInt64?)
    /// The server is at a limit of its own.
    case busy(message: String)
    /// The server is stopping.
    case draining(message: String)
    /// A defect of the server; `isDamaged` says that what is stored is not what was written, at this position.
    case `internal`(message: String, isDamaged: Bool, position: UInt64?)
    /// A refusal that this version of the library does not know.
    case other(Refusal)

    /// Nobody could be reached at the path for so long.
    case unreachable(path: String, reason: String, after: Duration)
    /// The connection was lost and could not be made again in time, or the request is one that is not sent twice;
    /// whether it was carried out is unknown.
    case connectionLost
    /// A call took longer than it may, and its late answer is dropped: `request` is its verb and target. Where it was
    /// sent, whether it was carried out is unknown; where it was not, nothing was done.
    case timedOut(request: String, after: Duration, wasSent: Bool)
    /// The other end does not speak this protocol; the line that shows it.
    case protocolViolation(String)
    /// The answer is not what this version of the library understands.
    case notUnderstood(String)
    /// What was to be sent cannot be written as JSON.
    case notEncodable(String)
    /// This client was closed.
    case closed
}

extension ClientError {
    /// What a refusal says, as a case of its own.
    public init(_ refusal: Refusal) {
        let message = refusal.message
        self =
            switch refusal.code {
            case .syntax: .syntax(message: message, column: refusal.column)
            case .unknown: .unknown(message: message, name: refusal.name, nearest: refusal.nearest)
            case .invalid: .invalid(message: message, fields: (refusal.fields ?? []).map(WrongField.init))
            case .notFound: .notFound(message: message)
            case .gone: .gone(message: message)
            case .exists: .exists(message: message, field: refusal.field)
            case .denied: .denied(message: message)
            case .tooLarge: .tooLarge(message: message, limit: refusal.limit)
            case .full: .full(message: message)
            case .busy: .busy(message: message)
            case .draining: .draining(message: message)
            case .internal:
                .internal(message: message, isDamaged: refusal.isDamage, position: refusal.position)
            default: ClientError(withNumbers: refusal)
            }
    }

    /// The refusals that mean nothing without their numbers; one that lacks them is `other`.
    private init(withNumbers refusal: Refusal) {
        let message = refusal.message
        switch (refusal.code, refusal.expected, refusal.actual, refusal.position, refusal.log) {
        case (.conflict, let expected?, let actual?, _, _):
            self = .conflict(message: message, expected: expected, actual: actual, stream: refusal.stream)
        case (.keyReused, _, _, let position?, _): self = .keyReused(message: message, position: position)
        case (.diverged, _, _, let position, let log?):
            self = .diverged(message: message, log: log, position: position)
        default: self = .other(refusal)
        }
    }

    /// What a program may do about it.
    public var retry: Retry {
        switch self {
        case .syntax, .unknown, .invalid, .notFound, .gone, .exists, .keyReused, .denied, .tooLarge, .diverged,
            .internal, .protocolViolation, .notUnderstood, .notEncodable, .closed:
            .never
        case .conflict: .refetch
        case .full, .busy, .draining, .unreachable: .later
        case .connectionLost, .timedOut: .same
        case .other(let refusal): refusal.retry.flatMap(Retry.init) ?? .never
        }
    }
}

/// What a program may do about an error.
public enum Retry: String, Hashable, Sendable {
    /// The same request will fail again.
    case never
    /// The request can be sent again as it is, a write with the same key.
    case same
    /// Read, and decide again.
    case refetch
    /// The request can be sent again in a while.
    case later
}

extension ClientError: CustomStringConvertible {
    /// One sentence, with what to do next.
    public var description: String {
        switch self {
        case .syntax(let message, _), .unknown(let message, _, _), .invalid(let message, _), .notFound(let message),
            .gone(let message), .exists(let message, _), .conflict(let message, _, _, _), .keyReused(let message, _),
            .denied(let message), .tooLarge(let message, _), .full(let message), .diverged(let message, _, _),
            .busy(let message), .draining(let message), .internal(let message, _, _):
            message
        case .other(let refusal): "\(refusal.code.rawValue): \(refusal.message)"
        case .unreachable(let path, let reason, let time):
            "nobody could be reached at \(path) for \(time.shown): \(reason); is stored running, and is that its socket?"
        case .connectionLost: "the connection was lost; whether the request was carried out is unknown"
        case .timedOut(let request, let time, let wasSent):
            "\(request) had no answer after \(time.shown); "
                + (wasSent ? "whether it was carried out is unknown" : "it was not sent")
        case .protocolViolation(let line): "this is not the store's protocol: \(line); is it stored that listens there?"
        case .notUnderstood(let json): "the store answered what this library does not understand: \(json)"
        case .notEncodable(let reason): "this cannot be written as JSON: \(reason)"
        case .closed: "this client was closed; make another one"
        }
    }
}

extension Duration {
    /// As a person reads it: `40 ms`, `1.5 s`.
    fileprivate var shown: String {
        let tenths = components.seconds.multipliedReportingOverflow(by: 10)
        guard self >= .seconds(1), !tenths.overflow else {
            return "\(components.attoseconds / 1_000_000_000_000_000) ms"
        }
        let rest = components.attoseconds / 100_000_000_000_000_000
        return rest == 0 ? "\(components.seconds) s" : "\(components.seconds).\(rest) s"
    }
}
