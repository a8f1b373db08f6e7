import StoryClient

import struct FoundationEssentials.Date

extension StreamState: BrowsedRow {
    var id: String { stream }
}

/// A filter of the streams of a category.
struct StreamFilter: BrowsedFilter {
    /// The ID behind the category; nil for all streams.
    var id: String?

    var options: [(name: String, value: String?)] { [("id", id)] }
}

/// The description of the streams of a category for their coordinator.
struct Streams: ReadOnlyKind {
    typealias Content = StreamState
    typealias Filter = StreamFilter

    let noun = "stream"
    let category: String

    var title: String { "streams of \(category)" }
    var freshness: Freshness { .events(.category(category)) }
    func summary(of query: ListQuery<Streams>) -> String { "by name" }
    var emptiness: String { "there is no such stream of \(category)" }

    var columns: [ListColumn<StreamState>] {
        [
            ListColumn("stream", of: "stream", width: .name(30)) { $0.stream },
            ListColumn("events", of: "version", width: .whole(9)) { "\($0.version)" },
            ListColumn("last position", of: "position", width: .whole(13)) { "\($0.position)" },
        ]
    }

    func facts(of stream: StreamState) -> [Fact] {
        [Fact("events", "\(stream.version)"), Fact("position", "\(stream.position)")]
    }

    var links: [KindLink] {
        [KindLink(key: "e", name: "all their events", destination: .events(.category(category)))]
    }

    func opened(_ stream: StreamState) -> Destination? { .events(.stream(stream.stream)) }

    func draft(of filter: StreamFilter) -> Draft? {
        Draft("find a stream of \(category)").with("id", "\(category)-", filter.id ?? "")
    }

    func filter(_ draft: Draft, now: Date) throws -> StreamFilter {
        try draft.read { StreamFilter(id: $0.id("id")) }
    }
}

// The store behind them.
extension Streams {
    func list(_ request: ListRequest<Streams>, from client: StoreClient) async throws -> Page<StreamState> {
        let streams = request.query.filter.id.map { EventSelection.stream("\(category)-\($0)") }
        return try await client.streams(
            streams ?? .category(category), after: request.after, limit: request.limit)
    }
}

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

// The search for the categories of a store, by the names of their streams.
extension StoreClient {
    /// The greatest ID: no stream of a category comes behind it.
    private static let greatestID = String(repeating: "~", count: 64)

    /// Returns categories in the order of their streams' names: each request skips the streams of the one before.
    ///
    /// - Parameters:
    ///   - category: the category to continue behind; nil: from the first one.
    ///   - limit: the most categories to return.
    func categories(after category: String?, limit: Int) async throws -> Page<String> {
        var names: [String] = []
        var last = category
        var position: UInt64 = 0
        while names.count < limit {
            let after = last.map { "\($0)-\(StoreClient.greatestID)" }
            let page = try await streams(after: after, limit: 1)
            position = page.position
            guard let stream = page.rows.first?.stream else {
                return Page(rows: names, next: nil, position: position)
            }
            let name = String(stream.prefix { $0 != "-" })
            names.append(name)
            last = name
        }
        return Page(rows: names, next: last, position: position)
    }
}
