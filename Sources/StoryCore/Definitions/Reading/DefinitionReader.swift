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

/// The statements of a rule. Open blocks are a list, so that their depth needs no calls.
extension DefinitionReader {
    /// A block whose `}` is not yet read.
    private enum OpenBlock {
        case rule, loop, row
        /// The block of an `if`, with the number of ends that close it: one more for each `else if` before it.
        case choice(ends: Int)
        /// The block of an `else`.
        case otherwise(ends: Int)
    }

    /// The statements that were read, and the blocks that are open.
    private struct Progress {
        var statements: [SyntaxStatement] = []
        var open: [OpenBlock] = []

        mutating func add(_ position: SourcePosition, _ form: SyntaxStatement.Form) {
            statements.append(SyntaxStatement(position: position, form: form))
        }

        mutating func end(_ position: SourcePosition, count: Int = 1) {
            for _ in 0..<count { add(position, .end) }
        }
    }

    /// Reads the block of a rule.
    mutating func statements() throws(Refused) -> [SyntaxStatement] {
        var progress = Progress()
        try open(.rule, &progress)
        while let block = progress.open.last {
            if tokens.token.kind == .endOfText { throw tokens.refused(.malformed, "} is missing") }
            if tokens.token.isEnd {
                tokens.next()
                continue
            }
            do {
                if tokens.isAt(.closeBrace) {
                    try close(block, &progress)
                } else {
                    try statement(&progress)
                }
            } catch {
                tokens.skip(insideRule: true)
            }
        }
        return progress.statements
    }

    private mutating func open(_ block: OpenBlock, _ progress: inout Progress) throws(Refused) {
        try tokens.want(.openBrace, "{ is expected")
        progress.open.append(block)
    }

    private mutating func close(_ block: OpenBlock, _ progress: inout Progress) throws(Refused) {
        let brace = tokens.next()
        progress.open.removeLast()
        switch block {
        case .rule: break
        case .loop, .row: progress.end(brace.position)
        case .otherwise(let ends): progress.end(brace.position, count: ends)
        case .choice(let ends):
            guard tokens.takeElse() else { return progress.end(brace.position, count: ends) }
            progress.add(brace.position, .otherwise)
            guard tokens.token.isName("if") else { return try open(.otherwise(ends: ends), &progress) }
            try choice(tokens.next(), ends: ends + 1, &progress)
        }
    }

    private mutating func choice(_ word: Token, ends: Int, _ progress: inout Progress) throws(Refused) {
        let condition = try values.value()
        try open(.choice(ends: ends), &progress)
        progress.add(word.position, .choice(condition))
    }

    private mutating func statement(_ progress: inout Progress) throws(Refused) {
        let word = tokens.next()
        guard word.kind == .name else {
            throw tokens.refused(.malformed, "here a statement is expected", at: word.position)
        }
        switch word.spelling {
        case "if": return try choice(word, ends: 1, &progress)
        case "for": return try loop(word, &progress)
        case "row":
            let keys = try values.values()
            try open(.row, &progress)
            return progress.add(word.position, .row(keys))
        case "let":
            let name = try tokens.want(.name, "a name is expected")
            try tokens.want(.set, "= is expected")
            let bound = SyntaxName(name: name.spelling, position: name.position)
            progress.add(word.position, .bind(bound, try values.value()))
        case "remove": progress.add(word.position, .remove)
        case "merge": progress.add(word.position, .merge(try values.value()))
        default: try assignment(word, &progress)
        }
        guard tokens.token.isEnd || tokens.isAt(.closeBrace) else {
            throw tokens.refused(.malformed, "a statement ends with its line")
        }
    }

    private mutating func loop(_ word: Token, _ progress: inout Progress) throws(Refused) {
        let names = try self.names("a name is expected")
        guard names.count <= 2 else {
            throw tokens.refused(
                .malformed, "for takes a name, or two: the index and the element", at: names[2].position)
        }
        guard tokens.token.isName("in") else { throw tokens.refused(.malformed, "in is expected") }
        tokens.next()
        let over = try values.value()
        try open(.loop, &progress)
        progress.add(word.position, .loop(names, over))
    }

    private mutating func assignment(_ word: Token, _ progress: inout Progress) throws(Refused) {
        let target = try self.target(word)
        guard case .mark(let mark) = tokens.token.kind, let assignment = Assignment(rawValue: mark.rawValue) else {
            let hint = NearestName.hint(word.spelling, among: ReservedWords.statements)
            throw tokens.refused(
                .malformed, "a statement is NAME = value, NAME += value, if, for, row, let, merge or remove\(hint)")
        }
        tokens.next()
        progress.add(word.position, .set(target, assignment, try values.value()))
    }

    private mutating func target(_ word: Token) throws(Refused) -> SyntaxTarget {
        if word.spelling == "note" { return .note(try values.note()) }
        guard tokens.take(.openBracket) else { return .field(word.spelling) }
        let key = try values.value()
        try tokens.want(.closeBracket, "] is missing")
        return .entry(word.spelling, key)
    }
}
