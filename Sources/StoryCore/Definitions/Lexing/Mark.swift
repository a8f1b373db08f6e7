/// An operator or a bracket.
enum Mark: String, CaseIterable, Sendable {
    case and = "&&"
    case or = "||"
    case coalesce = "??"
    case equal = "=="
    case notEqual = "!="
    case atMost = "<="
    case atLeast = ">="
    case add = "+="
    case take = "-="
    case set = "="
    case less = "<"
    case greater = ">"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case over = "/"
    case not = "!"
    case question = "?"
    case colon = ":"
    case comma = ","
    case dot = "."
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBracket = "["
    case closeBracket = "]"
    case openBrace = "{"
    case closeBrace = "}"

    /// True where a line that ends with the mark goes on in the next one. `?` and `*` may end a declaration.
    var continuesLine: Bool {
        switch self {
        case .closeParenthesis, .closeBracket, .closeBrace, .question, .times: false
        case .and, .or, .coalesce, .equal, .notEqual, .atMost, .atLeast, .add, .take, .set, .less, .greater, .plus,
            .minus, .over, .not, .colon, .comma, .dot, .openParenthesis, .openBracket, .openBrace:
            true
        }
    }

    /// True where a line that begins with the mark goes on from the line before.
    var continuesLineBefore: Bool {
        switch self {
        case .and, .or, .coalesce, .equal, .notEqual, .atMost, .atLeast, .less, .greater, .plus, .minus, .times, .over,
            .question, .colon, .dot:
            true
        case .add, .take, .set, .not, .comma, .openParenthesis, .closeParenthesis, .openBracket, .closeBracket,
            .openBrace, .closeBrace:
            false
        }
    }

    /// True for `(` and `[`, within which lines do not count.
    var ignoresLines: Bool { self == .openParenthesis || self == .openBracket }

    /// True for the three opening brackets.
    var opens: Bool { self == .openParenthesis || self == .openBracket || self == .openBrace }

    /// True for the three closing brackets.
    var closes: Bool { self == .closeParenthesis || self == .closeBracket || self == .closeBrace }

    /// Creates the mark of a scalar and the one after it; the longer mark is preferred.
    init?(_ first: Unicode.Scalar, _ second: Unicode.Scalar?) {
        let long = second.flatMap { Mark(rawValue: "\(first)\($0)") }
        guard let mark = long ?? Mark(rawValue: "\(first)") else { return nil }
        self = mark
    }

    /// The number of scalars.
    var count: Int { rawValue.unicodeScalars.count }
}
