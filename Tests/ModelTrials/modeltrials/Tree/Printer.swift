import TestSupport

/// The text of a definition; each statement has its line afterwards.
struct Printer {
    private var lines: [String] = []
    private var random: SplitMix64

    private init(_ random: SplitMix64) { self.random = random }

    /// Prints a definition, with blank lines and comments between.
    static func text(_ tree: Tree, _ random: SplitMix64) -> String {
        var printer = Printer(random)
        printer.print(tree)
        return printer.lines.joined(separator: "\n")
    }

    private mutating func print(_ tree: Tree) {
        add("from " + words(tree.sources))
        if let key = tree.key { add("key " + key.map { Printer.text($0) }.joined(separator: ", ")) }
        if tree.isKeepingHistory { add("history") }
        for field in tree.fields { add(declared(field)) }
        for note in tree.notes { add("note " + declared(note)) }
        for index in tree.indexes { add("index " + index.joined(separator: ", ")) }
        if !tree.sorts.isEmpty { add("sort " + tree.sorts.joined(separator: ", ")) }
        // `every` runs behind the rules wherever it is.
        let isFirst = tree.every != nil && random.oneIn(2)
        if isFirst { printEvery(tree) }
        for rule in tree.rules { print("on " + words(rule.types), rule.body) }
        if !isFirst { printEvery(tree) }
    }

    private mutating func printEvery(_ tree: Tree) { if let every = tree.every { print("every", every) } }

    private mutating func print(_ heading: String, _ body: [Statement]) {
        add(heading + " {")
        for statement in body { print(statement, "  ") }
        add("}")
    }

    private mutating func add(_ line: String) {
        if random.oneIn(12) { lines.append(random.pick("", "// a comment", "  ")) }
        lines.append(line + (random.oneIn(15) ? "  // here" : ""))
    }

    private mutating func words(_ words: [String]) -> String {
        words.map { quoted($0) }.joined(separator: ", ")
    }

    private mutating func quoted(_ word: String) -> String { word != "*" && random.oneIn(6) ? "'\(word)'" : word }

    private func declared(_ field: Tree.Field) -> String {
        "\(field.name): \(field.type.spelling)" + (field.isOptional ? "?" : "")
            + (field.start.map { " = " + Printer.literal($0) } ?? "")
    }

    private mutating func print(_ statement: Statement, _ indent: String) {
        switch statement.kind {
        case .set(let target, let mark, let value):
            add(indent + "\(Printer.text(target)) \(mark) \(Printer.text(value))")
        case .bind(let name, let value): add(indent + "let \(name) = \(Printer.text(value))")
        case .merge(let value): add(indent + "merge \(Printer.text(value))")
        case .remove: add(indent + "remove")
        case .row(let keys, let body):
            open(statement, indent + "row " + keys.map { Printer.text($0) }.joined(separator: ", "), body, indent)
            return
        case .each(let names, let over, let body):
            let heading = "for \(names.joined(separator: ", ")) in \(Printer.text(over))"
            open(statement, indent + heading, body, indent)
            return
        case .choice(let condition, let yes, let no):
            open(statement, indent + "if " + Printer.text(condition), yes, indent)
            if !no.isEmpty {
                let isSameLine = random.oneIn(2)
                lines[lines.count - 1] = isSameLine ? indent + "} else {" : indent + "}"
                if !isSameLine { lines.append(indent + "else {") }
                for statement in no { print(statement, indent + "  ") }
                lines.append(indent + "}")
            }
            return
        }
        statement.line = lines.count
    }

    private mutating func open(_ statement: Statement, _ heading: String, _ body: [Statement], _ indent: String) {
        add(heading + " {")
        statement.line = lines.count
        for statement in body { print(statement, indent + "  ") }
        lines.append(indent + "}")
    }

    private static func text(_ target: Statement.Target) -> String {
        switch target {
        case .field(let name): name
        case .entry(let name, let key): "\(name)[\(text(key))]"
        case .note(let key, let name): note(key, name)
        }
    }

    private static func note(_ key: Expression?, _ name: String) -> String {
        "note" + (key.map { "[\(text($0))]" } ?? "") + ".\(name)"
    }

    // MARK: Values

    /// The text of a value.
    static func text(_ value: Expression) -> String { text(value, 0) }

    /// Operators by how tightly they bind.
    private static let strengths = [
        "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "in": 3, "??": 4, "+": 5, "-": 5, "*": 6,
        "/": 6,
    ]

    /// The text of a value where only those that bind as tightly as `least` need no parentheses.
    private static func text(_ value: Expression, _ least: Int) -> String {
        let (text, strength) = parts(value)
        return strength < least ? "(\(text))" : text
    }

    private static func parts(_ value: Expression) -> (text: String, strength: Int) {
        switch value {
        case .literal(let literal): (self.literal(literal), 9)
        case .none: ("none", 9)
        case .data: ("data", 9)
        case .meta: ("meta", 9)
        case .event(let name): ("event.\(name)", 9)
        case .note(let key, let name): (note(key, name), 9)
        case .name(let name): (name, 9)
        case .member(let box, let name):
            (text(box, 8) + (name.contains(" ") ? "['\(name)']" : ".\(name)"), 8)
        case .element(let box, let key): ("\(text(box, 8))[\(text(key))]", 8)
        case .call(let name, let values): ("\(name)(\(values.map { text($0) }.joined(separator: ", ")))", 9)
        case .operation(let mark, let left, let right): operation(mark, left, right)
        case .negative(let value): ("-" + text(value, 7), 7)
        case .not(let value): ("!" + text(value, 7), 7)
        case .choose(let condition, let yes, let no):
            (alone(condition, 1) + " ? \(text(yes)) : \(text(no))", 0)
        case .isOneOf(let value, let among):
            (text(value, 5) + " in [\(among.map { text($0) }.joined(separator: ", "))]", 3)
        case .isNone(let value, let isEqual):
            ((value.map { text($0, 5) } ?? "row") + (isEqual ? " == none" : " != none"), 3)
        }
    }

    private static func operation(
        _ mark: String, _ left: Expression, _ right: Expression
    ) -> (text: String, strength: Int) {
        let strength = strengths[mark] ?? 0
        switch strength {
        case 3: return (text(left, 5) + " \(mark) " + text(right, 5), 3)
        case 1, 2: return (alone(left, strength) + " \(mark) " + alone(right, strength + 1), strength)
        default: return (text(left, strength) + " \(mark) " + text(right, strength + 1), strength)
        }
    }

    /// A `??` beside another operator has parentheses.
    private static func alone(_ value: Expression, _ least: Int) -> String {
        if case .operation("??", _, _) = value { return "(\(text(value)))" }
        return text(value, least)
    }

    private static func literal(_ value: PlainValue) -> String {
        guard case .text(let text) = value else { return value.json }
        var out = "'"
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "'", "\\": out += "\\\(scalar)"
            case "\n": out += "\\n"
            case "\0"..<" ", "\u{7F}", "é": out += "\\u{\(String(scalar.value, radix: 16))}"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "'"
    }
}
