/// The code of a failed request, for the client's program (docs/protocol.md, Errors).
package enum ErrorCode: String, CaseIterable, Sendable {
    case syntax, unknown, invalid, notFound, gone, exists, conflict, keyReused
    case denied, tooLarge, full, diverged, behind, notLeader, unavailable, busy, draining, `internal`
    case held, lost

    /// The advice to the client on trying again.
    package var retry: Retry {
        switch self {
        case .syntax, .unknown, .invalid, .notFound, .gone, .exists, .keyReused, .denied, .tooLarge, .diverged,
            .notLeader, .internal, .lost:
            .never
        case .conflict: .refetch
        case .full, .behind, .unavailable, .busy, .draining, .held: .later
        }
    }
}

/// The advice to a client on trying again after a failure.
package enum Retry: String, Sendable { case never, same, refetch, later }

/// A refusal or an error: a code for programs, a sentence for people, and the details of that code.
package struct Failure: Error, Equatable, Sendable {
    /// The maximum number of wrong fields that one failure names.
    package static let mostFields = 1_000

    /// The code for programs.
    package let code: ErrorCode
    /// One sentence: the fault and, where it helps, the remedy.
    package let message: String
    /// The details that belong to the code.
    package let detail: FailureDetail

    /// The advice to the client on trying again.
    package let retry: Retry

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - code: the code for programs.
    ///   - message: one sentence: the fault and, where it helps, the remedy.
    ///   - detail: the details that belong to the code.
    ///   - retry: the advice on trying again; nil for that of the code, but for a write that may have been carried out.
    package init(_ code: ErrorCode, _ message: String, _ detail: FailureDetail = .none, retry: Retry? = nil) {
        self.code = code
        self.message = message
        self.detail = detail
        self.retry = retry ?? (detail == .outcome(.unknown) ? .refetch : code.retry)
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
    /// `conflict` with a query of `unless=`, by its number from 0: the first event of it after a position.
    case match(Int, after: Position, EventMatch)
    /// `conflict` with `expect=`: the numbers of events.
    case counts(expected: UInt64, actual: UInt64)
    /// `held`: the process that holds the cursor, and since when.
    case holder(Peer, since: Instant)
    /// `lost` and `diverged`: the position that every event of the cursor through it is done at.
    case place(CursorPlaceDetail)
    /// `gone`: the event that erased the content.
    case erased(Position)
    /// `keyReused`: the position of the key's first write. `behind`: the last event that this store has.
    case position(Position)
    /// `tooLarge`: the limit that was exceeded.
    case limit(Int)
    /// `diverged`: this log, and the last position that it shares with the log that the client named; nil where that is
    /// unknown.
    case log(LogID, position: Position?)
    /// `busy`: how many of the log's events were folded into a model that is being built.
    case progress(Position, of: Position)
    /// `busy`: the number of events whose words are not in the index yet.
    case behind(UInt64)
    /// `notLeader`: the address of the store that takes writes.
    case address(String)
    /// `unavailable`: whether the write may be carried out.
    case outcome(UnavailableOutcome)
    /// `internal`: the stored data are damaged; the position is nil where it is unknown.
    case damaged(Position?)
}

/// The position of a cursor in a failure.
package struct CursorPlaceDetail: Equatable, Sendable {
    /// The name of the cursor.
    package let cursor: Identifier
    /// The position that every event through it is done at.
    package let at: Position
    /// This log, where the cursor was held in another history last.
    package let log: LogID?

    /// Creates a detail from its parts.
    package init(_ cursor: Identifier, at: Position, log: LogID? = nil) {
        (self.cursor, self.at, self.log) = (cursor, at, log)
    }
}

/// An event that breaks a precondition.
package struct EventMatch: Equatable, Sendable {
    /// The position of the event.
    package let position: Position
    /// The stream of the event.
    package let stream: StreamName
    /// The type of the event.
    package let type: EventType

    /// Creates a match from its parts.
    package init(position: Position, stream: StreamName, type: EventType) {
        (self.position, self.stream, self.type) = (position, stream, type)
    }
}

/// The outcome of a write that is `unavailable`.
package enum UnavailableOutcome: String, Sendable {
    /// Nothing was written, nor will be.
    case none
    /// It may be written, now or later.
    case unknown
}

/// The rule that a field of a form breaks.
package enum FieldRule: String, CaseIterable, Error {
    case missing, empty, tooLong, notSelected, outOfRange, malformed, noSuch, unknownField, wrongType
    case repeated
}

/// One wrong field of a form.
package struct FieldError: Error, Equatable, Sendable {
    /// The name of the field on the wire.
    package let field: String
    /// The rule that the field breaks.
    package let rule: FieldRule
    /// The explanation for a person.
    package let message: String

    /// Creates the error of one field.
    package init(field: String, rule: FieldRule, message: String) {
        self.field = field
        self.rule = rule
        self.message = message
    }
}

extension Failure {
    /// Returns the failure that a client gets when the storage failed under its request.
    package static func storage(_ error: StorageError) -> Failure {
        switch error {
        case .full(let reason): Failure(.full, reason)
        case .corrupt(_, let position): Failure(.internal, "the store is damaged: \(error)", .damaged(position))
        case .failed(let reason), .held(let reason): Failure(.internal, reason)
        }
    }

    /// The failure of a request, or of an answer under way, whose kind was removed meanwhile.
    package static let removedKind = Failure(
        .unknown, "the kind was removed meanwhile; HELP LIST lists the present ones")

    /// True when the stored data differ from those that were written.
    package var isDamage: Bool {
        switch detail {
        case .damaged: true
        case .none, .column, .name, .fields, .field, .versions, .match, .counts, .holder, .place, .erased, .position,
            .limit, .log, .progress, .behind, .address, .outcome:
            false
        }
    }
}

/// A failure of the outside world, caused neither by the client nor by this program.
package enum StorageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The disk or the map is full: nothing was written, and reading still works.
    case full(String)
    /// The stored data differ from those that were written, from this position on; nil where that is unknown.
    case corrupt(String, at: Position?)
    /// The system refused; whether the last write is on the disk is unknown.
    case failed(String)
    /// Another process holds the data directory.
    case held(String)

    /// The sentence for a person.
    package var description: String {
        switch self {
        case .full(let reason), .failed(let reason), .held(let reason), .corrupt(let reason, nil): reason
        // Most reasons name the position already.
        case .corrupt(let reason, let position?):
            reason.contains("position \(position.value)") ? reason : "position \(position.value): \(reason)"
        }
    }
}

/// The end of a commit.
///
/// A commit whose outcome is unknown has not ended: it stays under way, and the same entry is tried again.
package enum CommitEnd: Equatable, Sendable {
    /// Its events are in the log for good.
    case acknowledged
    /// None of its events is in the log, nor will be: they are undone, and clients get this failure.
    case refused(Failure)
    /// The state of the log is unknown, and the process has to end.
    case failed(StorageError)

    /// The end of a commit that failed with an error.
    package init(_ error: StorageError) {
        self = error.refusal.map { .refused($0) } ?? .failed(error)
    }
}

extension StorageError {
    /// The failure that clients get where nothing was written for lack of space; nil for an error that ends the process.
    package var refusal: Failure? {
        switch self {
        case .full: Failure(.full, "\(self); nothing was written")
        case .corrupt, .failed, .held: nil
        }
    }
}
