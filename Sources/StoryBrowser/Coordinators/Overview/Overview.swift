import StoryClient

/// A line of the overview: something that the store holds, and the screen that shows it.
struct OverviewLine: BrowsedRow {
    let id: String
    /// The key that opens the screen from everywhere; empty if there is none.
    let key: String
    /// The number of its rows or events; nil if that is not known.
    let count: UInt64?
    let note: String
    let destination: Destination

    /// The overview as a whole is asked for again.
    var position: UInt64 { 0 }
}

/// The description of the first screen for its coordinator: all that the store holds.
struct Overview: ReadOnlyKind {
    typealias Content = OverviewLine

    let noun = "overview"
    let title = "store"
    let freshness = Freshness.every(.seconds(1))

    func summary(of query: ListQuery<Overview>) -> String { "all that the store holds" }

    var columns: [ListColumn<OverviewLine>] {
        [
            ListColumn("key", of: "key", width: .whole(3)) { $0.key },
            ListColumn("rows of", of: "name", width: .name(14)) { $0.id },
            ListColumn("count", of: "count", width: .whole(10)) { line in line.count.map { "\($0)" } ?? "" },
            ListColumn("state", of: "note", width: .rest, tone: .state) { $0.note },
        ]
    }

    func facts(of line: OverviewLine) -> [Fact] { [Fact("count", line.count.map { "\($0)" } ?? "–")] }

    func opened(_ line: OverviewLine) -> Destination? { line.destination }
}

// The store behind it.
extension Overview {
    /// The most categories that are named.
    private static let categoryLimit = 12

    func list(
        _ request: ListRequest<Overview>, from client: StoreClient
    ) async throws -> Page<OverviewLine> {
        async let kinds = kinds(client)
        async let models = models(client)
        async let streams = streams(client)
        async let log = log(client)
        let rows = try await kinds + models + [streams, log]
        return Page(rows: rows, next: nil, position: 0)
    }

    private func kinds(_ client: StoreClient) async throws -> [OverviewLine] {
        try await client.builtInKinds().map { kind in
            OverviewLine(
                id: kind.id, key: kind.key ?? "", count: UInt64(exactly: kind.rows) ?? 0, note: "",
                destination: .rows(of: kind.id))
        }
    }

    /// Returns the line of all models, and one for each.
    private func models(_ client: StoreClient) async throws -> [OverviewLine] {
        let models = try await client.models.list().compactMap { ModelDescription($0) }
        let note =
            models.isEmpty ? "none; storectl model define declares one" : "read models over your own events"
        let all = OverviewLine(
            id: "models", key: "5", count: UInt64(models.count), note: note, destination: .models)
        return [all]
            + models.map { model in
                OverviewLine(
                    id: "  \(model.id)", key: "", count: UInt64(exactly: model.rows) ?? 0, note: model.note,
                    destination: .rows(of: model.id))
            }
    }

    private func streams(_ client: StoreClient) async throws -> OverviewLine {
        let found = try await client.categories(after: nil, limit: Overview.categoryLimit)
        let more = found.next == nil ? "" : ", …"
        let note = found.rows.isEmpty ? "no categories yet" : "of " + found.rows.joined(separator: ", ") + more
        return OverviewLine(id: "streams", key: "6", count: nil, note: note, destination: .categories)
    }

    private func log(_ client: StoreClient) async throws -> OverviewLine {
        let page = try await client.read(order: .descending, limit: 1)
        let newest = page.rows.first.map { "\(Moments.shown($0.time)) \($0.type) of \($0.stream)" }
        return OverviewLine(
            id: "log", key: "7", count: page.position, note: newest ?? "no events yet", destination: .events(.all))
    }
}
