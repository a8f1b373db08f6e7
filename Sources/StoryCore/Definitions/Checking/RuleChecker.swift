/// A checker of the statements of rules, one rule after another.
struct RuleChecker {
    var values = ValueChecker()

    private var types: Set<String> = []
    private var typeCount = 0
    private var statementCount = 0
    private var isInRow = false
    private var open: [Block] = []
    /// The steps of `every`, which an event takes beside those of its rule.
    private var everySteps = 0

    /// A block that is open, with the state around it.
    private enum Block {
        case choice
        case loop(wasInLoop: Bool)
        case row(wasInRow: Bool)
    }

    /// Checks a rule.
    mutating func check(_ types: [SyntaxName], _ statements: [SyntaxStatement], at position: SourcePosition) {
        for type in types {
            typeCount += 1
            if typeCount == DefinitionLimits.types + 1 {
                values.report(.tooLong, at: type.position, "there are at most \(DefinitionLimits.types) types")
            }
            if !self.types.insert(type.name).inserted {
                values.report(.repeated, at: type.position, "on \(type.name) is there already")
            }
        }
        check(statements, at: position)
    }

    /// Checks the statements for every event, before any rule.
    mutating func check(every statements: [SyntaxStatement], at position: SourcePosition) {
        check(statements, at: position)
        // Too many are a fault of `every`, and not of each rule.
        everySteps = values.steps > DefinitionLimits.steps ? 0 : values.steps
    }

    private mutating func check(_ statements: [SyntaxStatement], at position: SourcePosition) {
        (statementCount, values.steps, values.isInLoop, isInRow, open) = (0, everySteps, false, false, [])
        values.names.locals.enter()
        for statement in statements { check(statement) }
        values.names.locals.leave()
        if statementCount > DefinitionLimits.statements {
            values.report(.tooLong, at: position, "a rule has at most \(DefinitionLimits.statements) statements")
        }
        if values.steps > DefinitionLimits.steps {
            values.report(
                .tooLong, at: position,
                "one event could take \(values.steps) steps; at most \(DefinitionLimits.steps) are allowed")
        }
    }

    /// Checks the values of a key.
    mutating func check(keys: [SyntaxValue], mayUseRow: Bool) {
        let limit = DefinitionLimits.keyParts
        values.check(keys.map(\.position), atMost: limit, "a key has at most \(limit) parts")
        values.mayUseRow = mayUseRow
        for key in keys where values.kind(key)?.isCollection == true {
            values.report(.wrongType, at: key.position, "a part of a key is one value")
        }
        values.mayUseRow = true
    }

    private mutating func check(_ statement: SyntaxStatement) {
        switch statement.form {
        case .otherwise:
            values.names.locals.leave()
            return values.names.locals.enter()
        case .end: return leave()
        case .set, .bind, .merge, .remove, .choice, .loop, .row: break
        }
        statementCount += 1
        values.step()
        switch statement.form {
        case .set(let target, let assignment, let value):
            check(target, assignment, of: value, at: statement.position)
        case .bind(let name, let value): bind(name, to: value)
        case .merge(let value):
            if let kind = values.kind(value), kind != .any, kind != .map {
                values.report(.wrongType, at: value.position, "merge takes an object")
            }
        case .choice(let condition):
            values.check(condition: condition)
            enter(.choice)
        case .loop(let names, let over): loop(names, over, at: statement.position)
        case .row(let keys): row(keys, at: statement.position)
        case .remove, .otherwise, .end: break
        }
    }

    private mutating func bind(_ name: SyntaxName, to value: SyntaxValue) {
        let kind = values.kind(value, mayBeNone: true)
        guard isUsable(name) else { return }
        values.names.locals.bind(name.name, kind == ValueKind.none ? .any : kind ?? .any)
    }

    private mutating func loop(_ names: [SyntaxName], _ over: SyntaxValue, at position: SourcePosition) {
        let kind = values.kind(over)
        if values.isInLoop { values.report(.malformed, at: position, "for does not stand inside for") }
        if let kind, kind != .any, kind != .list {
            values.report(.wrongType, at: over.position, "for goes over an array or a list")
        }
        var bound: [String: ValueKind] = [:]
        for (index, name) in names.enumerated() {
            if bound[name.name] != nil { values.report(.repeated, at: name.position, "\(name.name) stands twice") }
            if isUsable(name) { bound[name.name] = names.count == 2 && index == 0 ? .number : .any }
        }
        enter(.loop(wasInLoop: values.isInLoop))
        values.isInLoop = true
        for (name, kind) in bound { values.names.locals.bind(name, kind) }
    }

    private mutating func row(_ keys: [SyntaxValue], at position: SourcePosition) {
        check(keys: keys, mayUseRow: true)
        if isInRow { values.report(.malformed, at: position, "row does not stand inside row") }
        enter(.row(wasInRow: isInRow))
        isInRow = true
    }

    private mutating func enter(_ block: Block) {
        open.append(block)
        values.names.locals.enter()
    }

    private mutating func leave() {
        values.names.locals.leave()
        switch open.popLast() {
        case .loop(let wasInLoop)?: values.isInLoop = wasInLoop
        case .row(let wasInRow)?: isInRow = wasInRow
        case .choice?, nil: break
        }
    }

    /// Returns true where a name of `let` or `for` is new; reports it otherwise.
    private mutating func isUsable(_ name: SyntaxName) -> Bool {
        guard !ReservedWords.language.contains(name.name) else {
            values.report(.notSelected, at: name.position, "\(name.name) cannot be a name")
            return false
        }
        guard values.names.fields[name.name] == nil, values.names.locals[name.name] == nil else {
            values.report(.repeated, at: name.position, "\(name.name) means something already")
            return false
        }
        if name.name.utf8.count > DefinitionLimits.name {
            values.report(.tooLong, at: name.position, "a name has at most \(DefinitionLimits.name) characters")
        }
        return true
    }
}

extension RuleChecker {
    /// Checks an assignment.
    mutating func check(
        _ target: SyntaxTarget, _ assignment: Assignment, of value: SyntaxValue, at position: SourcePosition
    ) {
        switch target {
        case .note(let note):
            let type = values.type(of: note, at: position)
            check(assignment, of: type, value, at: position)
        case .field(let name):
            guard let declared = field(name, at: position) else { return }
            check(assignment, of: declared.type, value, at: position)
        case .entry(let name, let key):
            guard let declared = field(name, at: position) else { return }
            var type = declared.type
            if let other = type, other.shape != .map {
                values.report(.wrongType, at: position, "only a map has entries")
                type = nil
            }
            if let kind = values.kind(key), !kind.isScalar, kind != .any {
                values.report(.wrongType, at: key.position, "the key of an entry is one value")
            }
            check(assignment, of: type.map { ModelFieldType($0.scalar) }, value, at: position)
        }
    }

    /// A field that can be changed; the type is nil after a fault.
    private struct Declared { let type: ModelFieldType? }

    /// Returns the field of a name; nil where the rest of the statement is not checked.
    private mutating func field(_ name: String, at position: SourcePosition) -> Declared? {
        guard values.names.locals[name] == nil else {
            values.report(.wrongType, at: position, "\(name) is not a field: it cannot be changed")
            return nil
        }
        if let type = values.names.fields[name] { return Declared(type: type) }
        if ReservedWords.language.contains(name) {
            values.report(.notSelected, at: position, "there is no field \(name)")
        } else {
            values.report(.noSuch, at: position, values.names.noField(name))
        }
        return Declared(type: nil)
    }

    private mutating func check(
        _ assignment: Assignment, of type: ModelFieldType?, _ value: SyntaxValue, at position: SourcePosition
    ) {
        let kind = values.kind(value, mayBeNone: true)
        guard let type, let kind, kind != .any else { return }
        if kind == .none {
            if assignment != .set { values.report(.wrongType, at: value.position, "none can only be set") }
            return
        }
        switch (assignment, type.shape) {
        case (.set, _):
            guard !type.takes(kind) else { return }
            values.report(.wrongType, at: value.position, "the field is \(type.name), the value is \(kind.rawValue)")
        case (.add, .one), (.take, .one):
            if type.scalar != .number {
                let sentence = "\(assignment.rawValue) is for numbers, lists, sets, last and maps"
                values.report(.wrongType, at: position, sentence)
            } else if kind != .number {
                let sentence = "the field is a number, the value is \(kind.rawValue)"
                values.report(.wrongType, at: value.position, sentence)
            }
        case (.add, .map):
            values.report(
                .wrongType, at: position, "entries of a map are set one by one: NAME[KEY] = value")
        case (.take, .map):
            guard !kind.isScalar, kind != .list else { return }
            values.report(.wrongType, at: value.position, "what is taken from a map is a key, or a list of keys")
        case (.add, .list), (.add, .set), (.add, .last), (.take, .list), (.take, .set), (.take, .last):
            guard kind != .list, !type.scalar.takes(kind) else { return }
            values.report(
                .wrongType, at: value.position, "the field holds \(type.scalar.name), the value is \(kind.rawValue)")
        }
    }
}
