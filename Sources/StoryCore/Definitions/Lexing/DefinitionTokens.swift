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
