package import StoryClient

package import struct FoundationEssentials.Date

extension StreamState: BrowsedRow {
    /// Its name.
    package var id: String { stream }
}

/// A filter of the streams of a category.
package struct StreamFilter: BrowsedFilter {
    /// The ID behind the category; nil for all streams.
    package var id: String?

    /// Creates a filter that all streams pass.
    package init() {}

    package var options: [(name: String, value: String?)] { [("id", id)] }
}

/// The description of the streams of a category for their coordinator.
package struct Streams: ReadOnlyKind {
    package typealias Content = StreamState
    package typealias Filter = StreamFilter
    package typealias Sort = OneSort

    /// The category.
    package let category: String

    /// Creates the kind of the streams of a category.
    package init(_ category: String) { self.category = category }

    package var title: String { "streams of \(category)" }
    package func name(of id: String) -> String { id }
    package var freshness: Freshness { .events(.category(category)) }
    package func summary(of query: ListQuery<Streams>) -> String { "by name" }
    package var emptiness: String { "there is no such stream of \(category)" }

    package var columns: [ListColumn<StreamState>] {
        [
            ListColumn("stream", of: "stream", width: .name(30)) { $0.stream },
            ListColumn("events", of: "version", width: .whole(9)) { "\($0.version)" },
            ListColumn("last position", of: "position", width: .whole(13)) { "\($0.position)" },
        ]
    }

    package func facts(of stream: StreamState) -> [Fact] {
        [Fact("events", "\(stream.version)"), Fact("position", "\(stream.position)")]
    }

    package var keys: [RowKey<Streams>] { [] }

    package var links: [KindLink] {
        [KindLink(key: "e", name: "all their events", destination: .events(.category(category)))]
    }

    package func opened(_ stream: StreamState) -> Destination? { .events(.stream(stream.stream)) }

    package func draft(of filter: StreamFilter) -> Draft? {
        Draft("find a stream of \(category)").with("id", "\(category)-", filter.id ?? "")
    }

    package func filter(_ draft: Draft, now: Date) throws -> StreamFilter {
        var reader = DraftReader(draft)
        var filter = StreamFilter()
        filter.id = reader.id("id")
        try reader.check()
        return filter
    }
}

// The store behind them.
extension Streams {
    package func list(_ request: ListRequest<Streams>, from client: StoreClient) async throws -> Page<StreamState> {
        let streams = request.query.filter.id.map { EventSelection.stream("\(category)-\($0)") }
        return try await client.streams(
            streams ?? .category(category), after: request.after, limit: request.limit)
    }
}
