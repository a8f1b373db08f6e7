import StoryClient

import struct FoundationEssentials.Date

/// The description of the rows of a declared model or a built-in kind for their coordinator: what `MODELS NAME` tells.
struct ModelRows: BrowsedKind {
    typealias Content = ModelRow
    typealias Filter = ModelFilter
    typealias Sort = ModelSort

    /// The name of the kind.
    let title: String
    /// The description; nil before it was read.
    let model: ModelDescription?

    /// Creates the kind of a model's rows, which are not described yet.
    init(_ name: String) { (title, model) = (name, nil) }

    init(_ model: ModelDescription) { (title, self.model) = (model.id, model) }

    /// The category of the streams of a built-in kind, which is the name of a row as well; nil of a declared model.
    private var builtInCategory: String? { model?.isDeclared == false ? model?.category : nil }

    var noun: String { builtInCategory ?? "row" }
    func name(of id: String) -> String { builtInCategory.map { "\($0) \(id)" } ?? "\(title)/\(id)" }

    /// The stream of a row that is made of one stream alone.
    func stream(of id: String) -> String? { model?.category.map { "\($0)-\(id)" } }

    var keepsPast: Bool { model?.outline?.hasHistory == true }
    var changesWithEachEvent: Bool { builtInCategory != nil }

    var columns: [ListColumn<ModelRow>] {
        ModelDescription.shapes(of: model?.fields ?? [], model?.columns ?? []).map { shape in
            guard let field = model?.fields.first(where: { $0.name == shape.member }) else {
                return ListColumn(shape: shape) { row, _ in row.id }
            }
            return ListColumn(shape: shape) { row, names in
                guard let kind = field.kind, let id = row.plain(field.name) else { return row.text(field, .second) }
                return names.name(of: Reference(kind: kind, id: id))
            }
        }
    }

    var sorts: [ModelSort] { (model?.sorts ?? []).map(ModelSort.init(rawValue:)) }
    var firstSort: ModelSort { sorts.first ?? ModelSort(rawValue: "created") }

    /// Texts and IDs are in their order at first; times and numbers begin with the greatest.
    func order(of sort: ModelSort) -> Order {
        let type = model?.fields.first { $0.name == sort.rawValue }?.type ?? ""
        return ["text", "email", "id"].contains { type.hasPrefix($0) } ? .ascending : .descending
    }

    var freshness: Freshness {
        guard let model, model.isReady, model.build == nil else { return .every(.milliseconds(500)) }
        return .events(builtInCategory.map { .category($0) } ?? .all)
    }

    func summary(of query: ListQuery<ModelRows>) -> String {
        guard let model else { return "" }
        let order = "by \(query.sort.rawValue), \(query.order == .descending ? "descending" : "ascending")"
        guard model.isDeclared else { return order }
        let misfits = model.misfits == 0 ? "" : ", \(model.misfits) misfit\(model.misfits == 1 ? "" : "s")"
        let build = model.isReady && model.build != nil ? " · \(model.sentence)" : ""
        return "\(order) · of \(model.rows) row\(model.rows == 1 ? "" : "s")\(misfits)\(build)"
    }

    var emptiness: String {
        guard let model else { return "…" }
        guard model.isDeclared else { return ModelRows.nothing }
        guard model.isReady else { return "\(title) \(model.sentence)" }
        let reads = model.outline?.categories.map { "streams of \($0.joined(separator: ", "))" } ?? "all streams"
        let misfits = model.misfits == 0 ? "" : "; \(model.misfits) events did not fit, m shows them"
        return "no rows here: \(title) is made of \(reads)\(misfits); d shows the definition, 6 the streams, 7 the log"
    }

    /// The field whose text the page shows below the others; nil if there is none.
    private var longField: ModelDescription.Field? { model?.fields.first(where: \.hasLines) }

    func facts(of row: ModelRow) -> [Fact] {
        let fields = (model?.fields ?? []).filter { $0 != longField }.map { field in
            guard let kind = field.kind, let id = row.plain(field.name) else {
                return Fact(field.label, row.text(field, .millisecond))
            }
            return Fact(field.label, Reference(kind: kind, id: id))
        }
        let changes = row.version.map { Fact("version", "\($0), position \(row.position)") }
        return fields + [changes ?? Fact("changes", "\(row.changes ?? 0), position \(row.position)")]
    }

    func text(of row: ModelRow) -> String { longField.flatMap { row.plain($0.name) } ?? "" }
    func version(of row: ModelRow) -> UInt64 { row.version ?? 0 }

    var links: [KindLink] {
        guard model?.isDeclared != false else { return [] }
        return [
            KindLink(key: "d", name: "definition", destination: .model(title)),
            KindLink(key: "m", name: "misfits", destination: .misfits(of: title)),
        ]
    }

    var undescribed: ModelRows { ModelRows(title) }

    func hasSameRows(as other: ModelRows) -> Bool {
        model?.definition == other.model?.definition && model?.isReady == other.model?.isReady
            && model?.text == other.model?.text
    }
}

// Keys of rows.
extension ModelRows {
    /// Writes that need no field come first, then the ways to other rows, the other writes, and the deletion.
    var keys: [RowKey<ModelRows>] {
        guard let model else { return [] }
        guard !model.isDeclared else { return model.category == nil ? [] : [streamKey] }
        let acts = model.writes.filter { ModelWrite(verb: $0.verb) == nil }
        var keys: [RowKey<ModelRows>] = acts.filter(\.fields.isEmpty).map(key)
        keys += model.links.map(key)
        keys += acts.filter { !$0.fields.isEmpty }.map(key)
        if model.writes.contains(where: { ModelWrite(verb: $0.verb) == .delete }) {
            keys.append(RowKey(key: "d", name: "delete") { _, _ in .delete })
        }
        return keys
    }

    private var streamKey: RowKey<ModelRows> {
        RowKey(key: "o", name: "stream") { row, _ in stream(of: row.id).map { .open(.events(.stream($0))) } }
    }

    private func key(_ link: ModelDescription.Link) -> RowKey<ModelRows> {
        RowKey(key: link.key, name: link.name) { row, _ in
            let values = link.fields.compactMap { row.plain($0) }
            guard values.count == link.fields.count, let first = values.first else { return nil }
            guard let filter = link.filter else { return .open(.row(of: link.kind, id: first)) }
            return .open(.rows(of: link.kind, where: [filter: values.joined(separator: ",")]))
        }
    }

    private func key(_ write: ModelDescription.Write) -> RowKey<ModelRows> {
        RowKey(key: write.key, name: write.verb.lowercased()) { _, user in
            write.fields.isEmpty || user != nil && write.fields.count == 1 ? .write(write.verb) : .fill(write.verb)
        }
    }

    func turn(of filter: ModelFilter) -> ListTurn<ModelFilter>? {
        let turns = model?.turns ?? []
        let given = turns.filter { filter.values[$0.filter] != nil }
        guard given.count == 1, let turn = turns.first(where: { $0 != given[0] }) else { return nil }
        var other = filter
        other.values[turn.filter] = other.values.removeValue(forKey: given[0].filter)
        return ListTurn(key: turn.key, name: turn.name, filter: other)
    }
}

// Pushed rows are put into a list that has the newest first.
extension ModelRows {
    func isNewestFirst(_ query: ListQuery<ModelRows>) -> Bool {
        model?.bounds == query.sort.rawValue && query.order == .descending
    }

    func date(of row: ModelRow) -> String { model?.bounds.flatMap { row.plain($0) } ?? "" }

    func bounded(_ filter: ModelFilter, from oldest: ModelRow?, to newest: ModelRow?) -> ModelFilter {
        guard let bounds = model?.bounds else { return filter }
        var filter = filter
        var both = filter.bounds ?? ModelFilter.Bounds(sort: bounds)
        both.since = [both.since, oldest.map(date)].compactMap(\.self).max()
        both.until = [both.until, newest.flatMap { Moments.next(date(of: $0)) }].compactMap(\.self).min()
        filter.bounds = both.since == nil && both.until == nil ? nil : both
        return filter
    }
}

// The store behind them.
extension ModelRows {
    func described(by client: StoreClient) async throws -> ModelRows {
        try await client.described(title).map { ModelRows($0) } ?? self
    }

    func list(_ request: ListRequest<ModelRows>, from client: StoreClient) async throws -> Page<ModelRow> {
        guard model?.isReady == true else { return Page(rows: [], next: nil, position: 0) }
        let query = request.query
        let bounds = query.filter.bounds
        return try await rows(client).list(
            query.filter.values, sort: query.sort.rawValue, order: query.order, since: bounds?.since,
            until: bounds?.until, limit: request.limit, after: request.after)
    }

    func row(_ id: String, at position: UInt64, from client: StoreClient) async throws -> ModelRow {
        try await rows(client).get(id, at: .position(position))
    }

    func live(_ filter: ModelFilter, of client: StoreClient) -> LiveChanges<ListChange<ModelRow>>? {
        rows(client).live(Dictionary(filter.options.compactMap { name, value in value.map { (name, $0) } }) { $1 })
    }

    func follow(
        row id: String, of client: StoreClient, _ send: @Sendable (RowChange<ModelRow>) async -> Void
    ) async throws {
        for try await change in rows(client).watch(id) { await send(change) }
    }

    func rows(_ client: StoreClient) -> ModelCollection<ModelRow> { client.model(title, as: ModelRow.self) }
}

/// A sort of the rows of a model.
struct ModelSort: RawRepresentable, Hashable, Sendable {
    /// The name on the wire.
    let rawValue: String
}

// The columns of a list, and values as people read them.
extension ModelDescription {
    /// Returns the columns of a list: the fields with these names, `id` among them; without names the ID and all fields.
    static func shapes(of fields: [Field], _ names: [String]) -> [ColumnShape] {
        let id = ColumnShape(heading: "id", member: "id", width: .content(12))
        guard !names.isEmpty else { return [id] + fields.map { $0.shape(isChosen: false) } }
        return names.compactMap { name in
            name == "id" ? id : fields.first { $0.name == name }?.shape(isChosen: true)
        }
    }
}

extension ModelDescription.Field {
    /// Returns the field as a column of a list: texts share the room of columns that are chosen; where all fields are
    /// columns, they are as wide as their values.
    fileprivate func shape(isChosen: Bool) -> ColumnShape {
        let heading = type == "time" ? "\(label) (UTC)" : unit ?? label
        return ColumnShape(heading: heading, member: name, width: width(isChosen))
    }

    private func width(_ isChosen: Bool) -> ColumnShape.Width {
        switch type {
        case "time": .date
        // A number that is cut would be taken for another one.
        case "number", "integer", "fraction": .content(24)
        case "id" where isChosen: .name(10)
        case "boolean", "choice": .content(8)
        default: isChosen ? .rest : .content(8)
        }
    }
}

extension ModelRow {
    /// The precision of times.
    enum Precision { case second, millisecond }

    /// Returns the value of a field as people read it: a time in UTC, a number with its unit.
    fileprivate func text(_ field: ModelDescription.Field, _ precision: Precision) -> String {
        guard let value = values[field.name], value != .none else { return "–" }
        if field.type == "time", case .text(let text) = value {
            return precision == .second ? Moments.shown(text) : Moments.told(text)
        }
        guard let unit = field.unit, precision == .millisecond else { return value.shown }
        return unit.hasSuffix("/") ? unit + value.shown : "\(value.shown) \(unit)"
    }
}
