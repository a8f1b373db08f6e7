/// A checker of names, types and limits of a definition without faults of grammar.
struct DefinitionChecker {
    private let items: [SyntaxItem]
    private var rules = RuleChecker()

    /// Creates a checker of declarations.
    init(_ items: [SyntaxItem]) { self.items = items }

    /// Returns every fault.
    mutating func check() -> [DefinitionFault] {
        checkCounts()
        for item in items { declare(item) }
        for item in items {
            switch item.form {
            case .from(let categories): check(categories: categories)
            case .key(let values): rules.check(keys: values, mayUseRow: false)
            case .every(let statements): rules.check(every: statements, at: item.position)
            case .field, .note, .index, .sort, .history, .rule: break
            }
        }
        checkIndexes()
        checkSorts()
        for item in items {
            if case .rule(let types, let statements) = item.form { rules.check(types, statements, at: item.position) }
        }
        return rules.values.faults
    }

    private mutating func report(_ rule: DefinitionRule, at position: SourcePosition, _ sentence: String) {
        rules.values.report(rule, at: position, sentence)
    }

    /// Checks the number of declarations of each kind.
    private mutating func checkCounts() {
        let byWord = Dictionary(grouping: items, by: \.form.word)
        for word in ["from", "key", "history", "every"] {
            for again in (byWord[word] ?? []).dropFirst() {
                report(.repeated, at: again.position, "\(word) stands once")
            }
        }
        for words in [["from"], ["on", "every"]] where words.allSatisfy({ byWord[$0] == nil }) {
            report(.missing, at: SourcePosition(line: 1, column: 1), "\(words[0]) is missing")
        }
        let limits = [
            ("field", DefinitionLimits.fields), ("note", DefinitionLimits.notes), ("index", DefinitionLimits.indexes),
        ]
        for (word, limit) in limits {
            rules.values.check((byWord[word] ?? []).map(\.position), atMost: limit, "there are at most \(limit)")
        }
    }

    private mutating func declare(_ item: SyntaxItem) {
        switch item.form {
        case .field(let field):
            let isReserved = ReservedWords.options.contains(field.name.name)
            check(field.name, isReserved: isReserved, isRepeated: rules.values.names.fields[field.name.name] != nil)
            let type = check(field: field)
            rules.values.names.declare(field: field.name.name, type)
        case .note(let note):
            check(note.name, isReserved: false, isRepeated: rules.values.names.notes[note.name.name] != nil)
            let type = check(note: note)
            rules.values.names.declare(note: note.name.name, type)
        case .from, .key, .index, .sort, .history, .rule, .every: break
        }
    }

    private mutating func check(_ name: SyntaxName, isReserved: Bool, isRepeated: Bool) {
        if name.name.utf8.count > DefinitionLimits.name {
            report(.tooLong, at: name.position, "a name has at most \(DefinitionLimits.name) characters")
        }
        if isReserved || ReservedWords.language.contains(name.name) {
            report(.notSelected, at: name.position, "\(name.name) cannot be a name here")
        }
        if isRepeated { report(.repeated, at: name.position, "\(name.name) is declared twice") }
    }

    private mutating func check(field: SyntaxDeclaration) -> ModelFieldType? {
        guard let type = check(field.type) else { return nil }
        if let start = field.start {
            if type.shape != .one {
                report(.wrongType, at: start.position, "only a field with one value has a value at the start")
            } else if case .literal(let value) = start.form, let rule = type.scalar.ruleBroken(by: value) {
                report(rule, at: start.position, "\(field.name.name) cannot hold it")
            }
        }
        return type
    }

    private mutating func check(note: SyntaxDeclaration) -> ModelFieldType? {
        guard let type = check(note.type) else { return nil }
        guard type.shape == .one else {
            report(.wrongType, at: note.type.position, "a note is a text, a number, a boolean or a time")
            return nil
        }
        if let start = note.start {
            report(.wrongType, at: start.position, "only a field with one value has a value at the start")
        }
        return type
    }

    private mutating func check(_ type: SyntaxType) -> ModelFieldType? {
        do throws(DefinitionRule) {
            return try type.type
        } catch {
            let (text, other) = (DefinitionLimits.longestText, DefinitionLimits.elements)
            let bounds = "N is 1 to \(text) in text(N), and 1 to \(other) elsewhere"
            report(
                error, at: type.position,
                error == .outOfRange ? "\(type.spelling): \(bounds)" : "\(type.spelling) is no type\(type.hint)")
            return nil
        }
    }

    private mutating func check(categories: [SyntaxName]) {
        let limit = DefinitionLimits.categories
        rules.values.check(categories.map(\.position), atMost: limit, "there are at most \(limit) categories")
        var seen: Set<String> = []
        for category in categories where category.name != "*" {
            if category.name.utf8.contains(0x2D) { report(.malformed, at: category.position, "a category has no -") }
            if Definition.builtInCategories.contains(category.name) {
                report(.notSelected, at: category.position, "\(category.name) is the store's own")
            }
            if !seen.insert(category.name).inserted {
                report(.repeated, at: category.position, "\(category.name) stands twice")
            }
        }
    }
}

/// Indexes and sorts.
extension DefinitionChecker {
    private mutating func checkIndexes() {
        var seen: Set<[String]> = []
        for item in items {
            guard case .index(let names) = item.form else { continue }
            let limit = DefinitionLimits.keyParts
            rules.values.check(names.map(\.position), atMost: limit, "an index has at most \(limit) fields")
            check(fields: names) { index, type in
                let fits = type.shape == .one || index == 0 && type.shape != .map
                return fits ? nil : "a list, set or last stands first in an index, a map in none"
            }
            if !seen.insert(names.map(\.name)).inserted {
                report(.repeated, at: item.position, "this index is there already")
            }
        }
    }

    private mutating func checkSorts() {
        let names = items.flatMap { if case .sort(let names) = $0.form { names } else { [] as [SyntaxName] } }
        let limit = DefinitionLimits.sorts
        rules.values.check(names.map(\.position), atMost: limit, "there are at most \(limit)")
        check(fields: names, typeBeforeRepetition: true) { _, type in
            type.shape == .one ? nil : "lists are sorted by a text, a number, a boolean or a time"
        }
    }

    /// Checks that each name is a field of a type that fits, and is there once.
    private mutating func check(
        fields names: [SyntaxName], typeBeforeRepetition: Bool = false,
        _ misfit: (_ index: Int, _ type: ModelFieldType) -> String?
    ) {
        var seen: Set<String> = []
        for (index, name) in names.enumerated() {
            let isRepeated = !seen.insert(name.name).inserted
            guard let type = rules.values.names.fields[name.name] else {
                report(.noSuch, at: name.position, rules.values.names.noField(name.name))
                continue
            }
            let sentence = type.flatMap { misfit(index, $0) }
            if isRepeated, !typeBeforeRepetition || sentence == nil {
                report(.repeated, at: name.position, "\(name.name) stands twice")
            } else if let sentence {
                report(.wrongType, at: name.position, sentence)
            }
        }
    }
}

extension SyntaxItem.Form {
    /// The word that a declaration begins with; `field` for fields.
    fileprivate var word: String {
        switch self {
        case .from: "from"
        case .key: "key"
        case .field: "field"
        case .note: "note"
        case .index: "index"
        case .sort: "sort"
        case .history: "history"
        case .rule: "on"
        case .every: "every"
        }
    }
}

extension ModelFieldType.Scalar {
    /// Returns the rule that a literal breaks as a value of the type; nil where it fits.
    fileprivate func ruleBroken(by value: Literal) -> DefinitionRule? {
        do throws(MisfitRule) {
            try value.withValue { (value) throws(MisfitRule) in _ = try fit(value) }
            return nil
        } catch {
            return DefinitionRule(rawValue: error.rawValue) ?? .wrongType
        }
    }
}
