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
        return Definition(
            indexes: items.compactMap {
                if case .index(let names) = $0.form { numbers(names, expressions) } else { nil }
            },
            sorts: numbers(
                items.flatMap { if case .sort(let names) = $0.form { names } else { [SyntaxName]() } }, expressions),
            hasHistory: items.contains { if case .history = $0.form { true } else { false } },
            hasRowsOfOneStream: expressions.source.categories?.count == 1 && key == nil && !usesOtherRows
                && !expressions.usesOtherNotes,
            program: Program(expressions.source))
    }

    private func numbers(_ names: [SyntaxName], _ expressions: ExpressionCompiler) -> [Int] {
        names.compactMap { expressions.fields[$0.name].map { Int($0) } }
    }

    /// Compiles the rules and takes the categories; returns true where a rule changes rows by a key of its own.
    private func compileRules(_ expressions: inout ExpressionCompiler) -> Bool {
        var usesOtherRows = false
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
            case .rule(let types, let statements):
                var compiler = RuleCompiler(expressions)
                let (instructions, localCount) = compiler.compile(statements)
                expressions = compiler.expressions
                usesOtherRows = usesOtherRows || compiler.usesOtherRows
                let memory = expressions.source.memory
                let table = memory.table(instructions)
                for type in types {
                    let rule = ProgramCode.Rule(
                        type: memory.bytes(type.name), instructions: table, localCount: localCount)
                    if type.name == "*" {
                        expressions.source.otherRule = rule
                    } else {
                        expressions.source.rules.append(rule)
                        expressions.source.typeLines[type.name] = type.position.line
                    }
                }
            case .key, .field, .note, .index, .sort, .history: break
            }
        }
        return usesOtherRows
    }
}

extension SyntaxDeclaration {
    /// The field or the note; nil for a type with a fault, which a checked definition does not have.
    fileprivate var declaration: ModelField? {
        guard let type = try? type.type else { return nil }
        return ModelField(name: name.name, type: type, isOptional: isOptional, start: start?.literal)
    }
}
