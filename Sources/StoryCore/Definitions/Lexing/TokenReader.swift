/// A fault that ends the statement or the declaration in which it is; it is reported already.
struct Refused: Error {}

/// The tokens of a definition with one of them ahead, for the readers of its grammar.
struct TokenReader {
    /// The next token.
    private(set) var token: Token

    private var lexer: Lexer

    /// Creates a reader at the first token of a text.
    init(_ text: String) {
        lexer = Lexer(text)
        token = lexer.next()
    }

    /// The faults so far.
    var faults: [DefinitionFault] { lexer.faults }

    /// Adds a fault; reading goes on.
    mutating func report(_ rule: DefinitionRule, at position: SourcePosition, _ sentence: String) {
        lexer.report(rule, at: position, sentence)
    }

    /// Returns a fault at a position, or at the next token, to throw.
    mutating func refused(
        _ rule: DefinitionRule, _ sentence: String, at position: SourcePosition? = nil
    ) -> Refused {
        lexer.report(rule, at: position ?? token.position, sentence)
        return Refused()
    }

    /// Takes the next token.
    @discardableResult
    mutating func next() -> Token {
        let taken = token
        token = lexer.next()
        return taken
    }

    /// Returns true where the next token is a mark.
    func isAt(_ mark: Mark) -> Bool { token.kind == .mark(mark) }

    /// Takes a mark where it is next.
    mutating func take(_ mark: Mark) -> Bool {
        guard isAt(mark) else { return false }
        next()
        return true
    }

    /// Takes a mark.
    mutating func want(_ mark: Mark, _ sentence: String) throws(Refused) {
        guard take(mark) else { throw refused(.malformed, sentence) }
    }

    /// Takes a name or a number.
    mutating func want(_ kind: Token.Kind, _ sentence: String) throws(Refused) -> Token {
        guard token.kind == kind else { throw refused(.malformed, sentence) }
        return next()
    }

    /// Takes `else` where it is next, or is the first token of the next line.
    mutating func takeElse() -> Bool {
        if token.isName("else") {
            next()
            return true
        }
        guard token.kind == .lineEnd else { return false }
        var ahead = lexer
        // Its own faults, so that those so far are not copied.
        ahead.faults = []
        guard ahead.next().isName("else") else { return false }
        lexer.faults += ahead.faults
        ahead.faults = lexer.faults
        lexer = ahead
        next()
        return true
    }

    /// Takes a category or a type of events, plain or in quotes.
    mutating func word(_ sentence: String) throws(Refused) -> SyntaxName {
        let first = token
        var word = ""
        if first.kind == .text {
            word = next().spelling
        } else if let found = lexer.rereadWord(first) {
            word = found
            token = lexer.next()
        }
        let scalars = word.unicodeScalars
        guard 1...DefinitionLimits.word ~= scalars.count, scalars.allSatisfy(\.isWordScalar) else {
            throw refused(.malformed, sentence, at: first.position)
        }
        return SyntaxName(name: word, position: first.position)
    }

    /// Skips the rest of a statement or, outside of a rule, of a declaration.
    mutating func skip(insideRule: Bool) {
        var depth = 0
        lexer.closeParentheses()
        while token.kind != .endOfText {
            if depth == 0, token.isEnd || insideRule && isAt(.closeBrace) { return }
            if isAt(.openBrace) { depth += 1 }
            if isAt(.closeBrace), depth > 0 { depth -= 1 }
            next()
        }
    }
}
