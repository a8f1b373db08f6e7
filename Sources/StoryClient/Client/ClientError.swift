/// A refusal of the store, or a failure to get its reply.
///
/// The first cases are the codes of the protocol, each with its members; `other` is for codes that are newer than this
/// library. A cancelled task gets a `CancellationError` instead of one of these.
public enum ClientError: Error, Hashable, Sendable {
    /// The line is not a request; parsing stopped at byte `column`, from 1.
    case syntax(message: String, column: Int?)
    /// The store has no such verb, kind, option, sort or filter.
    case unknown(message: String, name: String?, nearest: String?)
    /// Fields or options are wrong; `fields` has every one of them.
    case invalid(message: String, fields: [WrongField])
    /// Nothing has that ID.
    case notFound(message: String)
    /// The content with that ID was deleted; its history stays readable. Of an erasure: all of its events are erased
    /// already, by the event at `erased`.
    case gone(message: String, erased: UInt64? = nil)
    /// The ID, the email or the directory is taken; `field` says which.
    case exists(message: String, field: String?)
    /// The stream is not at the version that the write names: read it and decide again. Of an erasure: there is another
    /// number of events.
    case conflict(message: String, expected: UInt64, actual: UInt64, stream: String?)
    /// An event has come that the write must not follow: read its query and decide again.
    case conflictingEvent(message: String, ConflictingEvent)
    /// The key belongs to another write, whose last event is at this position.
    case keyReused(message: String, position: UInt64)
    /// This user's role may not do this, or the category is the store's own.
    case denied(message: String)
    /// Something is over a limit.
    case tooLarge(message: String, limit: Int?)
    /// The disk or the map is full; nothing was written.
    case full(message: String)
    /// The position belongs to another history. `log` is the store's, `position` the last event that both have.
    case diverged(message: String, log: String, position: UInt64?)
    /// The store has not got the event that the request names yet; `position` is its last one.
    case behind(message: String, position: UInt64)
    /// The store is a replica and takes no writes; `address` is that of the store which does.
    case notLeader(message: String, address: String)
    /// No node leads the log now. `mayBeWritten` is false where nothing was written, nor will be.
    case unavailable(message: String, mayBeWritten: Bool)
    /// Another worker holds the cursor.
    case held(message: String)
    /// This worker does not hold the cursor any more, and nothing was written; every event through `at` is done.
    case lost(message: String, at: UInt64)
    /// The server is at a limit of its own.
    case busy(message: String)
    /// The server is stopping.
    case draining(message: String)
    /// A defect of the server; `isDamaged` means that the data stored at `position` differs from the data that was
    /// written.
    case `internal`(message: String, isDamaged: Bool, position: UInt64?)
    /// A refusal that this version of the library does not know.
    case other(Refusal)

    /// The store could not be reached at the path within the given time; zero: at the only attempt.
    case unreachable(path: String, reason: String, after: Duration = .zero)
    /// TLS with the store at the URL failed: a file of the identity cannot be used, or one side does not accept the
    /// other.
    case insecure(path: String, reason: String)
    /// The connection was lost and could not be made again in time, or the request is one that is not sent twice;
    /// whether it was carried out is unknown. A ``StoreConnection`` is not made again: the store closed it.
    case connectionLost
    /// The call exceeded its time limit, and a late reply is dropped: `request` is its verb and target, empty for a
    /// ``StoreConnection``. If it was sent, it is unknown whether it was carried out; if not, nothing was done.
    case timedOut(request: String = "", after: Duration, wasSent: Bool = true)
    /// The wait of a ``StoreConnection`` was ended through its ``StoreConnection/interruption``.
    case interrupted
    /// The input of a ``RequestPipe`` cannot be read; the requests before the failure have their replies.
    case unreadableInput(reason: String)
    /// The system refused a call on a ``StoreConnection``.
    case system(call: String, reason: String)
    /// The other end does not speak this protocol; the value is the line that shows it.
    case protocolViolation(String)
    /// A declared model does not answer yet, after the time that was waited for; the reason says how far it is.
    case notReady(model: String, reason: String)
    /// This version of the library does not understand the reply; the value is its JSON.
    case notUnderstood(String)
    /// The value to send cannot be written as JSON; the value of the case is the reason.
    case notEncodable(String)
    /// This client was closed.
    case closed
}

extension ClientError {
    /// Creates the error of a refusal; each known code has a case, and one that cannot be read is `notUnderstood`.
    public init(_ refusal: Refusal) {
        if let json = refusal.unreadable {
            self = .notUnderstood(json)
            return
        }
        let message = refusal.message
        self =
            switch refusal.code {
            case .syntax: .syntax(message: message, column: refusal.column)
            case .unknown: .unknown(message: message, name: refusal.name, nearest: refusal.nearest)
            case .invalid: .invalid(message: message, fields: (refusal.fields ?? []).map(WrongField.init))
            case .notFound: .notFound(message: message)
            case .gone: .gone(message: message, erased: refusal.erased)
            case .exists: .exists(message: message, field: refusal.field)
            case .denied: .denied(message: message)
            case .tooLarge: .tooLarge(message: message, limit: refusal.limit)
            case .full: .full(message: message)
            case .notLeader: .notLeader(message: message, address: refusal.address ?? "")
            case .unavailable: .unavailable(message: message, mayBeWritten: refusal.outcome == "unknown")
            case .busy: .busy(message: message)
            case .held: .held(message: message)
            case .lost: .lost(message: message, at: refusal.at ?? 0)
            case .draining: .draining(message: message)
            case .internal:
                .internal(message: message, isDamaged: refusal.isDamage, position: refusal.position)
            default: ClientError(withNumbers: refusal)
            }
    }

    /// Creates the error of a refusal whose case needs further members; `other` if these are missing.
    private init(withNumbers refusal: Refusal) {
        let message = refusal.message
        switch (refusal.code, refusal.expected, refusal.actual, refusal.position, refusal.log) {
        case (.conflict, let expected?, let actual?, _, _):
            self = .conflict(message: message, expected: expected, actual: actual, stream: refusal.stream)
        case (.conflict, _, _, _, _):
            self = refusal.match.map { .conflictingEvent(message: message, $0) } ?? .other(refusal)
        case (.keyReused, _, _, let position?, _): self = .keyReused(message: message, position: position)
        case (.diverged, _, _, let position, let log?):
            self = .diverged(message: message, log: log, position: position)
        case (.behind, _, _, let position?, _): self = .behind(message: message, position: position)
        default: self = .other(refusal)
        }
    }

    /// The code of the store's refusal; nil for a failure to get its reply.
    public var code: Refusal.Code? {
        switch self {
        case .syntax: .syntax
        case .unknown: .unknown
        case .invalid: .invalid
        case .notFound: .notFound
        case .gone: .gone
        case .exists: .exists
        case .conflict, .conflictingEvent: .conflict
        case .keyReused: .keyReused
        case .denied: .denied
        case .tooLarge: .tooLarge
        case .full: .full
        case .diverged: .diverged
        case .behind: .behind
        case .notLeader: .notLeader
        case .unavailable: .unavailable
        case .busy: .busy
        case .held: .held
        case .lost: .lost
        case .draining: .draining
        case .internal: .internal
        case .other(let refusal): refusal.code
        case .unreachable, .insecure, .connectionLost, .timedOut, .interrupted, .unreadableInput, .system,
            .protocolViolation, .notReady, .notUnderstood, .notEncodable, .closed:
            nil
        }
    }

    /// The way to retry the request, if there is one.
    public var retry: Retry {
        switch self {
        case .syntax, .unknown, .invalid, .notFound, .gone, .exists, .keyReused, .denied, .tooLarge, .diverged,
            .notLeader, .internal, .lost, .insecure, .protocolViolation, .notUnderstood, .notEncodable,
            .unreadableInput,
            .closed:
            .never
        case .conflict, .conflictingEvent: .refetch
        case .full, .behind, .unavailable(_, mayBeWritten: false), .busy, .held, .draining, .unreachable, .notReady:
            .later
        case .connectionLost, .timedOut, .interrupted, .system, .unavailable: .same
        case .other(let refusal): refusal.retry.flatMap(Retry.init) ?? .never
        }
    }
}

/// The way to retry a failed request.
public enum Retry: String, Hashable, Sendable {
    /// The same request will fail again.
    case never
    /// The request can be sent again as it is, a write with the same key.
    case same
    /// Read the newest state, and decide again.
    case refetch
    /// The request can be sent again in a while.
    case later
}

extension ClientError: CustomStringConvertible {
    /// One sentence, with the next step; that of `invalid` has the first reason.
    public var description: String {
        switch self {
        case .invalid(let message, let fields): message + (fields.first.map { " (\($0.sentence))" } ?? "")
        case .syntax(let message, _), .unknown(let message, _, _), .notFound(let message), .gone(let message, _),
            .exists(let message, _), .conflict(let message, _, _, _), .conflictingEvent(let message, _),
            .keyReused(let message, _),
            .denied(let message), .tooLarge(let message, _), .full(let message), .diverged(let message, _, _),
            .behind(let message, _), .notLeader(let message, _), .unavailable(let message, _), .busy(let message),
            .held(let message), .lost(let message, _), .draining(let message), .internal(let message, _, _):
            message
        case .other(let refusal): "\(refusal.code.rawValue): \(refusal.message)"
        case .unreachable(let path, let reason, .zero):
            "cannot connect to \(path): \(reason); "
                + (StoreEndpoint.advice(on: path)
                    ?? "is stored running, is that its socket, and may you use it? --socket or STORED_SOCKET says where "
                    + "it listens")
        case .unreachable(let path, let reason, let time):
            "nobody could be reached at \(path) for \(time.shown): \(reason); "
                + (StoreEndpoint.advice(on: path) ?? "is stored running, and is that its socket?")
        case .insecure(let path, let reason): "no safe connection to \(path): \(reason)"
        case .connectionLost: "the connection was lost; whether the request was carried out is unknown"
        case .timedOut("", _, true):
            "the store did not answer in time; whether the request was carried out is unknown"
        case .timedOut("", _, false): "the store did not answer in time; nothing was sent"
        case .timedOut(let request, let time, let wasSent):
            "\(request) had no answer after \(time.shown); "
                + (wasSent ? "whether it was carried out is unknown" : "it was not sent")
        case .interrupted: "interrupted"
        case .unreadableInput(let reason): "standard input cannot be read: \(reason)"
        case .system(let call, let reason): "\(call) failed on the connection: \(reason); connect again"
        case .protocolViolation(let line): "this is not the store's protocol: \(line); is it stored that listens there?"
        case .notReady(let model, let reason): "\(model) does not answer yet: \(reason)"
        case .notUnderstood(let json): "the store answered what this library does not understand: \(json)"
        case .notEncodable(let reason): "this cannot be written as JSON: \(reason)"
        case .closed: "this client was closed; make another one"
        }
    }
}

extension ClientError {
    /// The error of a connection whose store has announced that it stops.
    package static let ending = ClientError.draining(message: "the store is stopping; connect again in a moment")

    /// Returns the error for a line that is none of the protocol's.
    static func violation(_ line: some Sequence<UInt8>) -> ClientError {
        .protocolViolation(String(decoding: Array(line.prefix(200)), as: UTF8.self))
    }
}

/// The former name of the failures of a ``StoreConnection``.
@available(*, deprecated, renamed: "ClientError")
public typealias StoreError = ClientError

extension Duration {
    /// The duration as text for people: `40 ms`, `1.5 s`.
    fileprivate var shown: String {
        let tenths = components.seconds.multipliedReportingOverflow(by: 10)
        guard self >= .seconds(1), !tenths.overflow else {
            return "\(components.attoseconds / 1_000_000_000_000_000) ms"
        }
        let rest = components.attoseconds / 100_000_000_000_000_000
        return rest == 0 ? "\(components.seconds) s" : "\(components.seconds).\(rest) s"
    }
}
