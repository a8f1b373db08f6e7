/// `merge`, `remove` and assignments.
extension ProgramFold {
    mutating func merge(_ expression: Expression.Number, line: Int32, _ run: Run) throws(Misfit) {
        try find(line: line)
        let box = value(expression, run)
        _ = rowValues(run)
        do throws(MisfitRule) {
            rows.make(code: run.code, cells: cells)
            for (number, field) in run.code.pointee.fields.enumerated() where box.isBox {
                let value = box.member(field.name)
                if case .absent(.because(.missing)) = value { continue }
                rows.set(number, try field.type.fit(value, in: memory))
            }
            try rows.check()
        } catch { throw Misfit(line: line, rule: error) }
    }

    /// Removes the current row, which has a key.
    mutating func removeRow(_ run: Run) throws(MisfitRule) {
        _ = rowValues(run)
        try rows.remove(code: run.code, cells: cells)
    }

    mutating func assign(_ assign: AssignInstruction, _ run: Run) throws(Misfit) {
        if case .note = assign.target {} else { try find(line: assign.line) }
        do throws(MisfitRule) {
            switch assign.target {
            case .field(let number): try set(Int(number), by: assign, run)
            case .entry(let number, let key): try set(entryOf: Int(number), key: key, by: assign, run)
            case .note(let number, let key): try set(note: Int(number), key: key, by: assign, run)
            }
        } catch { throw Misfit(line: assign.line, rule: error) }
    }

    private mutating func set(_ number: Int, by assign: AssignInstruction, _ run: Run) throws(MisfitRule) {
        let field = run.code.pointee.fields[number]
        let isThere = rowValues(run) != nil
        let old = isThere ? fieldValue(number, run) : run.code.pointee.start[number]
        let takes = assign.clears || assign.assignment == .take && field.type.shape != .one
        if !isThere, takes {
            // The value may break a rule all the same.
            if !assign.clears { _ = try changed(field, from: .missing, by: assign, run) }
            return try rows.remove(code: run.code, cells: cells)
        }
        let new = try changed(field, from: old, by: assign, run)
        rows.make(code: run.code, cells: cells)
        rows.set(number, new)
        try rows.check()
    }

    private mutating func set(
        entryOf number: Int, key: Expression.Number, by assign: AssignInstruction, _ run: Run
    ) throws(MisfitRule) {
        let isThere = rowValues(run) != nil
        if !isThere, assign.clears { return try rows.remove(code: run.code, cells: cells) }
        let type = run.code.pointee.fields[number].type
        var map = PackedMap(of: PackedScalar(type.scalar))
        if isThere, case .map(let entries) = fieldValue(number, run) { map = entries }
        guard let key = value(key, run).keyPart(limit: DefinitionLimits.entryKey, in: memory) else { throw .key }
        let entry = ProgramCode.Field(name: .none, type: ModelFieldType(type.scalar), isOptional: false)
        let new = try changed(entry, from: map.value(key) ?? .missing, by: assign, run)
        let before = map
        map = map.setting(key, new.isMissing ? nil : new, in: memory)
        if map.count > type.count {
            guard type.drops else { throw .full }
            map = before
        }
        rows.make(code: run.code, cells: cells)
        rows.set(number, .map(map))
        try rows.check()
    }

    private mutating func set(
        note number: Int, key: Expression.Number?, by assign: AssignInstruction, _ run: Run
    ) throws(MisfitRule) {
        guard let key = noteKey(key, run) else { throw .key }
        let old = note(number, of: key, run)
        let new = try changed(run.code.pointee.notes[number], from: old, by: assign, run)
        // The value may have read another record meanwhile.
        _ = note(number, of: key, run)
        try notes.set(number, of: key, to: new, code: run.code, cells: cells)
    }

    /// Returns the new value of a field; missing where it has none.
    private mutating func changed(
        _ field: ProgramCode.Field, from old: ModelValue, by assign: AssignInstruction, _ run: Run
    ) throws(MisfitRule) -> ModelValue {
        let value = value(assign.value, run)
        if case .absent(let absence) = value {
            switch absence {
            case .none: return assign.assignment == .set ? .missing : old
            case .because(.missing) where field.isOptional: return old
            case .because(let rule): throw rule
            }
        }
        return try field.type.combined(old, assign.assignment, with: value, in: memory)
    }
}
