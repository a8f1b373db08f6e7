import StoryClient

/// The names of rows, for those that refer to them, and the search for rows by what people know of them.
struct RowNames {
    private static let foundLimit = 20
    /// The most pages of rows, in the order of their names, that a search looks at.
    private static let pageLimit = 10
    private static let pageSize = 1_000

    let client: StoreClient

    init(_ client: StoreClient) { self.client = client }

    /// Returns the names of rows; nil for those that have none, or could not be read.
    func names(of rows: [Reference]) async -> [Reference: String?] {
        var names: [Reference: String?] = [:]
        for (name, rows) in Dictionary(grouping: rows, by: \.kind) {
            let title = try? await client.described(name)?.title
            await withTaskGroup(of: (Reference, String?).self) { group in
                for row in rows {
                    group.addTask {
                        guard let title, let found = try? await self.rows(name).get(row.id) else { return (row, nil) }
                        return (row, found.plain(title))
                    }
                }
                for await (row, name) in group { names[row] = .some(name) }
            }
        }
        return names
    }

    /// Returns the row of a kind with a text as the ID, else those whose name, a later word of it, address or ID begins
    /// with the text, whatever its case. A store that does not answer has none.
    func find(_ text: String, in name: String) async -> FoundRows {
        var found = FoundRows(kind: name, text: text)
        guard let kind = try? await client.described(name), let title = kind.title else { return found }
        let address = kind.fields.first { $0.type == "email" }?.name
        func named(_ row: ModelRow) -> NamedRow {
            NamedRow(id: row.id, name: row.plain(title) ?? row.id, note: address.flatMap(row.plain) ?? "")
        }
        if let row = try? await rows(name).get(text) {
            found.exact = named(row)
            return found
        }
        // The address is found also of a row that is not among the first by name.
        if let address, text.contains("@"), let page = try? await rows(name).list([address: text], limit: 1) {
            found.rows = page.rows.map(named)
        }
        var after: String?
        for _ in 0..<RowNames.pageLimit where found.rows.count < RowNames.foundLimit {
            let page = try? await rows(name).list(
                sort: title, order: .ascending, limit: RowNames.pageSize, after: after)
            guard let page else { break }
            found.rows += page.rows.map(named).filter { RowNames.begins($0, with: text.lowercased()) }
                .filter { !found.rows.contains($0) }
            after = page.next
            if after == nil { break }
        }
        found.rows = Array(found.rows.prefix(RowNames.foundLimit))
        return found
    }

    private static func begins(_ row: NamedRow, with text: String) -> Bool {
        row.note.lowercased().hasPrefix(text) || row.id.lowercased().hasPrefix(text)
            || (" " + row.name.lowercased()).contains(" " + text)
    }

    private func rows(_ name: String) -> ModelCollection<ModelRow> { client.model(name, as: ModelRow.self) }
}

// The descriptions of kinds.
extension StoreClient {
    /// Returns the description of a declared model or a built-in kind; nil where the store does not give one.
    func described(_ name: String) async throws -> ModelDescription? {
        try await models.list(name).first.flatMap { ModelDescription($0) }
    }

    /// Returns the descriptions of the built-in kinds, those that new content is of, in the order of their keys.
    func builtInKinds() async throws -> [ModelDescription] {
        guard case .object(let forms)? = try await help("POST").first?.fields else { return [] }
        var kinds: [ModelDescription] = []
        for name in forms.keys { if let kind = try await described(name) { kinds.append(kind) } }
        return kinds.sorted { ($0.key ?? "", $0.id) < ($1.key ?? "", $1.id) }
    }
}
