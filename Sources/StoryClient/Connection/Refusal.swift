/// A store's refusal: a code for programs, a sentence for people, and the further members of that code.
public struct Refusal: Error, Hashable, Sendable, Decodable {
    /// The kind of a refusal; new codes may come. docs/protocol.md says when each is sent.
    public struct Code: RawRepresentable, Hashable, Sendable, Decodable {
        /// Its name on the wire.
        public let rawValue: String

        /// Creates the code with this name on the wire.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The line is not a request.
        public static let syntax = Code(rawValue: "syntax")
        /// The store has no such verb, kind, option, sort or filter.
        public static let unknown = Code(rawValue: "unknown")
        /// Nothing has that ID.
        public static let notFound = Code(rawValue: "notFound")
        /// The content with that ID was deleted, or the events are erased.
        public static let gone = Code(rawValue: "gone")
        /// Fields or options are wrong.
        public static let invalid = Code(rawValue: "invalid")
        /// The ID, the email or the directory is taken.
        public static let exists = Code(rawValue: "exists")
        /// The stream is not at the version that the write names, or there is another number of events to erase.
        public static let conflict = Code(rawValue: "conflict")
        /// The key belongs to another write.
        public static let keyReused = Code(rawValue: "keyReused")
        /// This user's role may not do this, or the category is the store's own.
        public static let denied = Code(rawValue: "denied")
        /// Something is over a limit.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The disk or the map is full.
        public static let full = Code(rawValue: "full")
        /// The position belongs to another history.
        public static let diverged = Code(rawValue: "diverged")
        /// The store has not got the event that the request names yet.
        public static let behind = Code(rawValue: "behind")
        /// The store is a replica and takes no writes.
        public static let notLeader = Code(rawValue: "notLeader")
        /// No node leads the log now.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The server is at a limit of its own.
        public static let busy = Code(rawValue: "busy")
        /// Another connection holds the cursor.
        public static let held = Code(rawValue: "held")
        /// The connection does not hold the cursor any more.
        public static let lost = Code(rawValue: "lost")
        /// The server is stopping.
        public static let draining = Code(rawValue: "draining")
        /// The server has a defect, or its data is damaged.
        public static let `internal` = Code(rawValue: "internal")
    }

    /// One wrong field of a form.
    public struct Field: Hashable, Sendable, Decodable {
        /// Its name on the wire.
        public let field: String
        /// The rule that it violates, by its name on the wire.
        public let rule: String
        /// The message for people.
        public let message: String
    }

    /// The kind of the refusal.
    public let code: Code
    /// One sentence: the fault and, where it helps, the remedy.
    public let message: String
    /// The way to retry: `never`, `same` (send it again), `refetch` (read, decide again) or `later`.
    public let retry: String?
    /// Every wrong field, for `invalid`.
    public let fields: [Field]?
    /// The name that is unknown.
    public let name: String?
    /// A name close to the one that is unknown.
    public let nearest: String?
    /// True for an `internal` that reports damaged data.
    public let damaged: Bool?
    /// The byte of the line, from 1, where reading stopped, for `syntax`.
    public let column: Int?
    /// The field whose value is taken, for `exists`: `id`, `email` or `directory`.
    public let field: String?
    /// The version that the request named, for `conflict`; of an erasure the number of events.
    public let expected: UInt64?
    /// The version that the stream has, for `conflict`; of an erasure the number of events.
    public let actual: UInt64?
    /// The position of the event that erased the events, for `gone`.
    public let erased: UInt64?
    /// The stream that a `conflict` is about, where the request names several; that of an event which breaks a
    /// precondition.
    public let stream: String?
    /// The number of the precondition that failed, from 0, for `conflict`.
    public let unless: Int?
    /// The position that the precondition names, for `conflict`.
    public let after: UInt64?
    /// The type of the event that breaks the precondition, for `conflict`.
    public let type: String?
    /// For `conflict` the event that breaks the precondition, for `keyReused` the key's own event, for `diverged` the last event that both logs have, for `behind` the last one
    /// that the store has, for damage the event.
    public let position: UInt64?
    /// The cursor that is meant, for `lost`, `diverged` and `conflict` of workers.
    public let cursor: String?
    /// The position that every event of that cursor through it is done at.
    public let at: UInt64?
    /// The limit that was passed, for `tooLarge`.
    public let limit: Int?
    /// The history that the store has, for `diverged`.
    public let log: String?
    /// The number of events whose words are not in the index yet, for `busy`.
    public let behind: UInt64?
    /// The address of the store that takes writes, for `notLeader`.
    public let address: String?
    /// For `unavailable`: `none` where nothing was written, nor will be, else `unknown`.
    public let outcome: String?

    /// The JSON of an error that cannot be read; nil for one that can.
    let unreadable: String?

    private enum CodingKeys: CodingKey {
        case code, message, retry, fields, name, nearest, damaged, column, field
        case expected, actual, erased, stream, unless, after, type, position, limit, log, address, outcome, cursor, at
        case behind
    }

    /// Decodes a refusal. Code and message are required; other members are ignored if they are of a wrong type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        code = try members.decode(Code.self, forKey: .code)
        message = try members.decode(String.self, forKey: .message)
        retry = try? members.decode(String.self, forKey: .retry)
        fields = try? members.decode([Field].self, forKey: .fields)
        name = try? members.decode(String.self, forKey: .name)
        nearest = try? members.decode(String.self, forKey: .nearest)
        damaged = try? members.decode(Bool.self, forKey: .damaged)
        column = try? members.decode(Int.self, forKey: .column)
        field = try? members.decode(String.self, forKey: .field)
        expected = try? members.decode(UInt64.self, forKey: .expected)
        actual = try? members.decode(UInt64.self, forKey: .actual)
        erased = try? members.decode(UInt64.self, forKey: .erased)
        stream = try? members.decode(String.self, forKey: .stream)
        unless = try? members.decode(Int.self, forKey: .unless)
        after = try? members.decode(UInt64.self, forKey: .after)
        type = try? members.decode(String.self, forKey: .type)
        position = try? members.decode(UInt64.self, forKey: .position)
        limit = try? members.decode(Int.self, forKey: .limit)
        log = try? members.decode(String.self, forKey: .log)
        behind = try? members.decode(UInt64.self, forKey: .behind)
        address = try? members.decode(String.self, forKey: .address)
        outcome = try? members.decode(String.self, forKey: .outcome)
        cursor = try? members.decode(String.self, forKey: .cursor)
        at = try? members.decode(UInt64.self, forKey: .at)
        unreadable = nil
    }

    /// Reads the JSON of a `-` line; one that cannot be read becomes an `internal` refusal that shows it.
    public init(json: [UInt8]) {
        do {
            self = try StoreDecoder.decode(Refusal.self, json)
        } catch {
            let text = String(decoding: json, as: UTF8.self)
            (code, message, unreadable) = (.internal, "an error that cannot be read: \(text)", text)
            (unless, after, type) = (nil, nil, nil)
            (retry, fields, name, nearest, damaged, column, field) = (nil, nil, nil, nil, nil, nil, nil)
            (expected, actual, erased, stream, position, limit) = (nil, nil, nil, nil, nil, nil)
            (log, behind, address, outcome, cursor, at) = (nil, nil, nil, nil, nil, nil)
        }
    }

    /// True when the stored data differs from the data that was written.
    public var isDamage: Bool { damaged == true }
}

/// A rule that a field or option violates.
public enum FieldRule: Hashable, Sendable {
    /// It must be given.
    case missing
    /// It must not be empty.
    case empty
    /// It has too many characters or bytes.
    case tooLong
    /// It is none of the choices.
    case notSelected
    /// It is too small or too great.
    case outOfRange
    /// It is not written as it has to be.
    case malformed
    /// It names a user or a story that does not exist.
    case noSuch
    /// The form has no such field.
    case unknownField
    /// It is of another JSON type.
    case wrongType
    /// It is declared a second time.
    case repeated
    /// A rule that is newer than this library.
    case other(String)

    /// The rules that this version of the library knows.
    public static let known: [FieldRule] = [
        .missing, .empty, .tooLong, .notSelected, .outOfRange, .malformed, .noSuch, .unknownField, .wrongType,
        .repeated,
    ]

    /// Creates the rule with this name on the wire.
    public init(_ name: String) { self = FieldRule.known.first { $0.name == name } ?? .other(name) }

    /// Its name on the wire.
    public var name: String {
        switch self {
        case .missing: "missing"
        case .empty: "empty"
        case .tooLong: "tooLong"
        case .notSelected: "notSelected"
        case .outOfRange: "outOfRange"
        case .malformed: "malformed"
        case .noSuch: "noSuch"
        case .unknownField: "unknownField"
        case .wrongType: "wrongType"
        case .repeated: "repeated"
        case .other(let name): name
        }
    }
}

/// A wrong field or option of a request, by its name on the wire.
public struct WrongField: Hashable, Sendable {
    /// The field's name.
    public let field: String
    /// The rule that it violates.
    public let rule: FieldRule
    /// The message for people.
    public let message: String

    /// The fault in one sentence, which names the field once.
    package var sentence: String {
        message.hasPrefix(field + " ") || message.hasPrefix(field + "=") ? message : "\(field): \(message)"
    }

    package init(_ field: Refusal.Field) {
        self.field = field.field
        rule = FieldRule(field.rule)
        message = field.message
    }
}

extension Refusal {
    /// The event that breaks a precondition of the write; nil where the refusal names none.
    var match: ConflictingEvent? {
        guard let unless, let after, let position, let stream, let type else { return nil }
        return ConflictingEvent(unless: unless, after: after, position: position, stream: stream, type: type)
    }
}
