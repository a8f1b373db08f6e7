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
