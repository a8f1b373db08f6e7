package import StoryClient

package import struct FoundationEssentials.Date

/// A kind of the store's own content, whose rows have dates and come from one of the client's collections.
package protocol StoreKind: BrowsedKind
where Content: StoreContent, Filter: ContentFilter, Filter == Content.Filter, Sort == Content.Sort {
    /// The category of its streams.
    var category: String { get }
    /// Returns the client's collection of the kind.
    func collection(_ client: StoreClient) -> ContentCollection<Content>
}

extension StoreKind {
    package var sorts: [Sort] { Array(Sort.allCases) }
    package var changesWithEachEvent: Bool { true }
    package var freshness: Freshness { .events(.category(category)) }

    package func name(of id: String) -> String { "\(category) \(id)" }
    package func stream(of id: String) -> String? { "\(category)-\(id)" }
    package func date(of content: Content) -> Date { content.date }
    package func version(of content: Content) -> UInt64 { content.version }
    package func people(in filter: Filter) -> [String] {
        filter.options.flatMap { name, value in value.map { Names.ids(in: (name, $0)) } ?? [] }
    }

    package func isNewestFirst(_ query: ListQuery<Self>) -> Bool {
        query.sort == firstSort && query.order == .descending
    }

    package func bounded(_ filter: Filter, since: Date?, until: Date?) -> Filter {
        filter.bounded(since: since, until: until)
    }

    package func list(_ request: ListRequest<Self>, from client: StoreClient) async throws -> Page<Content> {
        let query = request.query
        return try await collection(client).list(
            query.filter, sort: query.sort, order: query.order, limit: request.limit, after: request.after)
    }

    package func row(_ id: String, after event: Event, from client: StoreClient) async throws -> Content {
        try await row(id, at: event.position, from: client)
    }

    package func row(_ id: String, at position: UInt64, from client: StoreClient) async throws -> Content {
        try await collection(client).get(id, at: .position(position))
    }

    package func live(_ filter: Filter, of client: StoreClient) -> LiveChanges<ListChange<Content>>? {
        collection(client).live(filter)
    }

    package func follow(
        row id: String, of client: StoreClient, _ send: @Sendable (RowChange<Content>) async -> Void
    ) async throws {
        for try await change in collection(client).watch(id) { await send(change) }
    }

    /// The default: a kind has no writes without fields.
    package func write(
        _ action: String, to id: String, by user: String?, client: StoreClient
    ) async throws -> Receipt { throw NoSuchWrite(name: action) }
}

/// The error of a write that the kind does not have.
struct NoSuchWrite: Error, CustomStringConvertible {
    let name: String
    var description: String { "there is no such write: \(name)" }
}

extension User: BrowsedRow {}
extension Story: BrowsedRow {}
extension Message: BrowsedRow {}
extension Photo: BrowsedRow {}

extension UserFilter: BrowsedFilter {}
extension StoryFilter: BrowsedFilter {}
extension MessageFilter: BrowsedFilter {}
extension PhotoFilter: BrowsedFilter {}
