/// A name with its position.
struct SyntaxName: Sendable {
    let name: String
    let position: SourcePosition
}

/// A declaration of a definition, as it is written.
struct SyntaxItem: Sendable {
    let position: SourcePosition
    let form: Form

    /// The form of a declaration.
    enum Form: Sendable {
        /// The categories; `*` is all.
        case from([SyntaxName])
        case key([SyntaxValue])
        case field(SyntaxDeclaration)
        case note(SyntaxDeclaration)
        case index([SyntaxName])
        case sort([SyntaxName])
        case history
        /// The types of events, and the statements; `*` is every type without a rule.
        case rule([SyntaxName], [SyntaxStatement])
        /// The statements for every event, after those of its rule.
        case every([SyntaxStatement])
    }
}

/// The declaration of a field or a note, as it is written.
struct SyntaxDeclaration: Sendable {
    let name: SyntaxName
    let type: SyntaxType
    let isOptional: Bool
    /// The value behind `=`.
    let start: SyntaxValue?
}

/// A type, as it is written.
struct SyntaxType: Sendable {
    let position: SourcePosition
    let name: String
    /// The type or the number in parentheses.
    var inner: String?
    /// The number in the parentheses of the inner type.
    var innerNumber: String?
    /// The number behind the comma.
    var count: String?
    /// The word behind the second comma.
    var beyond: String?

    /// The type without white space.
    var spelling: String {
        guard let inner else { return name }
        let rest = [count, beyond].compactMap { $0.map { ",\($0)" } }.joined()
        return name + "(" + inner + (innerNumber.map { "(\($0))" } ?? "") + rest + ")"
    }
}

/// A statement, or the end of a block. The statements of a rule are one list, so that no depth of blocks nests calls.
struct SyntaxStatement: Sendable {
    let position: SourcePosition
    let form: Form

    /// The form of a statement.
    enum Form: Sendable {
        case set(SyntaxTarget, Assignment, SyntaxValue)
        case bind(SyntaxName, SyntaxValue)
        case merge(SyntaxValue)
        case remove
        /// `if`: a block follows, then `otherwise` and another block, or `end`.
        case choice(SyntaxValue)
        case otherwise
        /// `for`: a block and `end` follow.
        case loop([SyntaxName], SyntaxValue)
        /// `row`: a block and `end` follow.
        case row([SyntaxValue])
        case end
    }
}

/// The operator of an assignment.
enum Assignment: String, BitwiseCopyable, Sendable {
    case set = "="
    case add = "+="
    case take = "-="
}

/// The left side of an assignment, as it is written at the start of the statement.
enum SyntaxTarget: Sendable {
    case field(String)
    case entry(String, SyntaxValue)
    case note(SyntaxNote)
}

/// `note.NAME` or `note[KEY].NAME`, as it is written.
struct SyntaxNote: Sendable {
    let key: SyntaxValue?
    let name: String
}

/// A value, as it is written.
struct SyntaxValue: Sendable {
    let position: SourcePosition
    let form: Form
    /// True where the value is in parentheses.
    var isParenthesized = false

    init(_ position: SourcePosition, _ form: Form) {
        self.position = position
        self.form = form
    }

    /// The form of a value.
    indirect enum Form: Sendable {
        case literal(Literal)
        case none
        case row
        case root(EventRoot)
        case event(SyntaxName)
        case note(SyntaxNote)
        case name(String)
        case member(SyntaxValue, String)
        case element(SyntaxValue, SyntaxValue)
        case call(String, [SyntaxValue])
        case arithmetic(Arithmetic, SyntaxValue, SyntaxValue)
        case negative(SyntaxValue)
        case not(SyntaxValue)
        case logic(Logic, SyntaxValue, SyntaxValue)
        case comparison(Comparison, SyntaxValue, SyntaxValue)
        case coalesce(SyntaxValue, SyntaxValue)
        case choice(SyntaxValue, SyntaxValue, SyntaxValue)
        case isIn(SyntaxValue, SyntaxValue)
        case isOneOf(SyntaxValue, [SyntaxValue])
    }

    /// True for `none`.
    var isNone: Bool { if case .none = form { true } else { false } }

    /// True for `row`.
    var isRow: Bool { if case .row = form { true } else { false } }
}

/// The part of an event that a path begins with.
package enum EventRoot: String, Hashable, BitwiseCopyable, Sendable { case data, meta, tags }

/// An operator of two numbers, or of two texts.
package enum Arithmetic: String, Hashable, BitwiseCopyable, Sendable {
    case plus = "+"
    case minus = "-"
    case times = "*"
    case over = "/"
}

/// An operator of two conditions.
package enum Logic: String, Hashable, BitwiseCopyable, Sendable {
    case and = "&&"
    case or = "||"
}

/// A comparison of two values.
package enum Comparison: String, Hashable, BitwiseCopyable, Sendable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="
}

/// An attribute of an event.
package enum EventAttribute: String, CaseIterable, Hashable, BitwiseCopyable, Sendable {
    case id, stream, category, type, time, by, position, version, tags
}
