/// A compiler of a definition that has no faults.
struct DefinitionCompiler {
    let items: [SyntaxItem]

    func compile() -> Definition {
        let fields = items.compactMap { if case .field(let field) = $0.form { field.declaration } else { nil } }
        let notes = items.compactMap { if case .note(let note) = $0.form { note.declaration } else { nil } }
        let key = items.compactMap { if case .key(let values) = $0.form { values } else { nil } }.first
        var expressions = ExpressionCompiler(ProgramSource(fields: fields, notes: notes))
        expressions.source.key = key.map { expressions.list($0) }
        let usesOtherRows = compileRules(&expressions)
        let finder = HintFinder(items)
        return Definition(
            indexes: items.compactMap {
                if case .index(let names) = $0.form { numbers(names, expressions) } else { nil }
            },
            sorts: numbers(
                items.flatMap { if case .sort(let names) = $0.form { names } else { [SyntaxName]() } }, expressions),
            hasHistory: items.contains { if case .history = $0.form { true } else { false } },
            hasRowsOfOneStream: expressions.source.categories?.count == 1 && key == nil && !usesOtherRows
                && !expressions.usesOtherNotes,
            program: Program(expressions.source), hints: finder.hints, gathering: finder.gathering)
    }

    private func numbers(_ names: [SyntaxName], _ expressions: ExpressionCompiler) -> [Int] {
        names.compactMap { expressions.fields[$0.name].map { Int($0) } }
    }

    /// Compiles the rules and takes the categories; returns true where a rule changes rows by a key of its own.
    ///
    /// The statements of `every` follow those of each rule, and are the rule of types without one.
    private func compileRules(_ expressions: inout ExpressionCompiler) -> Bool {
        var usesOtherRows = false
        var rules: [(types: [SyntaxName], rule: CompiledRule)] = []
        var every: CompiledRule?
        func compile(_ statements: [SyntaxStatement]) -> CompiledRule {
            var compiler = RuleCompiler(expressions)
            let rule = compiler.compile(statements)
            expressions = compiler.expressions
            usesOtherRows = usesOtherRows || compiler.usesOtherRows
            return rule
        }
        for item in items {
            switch item.form {
            case .from(let names):
                for name in names {
                    if name.name == "*" {
                        expressions.source.categories = nil
                    } else {
                        expressions.source.categories?.insert(name.name)
                        expressions.source.categoryLines[name.name] = name.position.line
                    }
                }
            case .rule(let types, let statements): rules.append((types, compile(statements)))
            case .every(let statements): every = compile(statements)
            case .key, .field, .note, .index, .sort, .history: break
            }
        }
        if let every { expressions.source.add(every, for: []) }
        for (types, rule) in rules {
            expressions.source.add(every.map { rule.followed(by: $0) } ?? rule, for: types)
        }
        return usesOtherRows
    }
}

extension ProgramSource {
    /// Adds a rule for types of events; without any, and for `*`, for all types without one.
    fileprivate mutating func add(_ rule: CompiledRule, for types: [SyntaxName]) {
        let table = memory.table(rule.instructions)
        for type in types where type.name != "*" {
            rules.append(
                ProgramCode.Rule(
                    type: memory.bytes(type.name), instructions: table, localCount: rule.localCount))
            typeLines[type.name] = type.position.line
        }
        if types.isEmpty || types.contains(where: { $0.name == "*" }) {
            otherRule = ProgramCode.Rule(type: memory.bytes("*"), instructions: table, localCount: rule.localCount)
        }
    }
}

extension SyntaxDeclaration {
    /// The field or the note; nil for a type with a fault, which a checked definition does not have.
    fileprivate var declaration: ModelField? {
        guard let type = try? type.type else { return nil }
        return ModelField(name: name.name, type: type, isOptional: isOptional, start: start?.literal)
    }
}
