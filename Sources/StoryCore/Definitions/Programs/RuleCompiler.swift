/// A compiler of the statements of one rule.
struct RuleCompiler {
    private(set) var expressions: ExpressionCompiler
    /// True where a rule changes rows by a key of its own.
    private(set) var usesOtherRows = false

    private var instructions: [Instruction] = []
    private var localCount: Int32 = 0
    private var open: [Block] = []

    /// A block that is open, with the instruction that gets its end.
    private enum Block {
        case choice(unless: Int32)
        case otherwise(goTo: Int32)
        case loop(Int32)
        case row
    }

    init(_ expressions: ExpressionCompiler) {
        self.expressions = expressions
        self.expressions.locals = LocalNames()
    }

    /// Returns the compiled statements of a rule.
    mutating func compile(_ statements: [SyntaxStatement]) -> CompiledRule {
        expressions.locals.enter()
        for statement in statements { compile(statement) }
        return CompiledRule(instructions: instructions, localCount: Int(localCount))
    }

    private mutating func add(_ instruction: Instruction) { instructions.append(instruction) }

    private var end: Int32 { Int32(instructions.count) }

    private mutating func compile(_ statement: SyntaxStatement) {
        let line = Int32(statement.position.line)
        switch statement.form {
        case .set(let target, let assignment, let value):
            guard let target = compile(target) else { return }
            let clears = assignment == .set && value.isNone
            let value = expressions.compile(value)
            add(
                .assign(
                    AssignInstruction(
                        target: target, assignment: assignment, value: value, clears: clears, line: line)))
        case .bind(let name, let value):
            let value = expressions.compile(value)
            add(.bind(bind(name.name), value))
        case .merge(let value): add(.merge(expressions.compile(value), line: line))
        case .remove: add(.remove(line: line))
        case .choice(let condition):
            enter(.choice(unless: end))
            add(.unless(expressions.compile(condition), goTo: 0))
        case .otherwise: otherwise()
        case .loop(let names, let over): loop(names, over, line: line)
        case .row(let keys):
            usesOtherRows = true
            add(.beginRow(expressions.list(keys), line: line))
            enter(.row)
        case .end: leave()
        }
    }

    private mutating func compile(_ target: SyntaxTarget) -> AssignInstruction.Target? {
        switch target {
        case .field(let name): expressions.fields[name].map { .field($0) }
        case .entry(let name, let key):
            if let field = expressions.fields[name] { .entry(field, key: expressions.compile(key)) } else { nil }
        case .note(let note): expressions.compile(note).map { .note($0.number, key: $0.key) }
        }
    }

    private mutating func loop(_ names: [SyntaxName], _ over: SyntaxValue, line: Int32) {
        let over = expressions.compile(over)
        enter(.loop(end))
        let index = names.count == 2 ? bind(names[0].name) : nil
        let element = bind(names.last?.name ?? "")
        add(.beginLoop(LoopInstruction(over: over, element: element, index: index, line: line)))
    }

    /// Gives a name of `let` or `for` a number.
    private mutating func bind(_ name: String) -> Int32 {
        defer { localCount += 1 }
        expressions.locals.bind(name, localCount)
        return localCount
    }

    private mutating func enter(_ block: Block) {
        open.append(block)
        expressions.locals.enter()
    }

    /// Ends the block of an `if`, and begins that of its `else`.
    private mutating func otherwise() {
        guard case .choice(let unless)? = open.popLast() else { return }
        expressions.locals.leave()
        enter(.otherwise(goTo: end))
        add(.goTo(0))
        setEnd(of: unless)
    }

    private mutating func leave() {
        expressions.locals.leave()
        switch open.popLast() {
        case .choice(let unless)?: setEnd(of: unless)
        case .otherwise(let goTo)?: setEnd(of: goTo)
        case .loop(let begin)?:
            add(.endLoop)
            setEnd(of: begin)
        case .row?: add(.endRow)
        case nil: break
        }
    }

    /// Lets an instruction go on at the end of those so far.
    private mutating func setEnd(of number: Int32) {
        let index = Int(number)
        switch instructions[index] {
        case .unless(let condition, _): instructions[index] = .unless(condition, goTo: end)
        case .goTo: instructions[index] = .goTo(end)
        case .beginLoop(var loop):
            loop.end = end
            instructions[index] = .beginLoop(loop)
        case .assign, .bind, .merge, .remove, .endLoop, .beginRow, .endRow: break
        }
    }
}

/// The compiled statements of a rule.
struct CompiledRule {
    var instructions: [Instruction] = []
    /// The number of its names of `let` and `for`.
    var localCount = 0

    /// Returns both rules, one after the other. The second one uses the locals again: it sets each before it reads it.
    func followed(by other: CompiledRule) -> CompiledRule {
        CompiledRule(
            instructions: instructions + other.instructions.map { $0.moved(by: instructions.count) },
            localCount: max(localCount, other.localCount))
    }
}
