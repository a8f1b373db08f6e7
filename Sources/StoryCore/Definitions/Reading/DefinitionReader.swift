/// A reader of a definition's grammar. It goes on after a fault, at the next statement or declaration.
struct DefinitionReader {
    var values: ValueReader

    /// Creates a reader of a text.
    init(_ text: String) { values = ValueReader(TokenReader(text)) }

    var tokens: TokenReader {
        get { values.tokens }
        _modify { yield &values.tokens }
    }

    /// Reads all declarations; they are complete where there are no faults.
    mutating func read() -> [SyntaxItem] {
        var items: [SyntaxItem] = []
        while tokens.token.kind != .endOfText {
            guard !tokens.token.isEnd else {
                tokens.next()
                continue
            }
            do {
                items.append(try item())
            } catch {
                tokens.skip(insideRule: false)
            }
        }
        return items
    }

    private mutating func item() throws(Refused) -> SyntaxItem {
        let first = tokens.next()
        guard first.kind == .name else {
            throw tokens.refused(
                .malformed, "here a field, from, key, note, index, sort, history, on or every is expected",
                at: first.position)
        }
        let form: SyntaxItem.Form = try tokens.isAt(.colon) ? .field(declaration(first)) : self.form(first)
        switch form {
        case .rule, .every: return SyntaxItem(position: first.position, form: form)
        case .from, .key, .field, .note, .index, .sort, .history: break
        }
        guard tokens.token.isEnd || tokens.token.kind == .endOfText else {
            throw tokens.refused(.malformed, "a declaration ends with its line")
        }
        return SyntaxItem(position: first.position, form: form)
    }

    private mutating func form(_ first: Token) throws(Refused) -> SyntaxItem.Form {
        switch first.spelling {
        case "from": return .from(try words("a category is 1–64 bytes of A–Z a–z 0–9 . _ ~"))
        case "key": return .key(try values.values())
        case "history": return .history
        case "index": return .index(try names("a field is expected"))
        case "sort": return .sort(try names("a field is expected"))
        case "note": return .note(try declaration(try tokens.want(.name, "a note has a name")))
        case "on":
            let types = try words("a type of event is 1–64 bytes of A–Z a–z 0–9 . _ ~ -")
            return .rule(types, try statements())
        case "every": return .every(try statements())
        default:
            let hint = NearestName.hint(first.spelling, among: ReservedWords.declarations)
            throw tokens.refused(
                .malformed, "\(first.spelling) begins no declaration\(hint); a field is written NAME: TYPE",
                at: first.position)
        }
    }

    /// Reads names with commas between them.
    mutating func names(_ sentence: String) throws(Refused) -> [SyntaxName] {
        var names: [SyntaxName] = []
        repeat {
            let name = try tokens.want(.name, sentence)
            names.append(SyntaxName(name: name.spelling, position: name.position))
        } while tokens.take(.comma)
        return names
    }

    private mutating func words(_ sentence: String) throws(Refused) -> [SyntaxName] {
        let position = tokens.token.position
        if tokens.take(.times) { return [SyntaxName(name: "*", position: position)] }
        var words = [try tokens.word(sentence)]
        while tokens.take(.comma) { words.append(try tokens.word(sentence)) }
        return words
    }

    private mutating func declaration(_ name: Token) throws(Refused) -> SyntaxDeclaration {
        try tokens.want(.colon, "a type follows after :")
        let type = try self.type()
        let isOptional = tokens.take(.question)
        return SyntaxDeclaration(
            name: SyntaxName(name: name.spelling, position: name.position), type: type, isOptional: isOptional,
            start: tokens.take(.set) ? try literal() : nil)
    }

    private mutating func type() throws(Refused) -> SyntaxType {
        let first = try tokens.want(.name, "a type is text, number, boolean, time, list, set, last or map")
        var type = SyntaxType(position: first.position, name: first.spelling)
        guard tokens.take(.openParenthesis) else { return type }
        guard tokens.token.kind == .name || tokens.token.kind == .number else {
            throw tokens.refused(.malformed, "a type or a number is expected")
        }
        type.inner = tokens.next().spelling
        if tokens.take(.openParenthesis) {
            type.innerNumber = try tokens.want(.number, "a number is expected").spelling
            try tokens.want(.closeParenthesis, ") is missing")
        }
        if tokens.take(.comma) { type.count = try tokens.want(.number, "a number is expected").spelling }
        if type.count != nil, tokens.take(.comma) { type.beyond = try tokens.want(.name, "drop is expected").spelling }
        try tokens.want(.closeParenthesis, ") is missing")
        return type
    }

    private mutating func literal() throws(Refused) -> SyntaxValue {
        let isNegative = tokens.take(.minus)
        let token = tokens.token
        switch (token.kind, token.spelling) {
        case (.number, _):
            tokens.next()
            let number = tokens.number(token)
            return SyntaxValue(token.position, .literal(.number(isNegative ? number.negated : number)))
        case (.text, _) where !isNegative:
            tokens.next()
            return SyntaxValue(token.position, .literal(.text(Text(token.spelling))))
        case (.name, "true") where !isNegative, (.name, "false") where !isNegative:
            tokens.next()
            return SyntaxValue(token.position, .literal(.boolean(token.spelling == "true")))
        case (.name, _), (.text, _), (.mark, _), (.lineEnd, _), (.semicolon, _), (.endOfText, _):
            let hint = NearestName.hint(token.spelling, among: token.kind == .name ? ["true", "false"] : [])
            throw tokens.refused(.malformed, "a number, a text, true or false is expected\(hint)")
        }
    }
}
