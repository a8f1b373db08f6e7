/// Why a request failed, as the client's program sees it (SPEC §3).
package enum ErrorCode: String, CaseIterable, Sendable {
    case syntax, unknown, invalid, notFound, gone, exists, conflict, keyReused
    case denied, tooLarge, full, busy, draining, `internal`

    /// What a client may do about it.
    package var retry: Retry {
        switch self {
        case .syntax, .unknown, .invalid, .notFound, .gone, .exists, .keyReused, .denied, .tooLarge, .internal: .never
        case .conflict: .refetch
        case .full, .busy, .draining: .later
        }
    }
}

/// What a client may do about a failure.
package enum Retry: String, Sendable { case never, same, refetch, later }

/// A refusal or an error: a code for programs, a sentence for people, and what that code carries besides.
package struct Failure: Error, Equatable, Sendable {
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
    /// `conflict`.
    case versions(expected: Version, actual: Version)
    /// `keyReused`: where the key's first write is.
    case position(Position)
    /// `tooLarge`: the limit that was passed.
    case limit(Int)
}

/// What is wrong with one field of a form.
package enum FieldRule: String, CaseIterable, Sendable {
    case missing, empty, tooLong, notSelected, outOfRange, malformed, noSuch, unknownField, wrongType
}

/// One wrong field of a form.
package struct FieldError: Equatable, Sendable {
    package let field: String
    package let rule: FieldRule
    package let message: String

    package init(field: String, rule: FieldRule, message: String) {
        self.field = field
        self.rule = rule
        self.message = message
    }
}
