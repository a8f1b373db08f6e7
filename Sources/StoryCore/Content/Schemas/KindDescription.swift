// The description of a built-in kind in `MODELS`, which is made of the kind's schema and of its forms alone.
extension KindSchema {
    /// Returns the members that describe the kind.
    ///
    /// - Parameters:
    ///   - rows: the number of rows.
    ///   - catalogue: the kinds that fields and links refer to.
    package func description(rows: UInt64, in catalogue: Catalogue) -> [Member] {
        var members = [
            Member("model", .text(name)), Member("state", .text("ready")), Member("rows", .count(rows)),
            Member("category", .text(category)),
            Member("fields", .list(fields.indices.map { .object(field($0, catalogue)) })),
        ]
        members += queries(catalogue)
        if let key = view.key { members.append(Member("key", .text(key))) }
        if let title = view.title { members.append(Member("title", .text(title))) }
        if !view.columns.isEmpty { members.append(Member("columns", .list(view.columns.map { .text($0) }))) }
        members += [
            Member("links", .list(view.links.map { .object($0.members(catalogue)) })),
            Member("turns", .list(turns(catalogue).map { .object($0) })),
            Member("writes", .list(writes.map { .object(write($0, catalogue)) })),
            Member("events", .list(events.map { .object(event($0)) })),
        ]
        return members
    }

    /// Returns the type of a field as descriptions spell it: `text(120)` where a form limits it.
    package func typeName(of field: Int) -> String {
        source(of: field)?.type.spelling ?? fields[field].type.spelling
    }

    /// Returns the kind whose IDs a field has; nil where it has none.
    package func reference(of field: Int) -> Kind? {
        if case .reference(let kind)? = source(of: field)?.type { kind } else { nil }
    }

    /// Returns the kind whose IDs the values of a filter, or of a field of a form, consist of; nil where they do not.
    package func reference(of name: String) -> Kind? {
        if let filter = filters.first(where: { $0.name == name }) {
            return filter.test.fields.first.flatMap { reference(of: $0) }
        }
        let types = writes.lazy.flatMap(\.fields).filter { $0.name == name }.map(\.type)
        return types.lazy.compactMap { if case .reference(let kind) = $0 { kind } else { nil } }.first
    }

    /// Returns the field of the form for new content that a row's field is set from; nil where none is.
    private func source(of field: Int) -> FormFieldSchema? {
        let changes = events.filter { $0.effect == .creates }.flatMap(\.changes)
        guard let member = changes.first(where: { $0.field == field })?.member else { return nil }
        return write(.post)?.fields.first { $0.name == member }
    }
}

// The parts of the description.
extension KindSchema {
    private func field(_ index: Int, _ catalogue: Catalogue) -> [Member] {
        let field = fields[index]
        let type = source(of: index)?.type.members(catalogue) ?? [Member("type", .text(field.type.spelling))]
        return [Member("name", .text(field.name))] + type + [Member("optional", .flag(field.isOptional))]
            + field.hints
    }

    /// Returns the filters, sorts and indexes, and the field that `since=` and `until=` bound whatever the sort.
    private func queries(_ catalogue: Catalogue) -> [Member] {
        let names = filters.filter { $0.test.boundedField == nil }
        let computed = names.filter { filter in !fields.contains { $0.name == filter.name } }
        let orders = indexes.map { index in
            let order = index.order.field.map { fields[$0].name } ?? "created"
            return MemberValue.list((index.filters.map { filters[$0].name } + [order]).map { .text($0) })
        }
        var members = [
            Member("filters", .list(names.map { .text($0.name) })),
            Member("sorts", .list(sorts.map { .text($0.name) })), Member("indexes", .list(orders)),
            Member("history", .flag(true)),
            Member("computed", .list(computed.map { .object(filter($0, catalogue)) })),
        ]
        if let bounded = filters.lazy.compactMap(\.test.boundedField).first {
            members.append(Member("bounds", .text(fields[bounded].name)))
        }
        return members
    }

    /// Returns the members of a filter that has not the name of a field.
    private func filter(_ filter: FilterSchema, _ catalogue: Catalogue) -> [Member] {
        let tested = filter.test.fields
        var members = [Member("name", .text(filter.name))]
        switch filter.test {
        case .pair:
            members.append(Member("type", .text("pair")))
            if let kind = tested.first.flatMap({ reference(of: $0) }) {
                members += catalogue.members(referringTo: kind)
            }
        case .unset: members.append(Member("type", .text("boolean")))
        case .field, .folded, .contains, .notBefore, .before:
            members += tested.first.map { [Member("type", .text(typeName(of: $0)))] } ?? []
        }
        return members + [Member("of", .list(tested.map { .text(fields[$0].name) }))]
    }

    /// Returns the filters, each with the name and key of the list that it makes, between which a row of another kind
    /// has a choice: the messages that a user received, and those that a user sent.
    private func turns(_ catalogue: Catalogue) -> [[Member]] {
        catalogue.kinds.flatMap { other -> [[Member]] in
            let links = other.view.links.filter { $0.kind == kind && $0.fields == ["id"] && $0.filter != nil }
            return links.count < 2
                ? []
                : links.map { link in
                    [
                        Member("key", .text(link.key)), Member("name", .text(link.name)),
                        Member("filter", .text(link.filter ?? "")),
                    ]
                }
        }
    }

    private func write(_ write: WriteSchema, _ catalogue: Catalogue) -> [Member] {
        let fields = write.fields.map { MemberValue.object(formField($0, of: write.verb, catalogue)) }
        let key = write.verb.key.map { [Member("key", .text($0))] } ?? []
        return [Member("verb", .text(Verb.write(write.verb).name))] + key + [Member("fields", .list(fields))]
    }

    private func formField(_ field: FormFieldSchema, of verb: WriteVerb, _ catalogue: Catalogue) -> [Member] {
        let isMade =
            verb == .post
            && events.contains { event in
                event.effect == .creates && event.changes.contains { $0.takesTimeInstead(of: field.name) }
            }
        let absent = field.type == .newID ? "new" : isMade ? "now" : nil
        return [Member("name", .text(field.name))] + field.type.members(catalogue)
            + [Member("required", .flag(field.isRequired))] + (absent.map { [Member("default", .text($0))] } ?? [])
            + (fields.first { $0.name == field.name }?.hints ?? [])
    }

    private func event(_ event: EventSchema) -> [Member] {
        let names = event.changes.map { MemberValue.text(fields[$0.field].name) }
        return [
            Member("type", .text(event.type)), Member("effect", .text(event.effect.name)),
            Member("fields", .list(names)),
        ]
    }
}

extension LinkSchema {
    fileprivate func members(_ catalogue: Catalogue) -> [Member] {
        [Member("key", .text(key)), Member("name", .text(name)), Member("kind", .text(catalogue[kind].name))]
            + (filter.map { [Member("filter", .text($0))] } ?? [])
            + [Member("of", .list(fields.map { .text($0) }))]
    }
}

extension Catalogue {
    fileprivate func members(referringTo kind: Kind) -> [Member] {
        [Member("kind", .text(self[kind].name)), Member("category", .text(self[kind].category))]
    }
}

extension FieldSchema {
    fileprivate var hints: [Member] {
        [("label", label), ("unit", unit)].compactMap { name, value in value.map { Member(name, .text($0)) } }
    }
}

extension FieldChange {
    /// True for a date that a member sets, or else the event's time.
    fileprivate func takesTimeInstead(of member: String) -> Bool {
        if case .setOrTime(_, from: member) = self { true } else { false }
    }
}

extension FilterTest {
    /// The fields that the test looks at.
    fileprivate var fields: [Int] {
        switch self {
        case .pair(let one, let other): [one, other]
        case .field(let field), .folded(let field), .contains(let field), .unset(let field), .notBefore(let field),
            .before(let field):
            [field]
        }
    }
}

extension EventSchema.Effect {
    fileprivate var name: String {
        switch self {
        case .creates: "creates"
        case .changes: "changes"
        case .removes: "removes"
        }
    }
}

extension FormFieldType {
    fileprivate var spelling: String {
        switch self {
        case .line(let limit), .text(let limit): "text(\(limit))"
        case .email: "email"
        case .newID, .reference: "id"
        case .date: "time"
        case .selection: "integer"
        case .number: "number"
        case .fraction: "fraction"
        case .choice: "choice"
        }
    }

    /// Returns the type, and the limits of its values.
    fileprivate func members(_ catalogue: Catalogue) -> [Member] {
        let type = [Member("type", .text(spelling))]
        return switch self {
        case .line, .email, .newID, .date, .fraction: type
        case .text: type + [Member("lines", .flag(true))]
        case .reference(let kind): type + catalogue.members(referringTo: kind)
        case .selection(let range): type + FormFieldType.bounds(Double(range.lowerBound), Double(range.upperBound))
        case .number(.above(let bound)): type + [Member("above", .number(Double(bound)))]
        case .number(.within(let range)):
            type + FormFieldType.bounds(Double(range.lowerBound), Double(range.upperBound))
        case .choice(let words): type + [Member("choices", .list(words.map { .text($0) }))]
        }
    }

    private static func bounds(_ lower: Double, _ upper: Double) -> [Member] {
        [Member("from", .number(lower)), Member("to", .number(upper))]
    }
}

extension FieldType {
    /// The type as descriptions spell it.
    fileprivate var spelling: String {
        switch self {
        case .text: "text"
        case .name: "id"
        case .integer: "integer"
        case .number, .decimal: "number"
        case .date: "time"
        case .flag: "boolean"
        case .fraction: "fraction"
        case .list: "list"
        case .map: "map"
        case .choice: "choice"
        }
    }
}
