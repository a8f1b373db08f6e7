/// The work that a rule takes at most: for an event, and for each round of its loops over parts of the event.
///
/// It is a bound, so that short folds are known before they begin: few events come near it.
package struct RuleWork: BitwiseCopyable, Sendable {
    private var once: Work
    private var each = Work.zero

    /// True where the work depends on the elements of the event.
    package var hasRounds: Bool { each > .zero }

    /// Returns the work for an event with arrays of a number of elements together.
    package func most(elements: Int) -> Work { once + min(elements, DefinitionLimits.loop) * each }
}

extension Program {
    /// Returns the work that each rule takes at most, by its number.
    ///
    /// - Parameter row: the work of writing a row that was changed.
    package func works(row: Work) -> [RuleWork] {
        let measure = RuleMeasure(code: code, row: row)
        return (Array(code.pointee.rules) + [code.pointee.otherRule].compactMap { $0 }).map { RuleWork($0, measure) }
    }

    /// Returns the number of the rule for a type; nil where there is none.
    package func ruleNumber(type: UnsafeRawBufferPointer) -> Int? {
        let rules = code.pointee.rules
        for index in 0..<rules.count where rules[index].type.equals(type) { return index }
        return code.pointee.otherRule == nil ? nil : rules.count
    }

    /// The size of a row in bytes at most.
    package var mostRowBytes: Int { ProgramCode.mostBytes(of: code.pointee.fields) }
}

extension RuleWork {
    fileprivate init(_ rule: ProgramCode.Rule, _ measure: RuleMeasure) {
        // The row outside of `row`, where there is one.
        once = .modelEvent + measure.row
        var end: (index: Int, isOfEvent: Bool)?
        for (index, instruction) in rule.instructions.enumerated() {
            if let loop = end, index >= loop.index { end = nil }
            let work = measure.work(of: instruction)
            switch end {
            case nil: once += work
            case (_, true)?: each += work
            case (_, false)?: once += DefinitionLimits.loop * work
            }
            if case .beginLoop(let loop) = instruction { end = (Int(loop.end), measure.isOfEvent(loop.over)) }
        }
    }
}

/// The bounds of the work of instructions.
private struct RuleMeasure {
    let code: UnsafePointer<ProgramCode>
    let row: Work

    func work(of instruction: Instruction) -> Work {
        switch instruction {
        case .assign(let assign): .instruction + work(of: assign.value) + work(of: assign.target)
        case .bind(_, let value): .instruction + work(of: value)
        case .merge(let value, _):
            .instruction + work(of: value) + .folded(ProgramCode.mostBytes(of: code.pointee.fields))
        case .remove, .goTo, .endLoop, .endRow: .instruction
        case .unless(let condition, _): .instruction + work(of: condition)
        case .beginLoop(let loop): .instruction + work(of: loop.over)
        case .beginRow(let keys, _): .instruction + row + work(of: keys)
        }
    }

    private var noteBytes: Work { .folded(ProgramCode.mostBytes(of: code.pointee.notes)) }

    private func work(of target: AssignInstruction.Target) -> Work {
        switch target {
        case .field(let number): .folded(3 * code.pointee.fields[Int(number)].type.mostBytes)
        case .entry(let number, let key):
            .folded(3 * code.pointee.fields[Int(number)].type.mostBytes) + work(of: key)
        case .note(_, let key):
            .changedRow + 2 * noteBytes + (key.map { work(of: $0) } ?? .zero)
        }
    }

    private func work(of list: ExpressionList) -> Work {
        (0..<Int(list.count)).reduce(.zero) { $0 + work(of: code.pointee.lists[Int(list.start) + $1]) }
    }

    /// Returns the work of an expression and its parts, whose depth the language limits.
    private func work(of number: Expression.Number) -> Work {
        let parts: Work =
            switch code.pointee.expressions[Int(number)] {
            case .constant, .none, .path, .attribute, .field, .local, .isRowAbsent: .zero
            case .note(_, let key):
                .changedRow + noteBytes + (key.map { work(of: $0) } ?? .zero)
            case .member(let box, _): work(of: box) + search(in: box)
            case .element(let box, let key), .isIn(let key, let box): work(of: box) + work(of: key) + search(in: box)
            case .call(_, let arguments, _):
                work(of: arguments)
                    + (0..<Int(arguments.count)).reduce(.zero) {
                        $0 + search(in: code.pointee.lists[Int(arguments.start) + $1])
                    }
            case .arithmetic(.plus, let left, let right):
                work(of: left) + work(of: right) + .folded(2 * DefinitionLimits.usualText)
            case .arithmetic(_, let left, let right), .logic(_, let left, let right),
                .comparison(_, let left, let right), .coalesce(let left, let right):
                work(of: left) + work(of: right)
            case .negative(let value), .not(let value), .isAbsent(let value): work(of: value)
            case .choice(let condition, let yes, let no): work(of: condition) + work(of: yes) + work(of: no)
            case .isOneOf(let value, let options): work(of: value) + work(of: options)
            }
        return .instruction + parts
    }

    /// Returns the work of a search among the elements of a value, or of reading all its bytes.
    private func search(in box: Expression.Number) -> Work {
        switch code.pointee.expressions[Int(box)] {
        case .field(let number): .folded(code.pointee.fields[Int(number)].type.mostBytes)
        case .note(let number, _): .folded(code.pointee.notes[Int(number)].type.mostBytes)
        case .constant, .none, .path, .attribute, .isRowAbsent, .negative, .not, .isAbsent, .logic, .comparison, .isIn,
            .isOneOf, .member, .element:
            .folded(DefinitionLimits.lookup)
        case .local, .call, .arithmetic, .coalesce, .choice: .folded(DefinitionLimits.rowSize / 4)
        }
    }

    /// Returns true for a part of the event, whose elements its data bounds.
    func isOfEvent(_ number: Expression.Number) -> Bool {
        switch code.pointee.expressions[Int(number)] {
        case .path, .attribute: true
        case .member(let box, _), .element(let box, _): isOfEvent(box)
        case .coalesce(let left, let right): isOfEvent(left) && isOfEvent(right)
        case .constant, .none, .field, .note, .local, .call, .arithmetic, .negative, .not, .logic, .comparison,
            .isAbsent, .isRowAbsent, .choice, .isIn, .isOneOf:
            false
        }
    }
}

extension ProgramCode {
    /// Returns the size of a record of fields, in bytes at most.
    fileprivate static func mostBytes(of fields: UnsafeBufferPointer<Field>) -> Int {
        min(DefinitionLimits.rowSize, fields.reduce(0) { $0 + $1.type.mostBytes })
    }
}

extension ModelFieldType {
    /// The size of a value in bytes at most, as the limit of a row counts it.
    fileprivate var mostBytes: Int {
        let one =
            switch scalar {
            case .text(let limit): PackedScalar.lengthCount + limit
            case .number, .time, .boolean: 9
            }
        let key = shape == .map ? PackedScalar.lengthCount + DefinitionLimits.entryKey : 0
        return min(DefinitionLimits.rowSize, count * (one + key))
    }
}
