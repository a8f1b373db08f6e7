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
