import StoryClient

import struct FoundationEssentials.Date

/// The description of a declared model's rows for their coordinator: what `MODELS NAME` tells.
struct ModelRows: ReadOnlyKind {
    typealias Content = ModelRow
    typealias Filter = ModelFilter
    typealias Sort = ModelSort

    let noun = "row"
    /// The name of the model.
    let title: String
    /// The description; nil before it was read.
    let model: ModelDescription?

    /// Creates the kind of a model's rows, which are not described yet.
    init(_ name: String) { (title, model) = (name, nil) }

    init(_ model: ModelDescription) { (title, self.model) = (model.id, model) }

    func name(of id: String) -> String { "\(title)/\(id)" }

    /// The stream of a row that is made of one stream alone.
    func stream(of id: String) -> String? {
        guard let outline = model?.outline, outline.hasRowsOfOneStream else { return nil }
        return outline.categories?.first.map { "\($0)-\(id)" }
    }

    var keepsPast: Bool { model?.outline?.hasHistory == true }

    var columns: [ListColumn<ModelRow>] {
        let fields = model?.fields ?? []
        return [ListColumn(shape: ModelDescription.idShape) { row, _ in row.id }]
            + fields.map { field in
                ListColumn(shape: field.shape) { row, _ in ModelRows.shown(row, field, isExact: false) }
            }
    }

    /// Returns a field's value as text; a time to the second, unless it is to be exact.
    private static func shown(_ row: ModelRow, _ field: ModelDescription.Field, isExact: Bool) -> String {
        guard field.type == "time", !isExact, case .text(let text)? = row.values[field.name],
            let date = TypedMoment.read(text, now: .distantPast)
        else { return row.text(field.name) }
        return Moments.shown(date)
    }

    var sorts: [ModelSort] { (model?.sorts ?? []).map(ModelSort.init(rawValue:)) }
    var firstSort: ModelSort { ModelSort(rawValue: "created") }

    var freshness: Freshness {
        guard let model, model.isReady, model.build == nil else { return .every(.milliseconds(500)) }
        return .events(.all)
    }

    func summary(of query: ListQuery<ModelRows>) -> String {
        let order = "by \(query.sort.rawValue), \(query.order == .descending ? "descending" : "ascending")"
        guard let model else { return order }
        let misfits = model.misfits == 0 ? "" : ", \(model.misfits) misfit\(model.misfits == 1 ? "" : "s")"
        let build = model.isReady && model.build != nil ? " · \(model.sentence)" : ""
        return "\(order) · of \(model.rows) row\(model.rows == 1 ? "" : "s")\(misfits)\(build)"
    }

    var emptiness: String {
        guard let model else { return "…" }
        guard model.isReady else { return "\(title) \(model.sentence)" }
        let reads = model.outline?.categories.map { "streams of \($0.joined(separator: ", "))" } ?? "all streams"
        let misfits = model.misfits == 0 ? "" : "; \(model.misfits) events did not fit, m shows them"
        return "no rows here: \(title) is made of \(reads)\(misfits); d shows the definition, 6 the streams, 7 the log"
    }

    func facts(of row: ModelRow) -> [Fact] {
        (model?.fields ?? []).map { Fact($0.name, ModelRows.shown(row, $0, isExact: true)) }
            + [Fact("changes", "\(row.changes), position \(row.position)")]
    }

    var keys: [RowKey<ModelRows>] {
        guard model?.outline?.hasRowsOfOneStream == true else { return [] }
        let kind = self
        return [
            RowKey(key: "o", name: "stream") { row, _ in kind.stream(of: row.id).map { .open(.events(.stream($0))) } }
        ]
    }

    var links: [KindLink] {
        [
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

// The store behind them.
extension ModelRows {
    func described(by client: StoreClient) async throws -> ModelRows {
        guard let model = try await client.models.list(title).first.flatMap({ ModelDescription($0) }) else {
            return self
        }
        return ModelRows(model)
    }

    func list(_ request: ListRequest<ModelRows>, from client: StoreClient) async throws -> Page<ModelRow> {
        guard model?.isReady == true else { return Page(rows: [], next: nil, position: 0) }
        let query = request.query
        let bounds = query.filter.bounds
        return try await client.model(title, as: ModelRow.self).list(
            query.filter.values, sort: query.sort.rawValue, order: query.order, since: bounds?.since,
            until: bounds?.until, limit: request.limit, after: request.after)
    }

    func row(_ id: String, at position: UInt64, from client: StoreClient) async throws -> ModelRow {
        try await client.model(title, as: ModelRow.self).get(id, at: .position(position))
    }

    func follow(
        row id: String, of client: StoreClient, _ send: @Sendable (RowChange<ModelRow>) async -> Void
    ) async throws {
        for try await change in client.model(title, as: ModelRow.self).watch(id) { await send(change) }
    }
}

/// A sort of a declared model.
struct ModelSort: RawRepresentable, Hashable, Sendable {
    /// The name on the wire.
    let rawValue: String
}

/// A filter of a declared model's rows: values of its fields, and bounds of the field that the list is sorted by.
struct ModelFilter: BrowsedFilter {
    /// The bounds of what a list is sorted by.
    struct Bounds: Hashable, Sendable {
        /// The field that the list is sorted by.
        let sort: String
        /// The least value; nil if there is none.
        var since: String?
        /// The value that all are below; nil if there is none.
        var until: String?
    }

    var values: [String: String] = [:]
    /// The bounds; nil for a list in another order than that of a field.
    var bounds: Bounds?

    var options: [(name: String, value: String?)] {
        values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            + [("since", bounds?.since), ("until", bounds?.until)]
    }
}

// The form of the filter.
extension ModelRows {
    /// The names of the bounds' fields in the form, before a dot and the sort.
    private static let bounds = ["since", "until"]

    func filter(_ filter: ModelFilter, sortedBy sort: ModelSort) -> ModelFilter {
        guard filter.bounds?.sort != sort.rawValue else { return filter }
        var filter = filter
        let isField = model?.fields.contains { $0.name == sort.rawValue } == true
        filter.bounds = isField ? ModelFilter.Bounds(sort: sort.rawValue) : nil
        return filter
    }

    func draft(of filter: ModelFilter) -> Draft? {
        guard let model, !model.filters.isEmpty else { return nil }
        let draft = model.filters.reduce(Draft("filter \(title)")) { draft, name in
            draft.with(name, "\(name) (\(type(of: name)))", filter.values[name] ?? "")
        }
        // A list in another order than that of a field may get the bounds of any sort, and that order with them.
        let sorts = filter.bounds.map { [$0.sort] } ?? model.sorts
        return sorts.filter { ["time", "number"].contains(type(of: $0)) }.reduce(draft) { draft, sort in
            zip(ModelRows.bounds, [filter.bounds?.since, filter.bounds?.until]).reduce(draft) { draft, bound in
                draft.with("\(bound.0).\(sort)", "\(sort) \(bound.0)", bound.1 ?? "")
            }
        }
    }

    func sort(_ sort: ModelSort, of filter: ModelFilter) -> ModelSort {
        filter.bounds.map { ModelSort(rawValue: $0.sort) } ?? sort
    }

    /// Returns a number as it was typed; nil for another text.
    private static func number(_ text: String) -> String? {
        text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/) == nil ? nil : text
    }

    private func type(of field: String) -> String { model?.fields.first { $0.name == field }?.type ?? "" }

    func filter(_ draft: Draft, now: Date) throws -> ModelFilter {
        try draft.read { reader in
            var filter = ModelFilter()
            for field in draft.fields {
                let parts = field.name.split(separator: ".").map(String.init)
                let value: String? =
                    switch type(of: parts.last ?? "") {
                    case "time": reader.moment(field.name, now).map(Moments.written)
                    case "number": reader.value(field.name, "a number, such as 1.4", ModelRows.number)
                    case "boolean": reader.value(field.name, "yes or no", TypedFlag.read).map { "\($0)" }
                    default: draft.optional(field.name)
                    }
                guard parts.count == 2 else {
                    filter.values[field.name] = value
                    continue
                }
                guard value != nil else { continue }
                var bounds = filter.bounds ?? ModelFilter.Bounds(sort: parts[1])
                guard bounds.sort == parts[1] else {
                    reader.refuse(field.name, "cannot be bounded beside \(bounds.sort): a list has one order")
                    continue
                }
                if parts[0] == "since" { bounds.since = value } else { bounds.until = value }
                filter.bounds = bounds
            }
            return filter
        }
    }
}
