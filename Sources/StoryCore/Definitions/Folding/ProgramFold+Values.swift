/// The values of expressions. Calls nest with the depth of an expression, which the language limits.
extension ProgramFold {
    mutating func value(_ number: Expression.Number, _ run: Run) -> ModelValue {
        let expression = run.code.pointee.expressions[Int(number)]
        switch expression {
        case .constant(let index): return run.code.pointee.constants[Int(index)]
        case .none: return .absent(Absence.none)
        case .path(let path): return ModelValue(run.event.values[Int(path)])
        case .attribute(let attribute): return run.event[attribute]
        case .field(let field): return fieldValue(Int(field), run)
        case .note(let note, let key):
            guard let key = noteKey(key, run) else { return .missing }
            return self.note(Int(note), of: key, run)
        case .local(let local): return locals[Int(local)]
        case .member(let box, let name):
            guard case .text(let name) = run.code.pointee.constants[Int(name)] else { return .missing }
            let box = value(box, run)
            searched += box.size
            return box.member(name)
        case .element(let box, let key):
            let box = value(box, run)
            searched += box.size
            return box.element(value(key, run), in: memory)
        case .call(let function, let arguments, let option): return call(function, of: arguments, option: option, run)
        case .arithmetic(let operation, let left, let right):
            let left = value(left, run)
            return operation.result(left, value(right, run), in: memory)
        case .negative(let number): return value(number, run).negated
        case .coalesce(let first, let other):
            let value = value(first, run)
            return value.isMissing ? self.value(other, run) : value
        case .choice(let condition, let yes, let no): return value(isTrue(condition, run) ? yes : no, run)
        case .not, .logic, .comparison, .isAbsent, .isRowAbsent, .isIn, .isOneOf:
            return .boolean(isTrue(number, run))
        }
    }

    /// Returns true where an expression is the boolean `true`.
    mutating func isTrue(_ number: Expression.Number, _ run: Run) -> Bool {
        switch run.code.pointee.expressions[Int(number)] {
        case .not(let condition): return !isTrue(condition, run)
        case .logic(.and, let left, let right): return isTrue(left, run) && isTrue(right, run)
        case .logic(.or, let left, let right): return isTrue(left, run) || isTrue(right, run)
        case .comparison(let comparison, let left, let right):
            let left = value(left, run)
            return comparison.holds(left.order(to: value(right, run)))
        case .isAbsent(let other): return value(other, run).isMissing
        case .isRowAbsent: return rowValues(run) == nil
        case .isIn(let element, let list):
            let element = value(element, run)
            let list = value(list, run)
            searched += list.searchedSize
            return element.isIn(list, memory)
        case .isOneOf(let element, let options):
            let element = value(element, run)
            for index in 0..<options.count {
                let option = run.code.pointee.lists[Int(options.start + index)]
                if element.order(to: value(option, run)) == .same { return true }
            }
            return false
        case .constant, .none, .path, .attribute, .field, .note, .local, .member, .element, .call, .arithmetic,
            .negative, .coalesce, .choice:
            return value(number, run).isTrue
        }
    }

    /// Returns the values of the current row, which is read where it has to be; nil where there is none.
    mutating func rowValues(_ run: Run) -> UnsafeMutablePointer<ModelValue>? {
        if rows.isUnread, !rows.read(from: run.model, code: run.code, memory: memory) { hasFailed = true }
        return rows.values
    }

    /// Returns the value of a field; that of a new row where there is none.
    mutating func fieldValue(_ number: Int, _ run: Run) -> ModelValue {
        rowValues(run)?[number] ?? run.code.pointee.start[number]
    }

    /// Returns a value of a note record.
    mutating func note(_ number: Int, of key: UnsafeRawBufferPointer, _ run: Run) -> ModelValue {
        guard let values = notes.values(key, from: run.model, code: run.code, memory: memory) else {
            hasFailed = true
            return .missing
        }
        return values[number]
    }

    /// Returns the key of a note record: the stream's name, or a value; nil where the value makes none.
    mutating func noteKey(_ key: Expression.Number?, _ run: Run) -> UnsafeRawBufferPointer? {
        guard let key else { return run.event.stream }
        return value(key, run).keyPart(limit: DefinitionLimits.keyPart, in: memory)
    }

    /// Returns the key of the row outside of `row`; nil where the values make none.
    mutating func defaultKey(_ run: Run) -> UnsafeRawBufferPointer? {
        if let key = run.code.pointee.key { return rowKey(key, run) }
        return withUnsafePointer(to: run.event.id) { part in
            ModelKey.make(UnsafeBufferPointer(start: part, count: 1), in: memory)
        }
    }

    /// Returns the key of a row; nil where the values make none.
    mutating func rowKey(_ keys: ExpressionList, _ run: Run) -> UnsafeRawBufferPointer? {
        let size = MemoryLayout<UnsafeRawBufferPointer>.stride * Int(keys.count)
        let parts = memory.allocate(size).bindMemory(to: UnsafeRawBufferPointer.self, capacity: Int(keys.count))
        var isKey = true
        for index in 0..<Int(keys.count) {
            let value = value(run.code.pointee.lists[Int(keys.start) + index], run)
            let part = value.keyPart(limit: DefinitionLimits.keyPart, in: memory)
            (parts + index).initialize(to: part ?? .none)
            isKey = isKey && part != nil
        }
        return isKey ? ModelKey.make(UnsafeBufferPointer(start: parts, count: Int(keys.count)), in: memory) : nil
    }

    private mutating func call(
        _ function: ModelFunction, of arguments: ExpressionList, option: Int32, _ run: Run
    ) -> ModelValue {
        let count = Int(arguments.count)
        let values = memory.values(count)
        for index in 0..<count {
            values[index] = value(run.code.pointee.lists[Int(arguments.start) + index], run)
            searched += values[index].searchedSize
        }
        let call = FunctionCall(function: function, option: Int(option), memory: memory)
        return call.result(of: UnsafeMutableBufferPointer(start: values, count: count))
    }
}
