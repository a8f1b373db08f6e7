/// A remark about a definition without a fault: it may do something else than its author wants.
package struct DefinitionHint: Hashable, Sendable, CustomStringConvertible {
    /// The position in the text.
    package let position: SourcePosition
    /// The remark for a person.
    package let sentence: String

    /// The hint as the tools print it: `12:1: hint: …`.
    package var description: String { "\(position.line):\(position.column): hint: \(sentence)" }
}

extension Definition {
    /// True where a row is kept as it was, or can be folded again out of its stream.
    package var keepsPast: Bool { hasHistory || hasRowsOfOneStream }

    /// Returns the hints about the definition, the first one that it takes the past away from the rows of another one.
    package func hints(inPlaceOf old: Definition?) -> [DefinitionHint] {
        guard let old, old.keepsPast, !keepsPast else { return hints }
        let sentence =
            "rows are made of several streams now, so their past goes: GET with at=, and the history in browse; the line "
            + "history keeps it"
        return [DefinitionHint(position: gathering, sentence: sentence)] + hints
    }
}

/// A search for hints in a definition without faults.
struct HintFinder {
    private let items: [SyntaxItem]
    /// The rules, but for that of all types without one.
    private var rules: [(types: [SyntaxName], statements: [SyntaxStatement])] = []
    private var others: (position: SourcePosition, statements: [SyntaxStatement])?
    private var every: (position: SourcePosition, statements: [SyntaxStatement])?
    /// The names of the fields that hold several values, from which `-=` takes some away.
    private var collections: Set<String> = []

    init(_ items: [SyntaxItem]) {
        self.items = items
        for item in items {
            switch item.form {
            case .field(let field) where ["list", "set", "last", "map"].contains(field.type.name):
                collections.insert(field.name.name)
            case .rule(let types, let statements) where types.contains { $0.name == "*" }:
                others = (item.position, statements)
            case .rule(let types, let statements): rules.append((types, statements))
            case .every(let statements): every = (item.position, statements)
            case .from, .key, .field, .note, .index, .sort, .history: break
            }
        }
    }

    /// The hints, in the order of the text.
    var hints: [DefinitionHint] {
        [leftToOthers, madeAgain].compactMap { $0 }.sorted { $0.position < $1.position }
    }

    /// The position of the declaration or the statement by which rows are made of several streams.
    var gathering: SourcePosition {
        for item in items {
            switch item.form {
            case .from(let names) where names.count > 1 || names.contains { $0.name == "*" }: return item.position
            case .key: return item.position
            case .rule(_, let statements), .every(let statements):
                let row = statements.first { if case .row = $0.form { true } else { false } }
                if let row { return row.position }
            case .from, .field, .note, .index, .sort, .history: break
            }
        }
        return SourcePosition(line: 1, column: 1)
    }

    /// A hint where `on *` changes a name that events with a rule leave as it is.
    private var leftToOthers: DefinitionHint? {
        guard let others else { return nil }
        let always = every?.statements.changedNames ?? []
        var (names, types): ([String], [String]) = ([], [])
        for name in others.statements.changedNames where !always.contains(name) {
            let leaving = rules.filter { !$0.statements.mayChange(name) }.flatMap { $0.types.map(\.name) }
            if !leaving.isEmpty { names.append(name) }
            types += leaving.filter { !types.contains($0) }
        }
        guard !types.isEmpty else { return nil }
        let leave = types.count == 1 ? "leaves" : "leave"
        return DefinitionHint(
            position: others.position,
            sentence: "on * is every type without a rule: \(types.joined(separator: ", ")) \(leave) "
                + "\(names.joined(separator: ", ")) as it was; every { … } is for all events")
    }

    /// A hint where `every` makes the row again that a rule removes.
    private var madeAgain: DefinitionHint? {
        let all = rules.map(\.statements) + [others?.statements ?? []]
        guard let every, all.contains(where: { $0.removesRow }), every.statements.makesRow(collections)
        else { return nil }
        return DefinitionHint(
            position: every.position,
            sentence: "every runs after remove as well, and makes the row again; if row != none { … } leaves it away")
    }
}

extension [SyntaxStatement] {
    /// The fields and notes that the statements name as changed, each once.
    fileprivate var changedNames: [String] {
        var names: [String] = []
        for statement in self {
            guard case .set(let target, _, _) = statement.form, !names.contains(target.name) else { continue }
            names.append(target.name)
        }
        return names
    }

    /// Returns true where the statements may change a name; `merge` may change any field.
    fileprivate func mayChange(_ name: String) -> Bool {
        changedNames.contains(name) || contains { if case .merge = $0.form { true } else { false } }
    }

    /// True where a statement outside of `row` removes the row.
    fileprivate var removesRow: Bool {
        var blocks: [Bool] = []
        for statement in self {
            blocks.follow(statement) { if case .row = $0 { true } else { false } }
            if case .remove = statement.form, !blocks.contains(true) { return true }
        }
        return false
    }

    /// Returns true where a statement that nothing bounds gives the row a value.
    fileprivate func makesRow(_ collections: Set<String>) -> Bool {
        var blocks: [Bool] = []
        for statement in self {
            blocks.follow(statement) { _ in true }
            guard blocks.isEmpty else { continue }
            switch statement.form {
            case .set(.note, _, _): break
            case .set(let target, let assignment, let value):
                if !value.isNone, assignment != .take || !collections.contains(target.name) { return true }
            case .merge: return true
            case .bind, .remove, .choice, .otherwise, .loop, .row, .end: break
            }
        }
        return false
    }
}

extension [Bool] {
    /// Enters or leaves the block that a statement begins or ends.
    ///
    /// - Parameter isCounted: the value of a block by the statement that begins it.
    fileprivate mutating func follow(_ statement: SyntaxStatement, _ isCounted: (SyntaxStatement.Form) -> Bool) {
        switch statement.form {
        case .choice, .loop, .row: append(isCounted(statement.form))
        case .end: _ = popLast()
        case .set, .bind, .merge, .remove, .otherwise: break
        }
    }
}

extension SyntaxTarget {
    /// The name that is changed, as it is written: `total`, `note.customer`.
    fileprivate var name: String {
        switch self {
        case .field(let name), .entry(let name, _): name
        case .note(let note): "note.\(note.name)"
        }
    }
}
