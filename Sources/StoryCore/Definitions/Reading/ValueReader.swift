/// A reader of values. Calls nest with the depth of a value, which is limited.
struct ValueReader {
    var tokens: TokenReader

    private var depth = 0
    /// The number of parts of the outermost value.
    private var operands = 0

    init(_ tokens: TokenReader) { self.tokens = tokens }

    /// Reads a value.
    mutating func value() throws(Refused) -> SyntaxValue {
        if depth == 0 { operands = 0 }
        try enter(at: nil)
        defer { depth -= 1 }
        let first = try either()
        guard tokens.isAt(.question) else { return first }
        alone(first)
        let question = tokens.next()
        let yes = try value()
        try tokens.want(.colon, ": is expected")
        return SyntaxValue(question.position, .choice(first, yes, try value()))
    }

    /// Reads values with commas between them.
    mutating func values() throws(Refused) -> [SyntaxValue] {
        var values = [try value()]
        while tokens.take(.comma) { values.append(try value()) }
        return values
    }

    /// Reads the rest of a note behind the word `note`.
    mutating func note() throws(Refused) -> SyntaxNote {
        var key: SyntaxValue?
        if tokens.take(.openBracket) {
            key = try value()
            try tokens.want(.closeBracket, "] is missing")
        }
        try tokens.want(.dot, "a note is written note.NAME or note[KEY].NAME")
        return SyntaxNote(key: key, name: try tokens.want(.name, "a note has a name").spelling)
    }

    /// Enters a level; the caller leaves it.
    private mutating func enter(at position: SourcePosition?) throws(Refused) {
        guard depth < DefinitionLimits.depth else {
            throw tokens.refused(.tooLong, "values nest at most \(DefinitionLimits.depth) deep", at: position)
        }
        depth += 1
    }

    private mutating func count(_ token: Token) throws(Refused) {
        operands += 1
        guard operands <= DefinitionLimits.operands else {
            throw tokens.refused(
                .tooLong, "a value is made of at most \(DefinitionLimits.operands) parts", at: token.position)
        }
    }

    /// Reports `??` beside an operator that needs it in parentheses, as all do but arithmetic.
    private mutating func alone(_ value: SyntaxValue) {
        guard case .coalesce = value.form, !value.isParenthesized else { return }
        tokens.report(.malformed, at: value.position, "?? beside another operator stands in parentheses")
    }
}

/// The operators, the loosest binding first.
extension ValueReader {
    private mutating func either() throws(Refused) -> SyntaxValue {
        try logic(.or, mark: .or) { (reader) throws(Refused) in
            try reader.logic(.and, mark: .and) { (reader) throws(Refused) in try reader.compared() }
        }
    }

    /// Reads conditions with an operator between them.
    private mutating func logic(
        _ logic: Logic, mark: Mark, _ next: (inout ValueReader) throws(Refused) -> SyntaxValue
    ) throws(Refused) -> SyntaxValue {
        var left = try next(&self)
        while tokens.isAt(mark) {
            let position = tokens.next().position
            alone(left)
            let right = try next(&self)
            alone(right)
            left = SyntaxValue(position, .logic(logic, left, right))
        }
        return left
    }

    private mutating func compared() throws(Refused) -> SyntaxValue {
        let left = try coalesced()
        let operation = tokens.token
        guard let form = try comparison(of: left) else { return left }
        if tokens.token.comparison != nil || tokens.token.isName("in") {
            throw tokens.refused(.malformed, "comparisons do not chain")
        }
        return SyntaxValue(operation.position, form)
    }

    /// Reads the operator behind a value, and its other side; nil where there is no comparison.
    private mutating func comparison(of left: SyntaxValue) throws(Refused) -> SyntaxValue.Form? {
        let comparison = tokens.token.comparison
        guard comparison != nil || tokens.token.isName("in") else { return nil }
        tokens.next()
        if comparison == nil, tokens.isAt(.openBracket) {
            tokens.next()
            let options = try values()
            try tokens.want(.closeBracket, "] is missing")
            alone(left)
            return .isOneOf(left, options)
        }
        let right = try coalesced()
        alone(left)
        alone(right)
        return comparison.map { .comparison($0, left, right) } ?? .isIn(left, right)
    }

    private mutating func coalesced() throws(Refused) -> SyntaxValue {
        var left = try sum()
        while tokens.isAt(.coalesce) {
            let mark = tokens.next()
            left = SyntaxValue(mark.position, .coalesce(left, try sum()))
        }
        return left
    }

    private mutating func sum() throws(Refused) -> SyntaxValue {
        try arithmetic(.plus, or: .minus) { (reader) throws(Refused) in
            try reader.arithmetic(.times, or: .over) { (reader) throws(Refused) in try reader.unary() }
        }
    }

    /// Reads values with one of two operators between them.
    private mutating func arithmetic(
        _ first: Arithmetic, or second: Arithmetic, _ next: (inout ValueReader) throws(Refused) -> SyntaxValue
    ) throws(Refused) -> SyntaxValue {
        var left = try next(&self)
        while case .mark(let mark) = tokens.token.kind, let operation = Arithmetic(rawValue: mark.rawValue),
            operation == first || operation == second
        {
            let position = tokens.next().position
            left = SyntaxValue(position, .arithmetic(operation, left, try next(&self)))
        }
        return left
    }

    private mutating func unary() throws(Refused) -> SyntaxValue {
        guard tokens.isAt(.not) || tokens.isAt(.minus) else { return try postfix() }
        let isNot = tokens.isAt(.not)
        let mark = tokens.next()
        try enter(at: mark.position)
        defer { depth -= 1 }
        let value = try unary()
        return SyntaxValue(mark.position, isNot ? .not(value) : .negative(value))
    }
}

/// Names, literals, calls, and the members and elements of them.
extension ValueReader {
    private mutating func postfix() throws(Refused) -> SyntaxValue {
        var value = try primary()
        while tokens.isAt(.dot) || tokens.isAt(.openBracket) {
            let isMember = tokens.isAt(.dot)
            let mark = tokens.next()
            try count(mark)
            if isMember {
                let name = try tokens.want(.name, "a name follows after the dot; others are written ['…']")
                value = SyntaxValue(mark.position, .member(value, name.spelling))
            } else {
                value = SyntaxValue(mark.position, .element(value, try self.value()))
                try tokens.want(.closeBracket, "] is missing")
            }
        }
        return value
    }

    private mutating func primary() throws(Refused) -> SyntaxValue {
        let token = tokens.next()
        try count(token)
        switch token.kind {
        case .number: return SyntaxValue(token.position, .literal(.number(tokens.number(token))))
        case .text: return SyntaxValue(token.position, .literal(.text(Text(token.spelling))))
        case .name: return SyntaxValue(token.position, try named(token))
        case .mark(.openParenthesis):
            var inner = try value()
            try tokens.want(.closeParenthesis, ") is missing")
            inner.isParenthesized = true
            return inner
        case .mark, .lineEnd, .semicolon, .endOfText:
            throw tokens.refused(.malformed, "a value is expected", at: token.position)
        }
    }

    private mutating func named(_ token: Token) throws(Refused) -> SyntaxValue.Form {
        switch token.spelling {
        case "true", "false": return .literal(.boolean(token.spelling == "true"))
        case "none": return .none
        case "row": return .row
        case "data": return .root(.data)
        case "meta": return .root(.meta)
        case "note": return .note(try note())
        case "event":
            try tokens.want(.dot, "event is followed by . and one of \(EventAttribute.names)")
            let name = try tokens.want(.name, "a name is expected")
            return .event(SyntaxName(name: name.spelling, position: name.position))
        default: break
        }
        guard !ReservedWords.language.contains(token.spelling) else {
            throw tokens.refused(.malformed, "\(token.spelling) is no value", at: token.position)
        }
        guard tokens.take(.openParenthesis) else { return .name(token.spelling) }
        let arguments = tokens.isAt(.closeParenthesis) ? [] : try values()
        try tokens.want(.closeParenthesis, ") is missing")
        return .call(token.spelling, arguments)
    }
}

extension TokenReader {
    /// Returns the number of a token; a token that is none is reported, and counts as 0.
    mutating func number(_ token: Token) -> ModelNumber {
        let text = Array(token.spelling.utf8)
        switch ModelNumber.read(text) {
        case .number(let number): return number
        case .outOfRange: report(.outOfRange, at: token.position, "a number has up to 18 digits and no zero in front")
        case .malformed: report(.malformed, at: token.position, "a number has up to 18 digits and no zero in front")
        }
        return .zero
    }
}

extension Token {
    /// The comparison of a mark; nil for other tokens.
    fileprivate var comparison: Comparison? {
        guard case .mark(let mark) = kind else { return nil }
        return Comparison(rawValue: mark.rawValue)
    }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// The names of all cases, for faults.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// The words that are no names.
enum ReservedWords {
    /// The words of the language.
    static let language: Set<String> = [
        "if", "else", "for", "in", "row", "note", "let", "remove", "merge", "true", "false", "none", "data", "meta",
        "event",
    ]

    /// The words that declarations begin with, but for fields.
    static let declarations = ["from", "key", "note", "index", "sort", "history", "on", "every"]

    /// The words that statements begin with, but for assignments.
    static let statements = ["if", "else", "for", "row", "let", "merge", "remove"]

    /// The words that values begin with, but for names and functions.
    static let values = ["data", "meta", "event", "note", "row", "true", "false", "none"]

    /// The members of each row, and the options of `LIST`, which no field is called.
    static let options: Set<String> = [
        "id", "version", "changes", "position", "created", "sort", "order", "limit", "after", "since", "until", "at",
        "min", "wait", "where", "fields", "format",
    ]
}
