extension KindDeclaration {
    /// The maximum number of fields of a kind.
    package static let maxFieldCount = 64
    /// The maximum number of filters of a kind.
    package static let maxFilterCount = 80

    /// Checks the declaration for contradictions.
    ///
    /// - Throws: the first contradiction: a field, filter or sort that does not exist, or of a type that does not suit.
    func check() throws(SchemaError) {
        guard fields.count <= KindDeclaration.maxFieldCount else {
            throw SchemaError("\(name) has more than \(KindDeclaration.maxFieldCount) fields")
        }
        for field in fields { try check(field) }
        for event in events { try check(event) }
        try checkRows()
        guard filters.count <= KindDeclaration.maxFilterCount else {
            throw SchemaError("\(name) has more than \(KindDeclaration.maxFilterCount) filters")
        }
        _ = try shapes()
        for sort in sorts { try check(sort.order, of: "the sort \(sort.name) of \(name)") }
        guard !sorts.isEmpty else { throw SchemaError("\(name) has nothing that a list is sorted by") }
        try checkNames()
        for index in indexes {
            try check(filters: index.filters, of: index.table.name)
            try check(index.order, of: index.table.name)
        }
        for tally in tallies { try check(filters: tally.filters, of: "tally \(tally.number) of \(name)") }
        if let unique, try type(of: unique.field, for: unique.table.name) != .text {
            throw SchemaError("\(unique.table.name) is not of a text")
        }
    }

    /// Checks that names of filters and of sorts are not repeated. Bounds of several sorts have one name.
    private func checkNames() throws(SchemaError) {
        let options = filters.filter { program == nil || $0.test.boundedField == nil }
        guard Set(options.map(\.name)).count == options.count, Set(sorts.map(\.name)).count == sorts.count else {
            throw SchemaError("two filters or two sorts of \(name) have one name")
        }
    }

    private func check(_ field: FieldSchema) throws(SchemaError) {
        guard case .choice(let words) = field.type else { return }
        guard (1...256).contains(words.count) else {
            throw SchemaError("\(name).\(field.name) has \(words.count) choices, not 1 to 256")
        }
    }

    /// Checks that rows which a program makes are made by nothing else.
    private func checkRows() throws(SchemaError) {
        guard program != nil else { return }
        guard events.isEmpty, unique == nil, writes.isEmpty else {
            throw SchemaError("the rows of \(name) are made by a program, and it has events, writes or a unique text")
        }
        guard !tallies.contains(where: { $0.number == ProgramTables.counterKey }) else {
            throw SchemaError("a tally of \(name) has the number of the counter")
        }
    }

    private func check(_ event: EventSchema) throws(SchemaError) {
        for change in event.changes {
            let type = try type(of: change.field, for: event.type)
            let fits: Bool =
                switch change {
                case .set, .setIfGiven: type.isSetByEvents
                case .setOrTime, .setTime: type == .date
                case .add: type == .integer
                case .setFlag: type == .flag
                }
            guard fits else { throw SchemaError("\(event.type) changes a field of a type that does not do") }
        }
        guard event.effect == .creates else { return }
        for (index, field) in fields.enumerated() where field.needsValue {
            let isSet = event.changes.contains { $0.field == index && $0.alwaysSets }
            guard isSet else { throw SchemaError("\(event.type) makes a row without \(field.name)") }
        }
    }

    private func check(_ order: RowOrder, of what: String) throws(SchemaError) {
        guard let field = order.field else { return }
        switch (order, try type(of: field, for: what)) {
        case (_, .list), (_, .map): throw SchemaError("\(what) is by a list or a map")
        case (.folded, .text), (.field, _), (.created, _): break
        case (.folded, _): throw SchemaError("\(what) folds what is no text")
        }
    }

    private func check(filters indexes: [Int], of what: String) throws(SchemaError) {
        for (number, index) in indexes.enumerated() {
            guard filters.indices.contains(index) else {
                throw SchemaError("\(what) is of a filter that \(name) does not have")
            }
            switch filters[index].test {
            case .field, .pair, .unset: break
            case .folded: throw SchemaError("\(what) is of a folded text")
            case .contains:
                guard number == 0 else {
                    throw SchemaError("\(what) has the elements of a list behind its first filter")
                }
            case .notBefore, .before: throw SchemaError("\(what) is of a bound")
            }
        }
    }

    /// Returns the type of a field.
    ///
    /// - Throws: a `SchemaError` where there is no such field.
    func type(of field: Int, for what: String) throws(SchemaError) -> FieldType {
        guard fields.indices.contains(field) else { throw SchemaError("\(what) is of a field that \(name) lacks") }
        return fields[field].type
    }
}

extension FieldSchema {
    /// True when a new row requires an event that sets the field: integers begin with 0 and flags with false.
    fileprivate var needsValue: Bool {
        switch type {
        case .integer, .flag, .list, .map: false
        case .text, .name, .number, .decimal, .date, .fraction, .choice: !isOptional
        }
    }
}

extension FieldChange {
    /// True when the change sets the field whatever members the event has.
    fileprivate var alwaysSets: Bool {
        switch self {
        case .set, .setOrTime, .setTime: true
        case .setIfGiven, .add, .setFlag: false
        }
    }
}

extension FieldType {
    /// True when a member of an event's data can be the field's value.
    fileprivate var isSetByEvents: Bool {
        switch self {
        case .text, .name, .integer, .number, .date, .flag, .fraction, .choice: true
        case .decimal, .list, .map: false
        }
    }
}
