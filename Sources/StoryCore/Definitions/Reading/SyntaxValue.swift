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
