/// The tokens of a definition without comments and lines: two definitions with equal ones are equal.
package struct DefinitionTokens: Hashable, Sendable {
    /// A token without its position.
    private struct Part: Hashable, Sendable {
        let kind: Token.Kind
        let spelling: Text
    }

    private let parts: [Part]

    /// Reads the tokens of a text, which may have faults. Of ends of statements that follow one another the last one
    /// counts, and none before `}` or right behind `{`.
    package init(_ text: String) {
        var lexer = Lexer(text)
        var all: [Part] = []
        while true {
            let token = lexer.next()
            if token.kind == .endOfText { break }
            all.append(Part(kind: token.isEnd ? .lineEnd : token.kind, spelling: Text(token.spelling)))
        }
        parts = all.indices.filter { index in
            guard all[index].kind == .lineEnd else { return true }
            guard index > 0, index + 1 < all.count, all[index - 1].kind != .mark(.openBrace) else { return false }
            return all[index + 1].kind != .lineEnd && all[index + 1].kind != .mark(.closeBrace)
        }.map { all[$0] }
    }
}
