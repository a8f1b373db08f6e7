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
