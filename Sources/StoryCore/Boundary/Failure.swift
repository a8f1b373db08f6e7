/// Why a request failed, as the client's program sees it (SPEC §3).
package enum ErrorCode: String, CaseIterable, Sendable {
    case syntax, unknown, invalid, notFound, gone, exists, conflict, keyReused
    case denied, tooLarge, full, diverged, busy, draining, `internal`

    /// What a client may do about it.
    package var retry: Retry {
        switch self {
        case .syntax, .unknown, .invalid, .notFound, .gone, .exists, .keyReused, .denied, .tooLarge, .diverged,
            .internal:
            .never
        case .conflict: .refetch
        case .full, .busy, .draining: .later
        }
    }
}

/// What a client may do about a failure.
package enum Retry: String, Sendable { case never, same, refetch, later }

/// A refusal or an error: a code for programs, a sentence for people, and what that code carries besides.
package struct Failure: Error, Equatable, Sendable {
    /// So many wrong fields one failure names.
    package static let mostFields = 1_000

    package let code: ErrorCode
    /// One sentence: what is wrong, and where it helps, what to do.
    package let message: String
    package let detail: FailureDetail

    package init(_ code: ErrorCode, _ message: String, _ detail: FailureDetail = .none) {
        self.code = code
        self.message = message
        self.detail = detail
    }
}

/// The extra members of an error line.
package enum FailureDetail: Equatable, Sendable {
    case none
    /// `syntax`: the byte of the line, from 1, where reading stopped.
    case column(Int)
    /// `unknown`: the name, and one close to it.
    case name(String, nearest: String?)
    /// `invalid`: every wrong field at once.
    case fields([FieldError])
    /// `exists`: `id` or `email`.
    case field(String)
    /// `conflict`; the stream where the request names several.
    case versions(expected: Version, actual: Version, stream: StreamName? = nil)
    /// `keyReused`: where the key's first write is.
    case position(Position)
    /// `tooLarge`: the limit that was passed.
    case limit(Int)
    /// `diverged`: this log, and the last position that it shares with the one that was named, where that is known.
    case log(LogID, position: Position?)
    /// `internal`: what is stored is damaged, at this position where that is known.
    case damaged(Position?)
}

/// What is wrong with one field of a form.
package enum FieldRule: String, CaseIterable, Sendable {
    case missing, empty, tooLong, notSelected, outOfRange, malformed, noSuch, unknownField, wrongType
}

/// One wrong field of a form.
package struct FieldError: Error, Equatable, Sendable {
    package let field: String
    package let rule: FieldRule
    package let message: String

    package init(field: String, rule: FieldRule, message: String) {
        self.field = field
        self.rule = rule
        self.message = message
    }
}

extension Failure {
    /// What a client gets when the storage failed under its request.
    package static func storage(_ error: StorageError) -> Failure {
        switch error {
        case .full(let reason): Failure(.full, reason)
        case .corrupt(_, let position): Failure(.internal, "the store is damaged: \(error)", .damaged(position))
        case .failed(let reason), .held(let reason): Failure(.internal, reason)
        }
    }

    /// True when what is stored is not what was written.
    package var isDamage: Bool {
        switch detail {
        case .damaged: true
        case .none, .column, .name, .fields, .field, .versions, .position, .limit, .log: false
        }
    }
}
