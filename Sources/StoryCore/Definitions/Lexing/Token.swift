/// A position in the text of a definition, counted from 1.
package struct SourcePosition: Hashable, Comparable, Sendable {
    /// The line.
    package let line: Int
    /// The Unicode scalar of the line.
    package let column: Int

    package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// The smallest part of a definition's text.
struct Token: Sendable {
    /// The kind of a token.
    enum Kind: Hashable, Sendable {
        case name, number, text
        case mark(Mark)
        /// The end of a statement or a declaration: a line's end.
        case lineEnd
        /// The same, written `;`.
        case semicolon
        case endOfText
    }

    let kind: Kind
    /// The characters of a name or a number, or of a text without quotes and escapes; empty for others.
    let spelling: String
    let position: SourcePosition
    /// The index of the first scalar.
    let start: Int

    /// True for both ends of a statement.
    var isEnd: Bool { kind == .lineEnd || kind == .semicolon }

    /// Returns true for a name.
    func isName(_ name: String) -> Bool { kind == .name && spelling == name }
}

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

/// The tokens of a definition without comments and lines: two definitions with equal ones are equal.
package struct DefinitionTokens: Hashable, Sendable {
    /// A token without its position.
    private struct Part: Hashable, Sendable {
        let kind: Token.Kind
        let spelling: Text
    }

    private var parts: [Part] = []

    /// Reads the tokens of a text, which may have faults. Of ends of statements that follow one another one counts, and
    /// none before `}` or right behind `{`.
    package init(_ text: String) { self.init(text, hasIndexes: true) }

    /// Reads the tokens of a text without its indexes and sorts: two definitions with equal ones make the same rows.
    package init(ofRows text: String) { self.init(text, hasIndexes: false) }

    private init(_ text: String, hasIndexes: Bool) {
        var reader = DeclarationReader(text)
        while let token = reader.next() {
            if !hasIndexes, reader.isInIndex { continue }
            add(token)
        }
        if parts.last?.kind == .lineEnd { parts.removeLast() }
    }

    private mutating func add(_ token: Token) {
        guard !token.isEnd else {
            let last = parts.last?.kind
            guard let last, last != .lineEnd, last != .mark(.openBrace) else { return }
            return parts.append(Part(kind: .lineEnd, spelling: Text("")))
        }
        if token.kind == .mark(.closeBrace), parts.last?.kind == .lineEnd { parts.removeLast() }
        parts.append(Part(kind: token.kind, spelling: Text(token.spelling)))
    }
}

/// A reader of tokens that knows which of them are of an index or a sort.
private struct DeclarationReader {
    private var lexer: Lexer
    private var ahead: Token
    private var depth = 0
    private var isAtStart = true
    /// True where the token that was read last is of an index or a sort.
    private(set) var isInIndex = false

    init(_ text: String) {
        lexer = Lexer(text)
        ahead = lexer.next()
    }

    /// Returns the next token; nil at the end of the text.
    mutating func next() -> Token? {
        let token = ahead
        guard token.kind != .endOfText else { return nil }
        ahead = lexer.next()
        if token.isEnd || depth > 0 {
            isInIndex = false
        } else if isAtStart {
            // A field may have one of these names.
            isInIndex = (token.isName("index") || token.isName("sort")) && ahead.kind != .mark(.colon)
        }
        if token.kind == .mark(.openBrace) { depth += 1 }
        if token.kind == .mark(.closeBrace) { depth -= 1 }
        isAtStart = depth <= 0 && (token.isEnd || token.kind == .mark(.closeBrace))
        return token
    }
}
