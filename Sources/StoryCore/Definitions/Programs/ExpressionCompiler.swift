/// A compiler of values, which gathers the expressions, constants and paths of a program.
struct ExpressionCompiler {
    /// The parts of the program so far.
    var source: ProgramSource
    /// The numbers of the fields.
    private(set) var fields: [String: Int32] = [:]
    /// True where a note of another key than the stream is used.
    private(set) var usesOtherNotes = false
    /// The numbers of the names of `let` and `for`.
    var locals = LocalNames<Int32>()

    private var notes: [String: Int32] = [:]
    private var pathNumbers: [EventPath: Int32] = [:]

    init(_ source: ProgramSource) {
        self.source = source
        for (number, field) in source.fields.enumerated() { fields[field.name] = Int32(number) }
        for (number, note) in source.notes.enumerated() { notes[note.name] = Int32(number) }
    }

    /// Returns the number and the key of a note; nil where there is no such note.
    mutating func compile(_ note: SyntaxNote) -> (number: Int32, key: Expression.Number?)? {
        if note.key != nil { usesOtherNotes = true }
        guard let number = notes[note.name] else { return nil }
        return (number, note.key.map { compile($0) })
    }

    /// Returns the list of values.
    mutating func list(_ values: [SyntaxValue]) -> ExpressionList {
        let numbers = values.map { compile($0) }
        let start = Int32(source.lists.count)
        source.lists += numbers
        return ExpressionList(start: start, count: Int32(numbers.count))
    }

    /// Returns the number of a value's expression.
    mutating func compile(_ value: SyntaxValue) -> Expression.Number {
        let expression = expression(value)
        source.expressions.append(expression)
        return Expression.Number(source.expressions.count - 1)
    }

    private mutating func expression(_ value: SyntaxValue) -> Expression {
        if let path = EventPath(value) { return .path(number(of: path, line: value.position.line)) }
        switch value.form {
        case .literal(let literal): return .constant(constant(literal))
        case .none, .row, .root: return .none
        case .event(let name): return EventAttribute(rawValue: name.name).map { .attribute($0) } ?? .none
        case .note(let note): return compile(note).map { .note($0.number, key: $0.key) } ?? .none
        case .name(let name): return locals[name].map { .local($0) } ?? fields[name].map { .field($0) } ?? .none
        case .member(let box, let name): return .member(compile(box), name: constant(.text(Text(name))))
        case .element(let box, let key): return .element(compile(box), compile(key))
        case .call(let name, let arguments): return call(name, arguments)
        case .arithmetic(let operation, let left, let right):
            return .arithmetic(operation, compile(left), compile(right))
        case .negative(let number): return .negative(compile(number))
        case .not(let condition): return .not(compile(condition))
        case .logic(let logic, let left, let right): return .logic(logic, compile(left), compile(right))
        case .comparison(let comparison, let left, let right): return compile(comparison, of: left, and: right)
        case .coalesce(let value, let other): return .coalesce(compile(value), compile(other))
        case .choice(let condition, let yes, let no): return .choice(compile(condition), compile(yes), compile(no))
        case .isIn(let value, let list): return .isIn(compile(value), compile(list))
        case .isOneOf(let value, let options): return .isOneOf(compile(value), list(options))
        }
    }

    private mutating func compile(
        _ comparison: Comparison, of left: SyntaxValue, and right: SyntaxValue
    ) -> Expression {
        guard left.isNone || right.isNone else { return .comparison(comparison, compile(left), compile(right)) }
        let other = right.isNone ? left : right
        let isAbsent = other.isRow ? Expression.isRowAbsent : .isAbsent(compile(other))
        guard comparison != .equal else { return isAbsent }
        source.expressions.append(isAbsent)
        return .not(Expression.Number(source.expressions.count - 1))
    }

    private mutating func call(_ name: String, _ arguments: [SyntaxValue]) -> Expression {
        guard let function = ModelFunction(rawValue: name) else { return .none }
        guard function.option != nil else { return .call(function, list(arguments), option: 0) }
        var option: Int32 = 0
        switch arguments.dropFirst().first?.literal {
        case .number(let number)?: option = Int32(truncatingIfNeeded: number.whole ?? 0)
        case .text(let text)?: option = Int32(truncatingIfNeeded: ZoneOffset(text)?.minutes ?? 0)
        case .boolean?, nil: break
        }
        return .call(function, list(Array(arguments.prefix(1))), option: option)
    }

    private mutating func constant(_ literal: Literal) -> Int32 {
        source.constants.append(source.value(literal))
        return Int32(source.constants.count - 1)
    }

    private mutating func number(of path: EventPath, line: Int) -> Int32 {
        if let number = pathNumbers[path] { return number }
        let number = Int32(source.paths.count)
        pathNumbers[path] = number
        source.paths.append(path)
        source.pathLines.append(line)
        return number
    }
}

extension EventPath {
    /// Creates the path of a value; nil where the value is none.
    fileprivate init?(_ value: SyntaxValue) {
        var steps: [Step] = []
        var value = value
        while true {
            switch value.form {
            case .event(let name) where name.name == EventAttribute.tags.rawValue && steps.isEmpty:
                self.init(root: .tags, steps: [])
                return
            case .root(let root):
                self.init(root: root, steps: steps.reversed())
                return
            case .member(let box, let name):
                steps.append(Step(name: Text(name), isBracketed: false))
                value = box
            case .element(let box, let key):
                guard case .text(let name)? = key.literal else { return nil }
                steps.append(Step(name: name, isBracketed: true))
                value = box
            default: return nil
            }
        }
    }
}
