import StoryClient

/// A category of streams, and its newest event.
struct CategoryState: BrowsedRow {
    let id: String
    let newest: EventRow?

    var position: UInt64 { newest?.position ?? 0 }
}

/// The description of the categories of streams for their coordinator.
struct Categories: ReadOnlyKind {
    typealias Content = CategoryState

    let noun = "category"
    let title = "streams"
    let freshness = Freshness.events(.all)
    let emptiness = "there are no streams yet: storectl append and storectl post write events to some"

    func summary(of query: ListQuery<Categories>) -> String { "categories by name, each with its newest event" }

    var columns: [ListColumn<CategoryState>] {
        [
            ListColumn("category", of: "category", width: .name(14)) { $0.id },
            ListColumn("newest", of: "position", width: .whole(9)) { "\($0.position)" },
            ListColumn("time (UTC)", of: "time", width: .date) { $0.newest.map { Moments.shown($0.time) } ?? "–" },
            ListColumn("stream", of: "stream", width: .rest) { $0.newest?.stream ?? "–" },
            ListColumn("type", of: "type", width: .rest) { $0.newest?.type ?? "–" },
        ]
    }

    func facts(of category: CategoryState) -> [Fact] { [Fact("newest", "\(category.position)")] }

    var keys: [RowKey<Categories>] {
        [RowKey(key: "e", name: "events") { category, _ in .open(.events(.category(category.id))) }]
    }

    var links: [KindLink] { [KindLink(key: "L", name: "log", destination: .events(.all))] }

    func opened(_ category: CategoryState) -> Destination? { .streams(of: category.id) }
}

// The requests that list the categories.
extension Categories {
    /// The most categories of a page; each is found by a request of its own.
    private static let pageSize = 50

    func list(
        _ request: ListRequest<Categories>, from client: StoreClient
    ) async throws -> Page<CategoryState> {
        let limit = min(request.limit, Categories.pageSize)
        let found = try await client.categories(after: request.after, limit: limit)
        let rows = try await withThrowingTaskGroup(of: CategoryState.self) { group in
            for name in found.rows {
                group.addTask {
                    let page = try await client.read(.category(name), order: .descending, limit: 1)
                    return CategoryState(id: name, newest: page.rows.first.map { EventRow($0) })
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let sorted = rows.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        return Page(rows: sorted, next: found.next, position: found.position)
    }
}
