/// Statements: each sees what those before did.
extension PlainModel {
    func run(_ statements: [Statement], _ outer: [Fields]) throws(Misfit) {
        var names = outer + [[:]]
        for statement in statements { try run(statement, &names) }
    }

    private func run(_ statement: Statement, _ names: inout [Fields]) throws(Misfit) {
        switch statement.kind {
        case .choice(let condition, let yes, let no):
            let found = value(condition, names)
            let holds = Planted.is(.conditionsAreLoose) ? found.reason == nil && found != .boolean(false) : found.isTrue
            try run(holds ? yes : no, names)
        case .bind(let name, let bound): names[names.count - 1][name] = value(bound, names)
        case .each(let bound, let over, let body): try each(statement, bound, value(over, names), body, names)
        case .row(let keys, let body):
            let outer = (at, explicit)
            if !Planted.is(.rowsAreOutside) { at = rowKey(keys, names) }
            explicit = statement.line
            try run(body, names)
            (at, explicit) = outer
        case .remove:
            let key = try find(statement)
            try change(statement, key, nil)
        case .merge(let box): try merge(statement, value(box, names))
        case .set(let target, let mark, let given): try set(statement, target, mark, given, names)
        }
    }

    private func each(
        _ statement: Statement, _ bound: [String], _ over: PlainValue, _ body: [Statement], _ names: [Fields]
    ) throws(Misfit) {
        if over == .no(.missing) || over == .no(.none) { return }
        guard case .list(let elements) = over else {
            throw Misfit(line: statement.line, rule: over.reason ?? .wrongType)
        }
        let most = Planted.is(.loopsAreLong) ? PlainLimits.each + 1 : PlainLimits.each
        guard elements.count <= most else { throw Misfit(line: statement.line, rule: .tooMany) }
        for (index, element) in elements.enumerated() {
            var scope: Fields = [bound[bound.count - 1]: element.lifted]
            if bound.count == 2 { scope[bound[0]] = .whole(Planted.is(.indexesBeginAtOne) ? index + 1 : index) }
            try run(body, names + [scope])
        }
    }

    /// The key of the row that a statement changes.
    private func find(_ statement: Statement) throws(Misfit) -> Key {
        guard let at else {
            throw Misfit(
                line: explicit.flatMap { Planted.is(.misfitsTellTheRule) ? nil : $0 } ?? statement.line, rule: .key)
        }
        return at
    }

    private func merge(_ statement: Statement, _ box: PlainValue) throws(Misfit) {
        let key = try find(statement)
        var new = row ?? start
        for field in tree.fields {
            var value = PlainValue.no(.missing)
            if case .map = box { value = PlainModel.inside(box, .text(field.name)) }
            guard value != .no(.missing) else {
                if Planted.is(.mergesClear), case .map = box { new[field.name] = nil }
                continue
            }
            let fitting = field.type.fit(value)
            if let rule = fitting.reason { throw Misfit(line: statement.line, rule: rule) }
            new[field.name] = fitting
        }
        try change(statement, key, new)
    }

    private func set(
        _ statement: Statement, _ target: Statement.Target, _ mark: String, _ given: Expression, _ names: [Fields]
    ) throws(Misfit) {
        switch target {
        case .note(let key, let name): try setNote(statement, key, name, mark, given, names)
        case .field(let name):
            guard let field = fields[name] else { return }
            let key = try find(statement)
            if try takes(statement, key, field, mark, given, names, isWhole: true) { return }
            var new = row ?? (Planted.is(.startsAreForgotten) ? [:] : start)
            new[name] = try changed(statement, mark, field, new[name], value(given, names))
            try change(statement, key, new)
        case .entry(let name, let entry):
            guard let field = fields[name] else { return }
            let key = try find(statement)
            if try takes(statement, key, field, mark, given, names, isWhole: false) { return }
            var new = row ?? start
            new[name] = try changed(statement, field, value(entry, names), mark, new[name], value(given, names))
            try change(statement, key, new)
        }
    }

    /// Takes away from a row that is not there, which makes none; whether that is so.
    private func takes(
        _ statement: Statement, _ key: Key, _ field: Tree.Field, _ mark: String, _ given: Expression,
        _ names: [Fields], isWhole: Bool
    ) throws(Misfit) -> Bool {
        var isNone = false
        if case .none = given { isNone = true }
        let isTaking = (mark == "=" && isNone) || (mark == "-=" && isWhole && field.type.collection != nil)
        guard row == nil, isTaking, !Planted.is(.removalsMakeRows) else { return false }
        if !isNone { _ = try changed(statement, mark, field, nil, value(given, names)) }
        try change(statement, key, nil)
        return true
    }

    private func setNote(
        _ statement: Statement, _ key: Expression?, _ name: String, _ mark: String, _ given: Expression,
        _ names: [Fields]
    ) throws(Misfit) {
        guard let note = notes[name] else { return }
        guard let key = noteKey(key, names) else { throw Misfit(line: statement.line, rule: .key) }
        var new = self.note(key)
        new[name] = try changed(statement, mark, note, new[name], value(given, names))
        new = PlainModel.settled(new)
        try checkSize(statement, new)
        if let index = noted.firstIndex(where: { $0.key == key }) {
            noted[index].after = new
        } else {
            noted.append((key, new))
        }
        if noted.count > PlainLimits.rows { throw Misfit(line: statement.line, rule: .tooMany) }
    }

    /// The new value of a field; nil where it has none.
    private func changed(
        _ statement: Statement, _ mark: String, _ field: Tree.Field, _ old: PlainValue?, _ given: PlainValue
    ) throws(Misfit) -> PlainValue? {
        if let rule = given.reason {
            if rule == .none, !Planted.is(.noneIsAValue) { return mark == "=" ? nil : old }
            if rule == .missing, field.isOptional, !Planted.is(.optionalFieldsAreNeeded) { return old }
            throw Misfit(line: statement.line, rule: rule == .none ? .missing : rule)
        }
        let new = PlainModel.combined(mark, field.type, old, given)
        if let rule = new.reason { throw Misfit(line: statement.line, rule: rule) }
        return new
    }

    /// The new entries of a map.
    private func changed(
        _ statement: Statement, _ field: Tree.Field, _ entry: PlainValue, _ mark: String, _ old: PlainValue?,
        _ given: PlainValue
    ) throws(Misfit) -> PlainValue {
        var members: [PlainValue.Member] = []
        if case .map(let old)? = old { members = old }
        guard let key = entry.key(PlainLimits.entry) else { throw Misfit(line: statement.line, rule: .key) }
        let element = Tree.Field(name: field.name, type: field.type.element, isOptional: false, start: nil)
        let value = try changed(statement, mark, element, members.first { $0.key == key }?.value, given)
        let isNew = !members.contains { $0.key == key }
        if isNew, field.type.drops, members.count >= field.type.most { return .map(members) }
        members.removeAll { $0.key == key }
        if let value { members.append(PlainValue.Member(key: key, value: value)) }
        if members.count > field.type.most, !Planted.is(.entriesAreUnlimited) {
            throw Misfit(line: statement.line, rule: .full)
        }
        return .map(members.sorted { $0.key.lexicographicallyPrecedes($1.key) })
    }

    private static func combined(
        _ mark: String, _ type: PlainType, _ old: PlainValue?, _ given: PlainValue
    ) -> PlainValue {
        if mark == "=" { return type.fit(given) }
        guard type.collection != nil else {
            guard case .number(let number) = given else { return .no(.wrongType) }
            var before = PlainNumber.zero
            if case .number(let number)? = old { before = number }
            return .number(mark == "+=" ? before + number : before - number)
        }
        var parts = [given]
        if case .list(let elements) = given { parts = elements }
        if case .map(let members)? = old ?? (type.isMap ? .map([]) : nil), type.isMap {
            if Planted.is(.removalsOfMapsFail) { return .map(members) }
            let keys = parts.map { $0.lifted.key(PlainLimits.entry) }
            if keys.contains(nil) { return .no(.key) }
            return .map(members.filter { !keys.contains($0.key) })
        }
        parts = parts.map { type.element.fit($0) }
        if let rule = parts.lazy.compactMap(\.reason).first { return .no(rule) }
        var before: [PlainValue] = []
        if case .list(let elements)? = old { before = elements }
        if mark == "+=" { return type.fit(.list(before + parts)) }
        if Planted.is(.oneElementIsTaken) {
            for part in parts { if let index = before.firstIndex(of: part) { before.remove(at: index) } }
            return .list(before)
        }
        return .list(before.filter { !parts.contains($0) })
    }

    private static func settled(_ fields: Fields) -> Fields {
        fields.filter { Planted.is(.emptyCollectionsStay) || ($0.value != .list([]) && $0.value != .map([])) }
    }

    private func checkSize(_ statement: Statement, _ fields: Fields) throws(Misfit) {
        let size = fields.values.reduce(0) { $0 + $1.size }
        if size > PlainLimits.record, !Planted.is(.recordsAreUnlimited) {
            throw Misfit(line: statement.line, rule: .tooLarge)
        }
    }

    /// The row is as `new` says; nil: there is none.
    private func change(_ statement: Statement, _ key: Key, _ new: Fields?) throws(Misfit) {
        let new = new.map(PlainModel.settled)
        if let new { try checkSize(statement, new) }
        if let index = touched.firstIndex(where: { $0.key == key }) {
            touched[index].after = new
        } else {
            touched.append((key, new))
        }
        let most = Planted.is(.hundredRowsAreFew) ? PlainLimits.rows - 1 : PlainLimits.rows
        if touched.count > most { throw Misfit(line: statement.line, rule: .tooMany) }
    }
}
