import StoryCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// All content of one kind in a store, with its queries and writes.
public struct ContentCollection<Content: StoreContent>: Sendable {
    /// The store.
    public let client: StoreClient

    /// Creates the collection of a store's content of the kind.
    package init(_ client: StoreClient) { self.client = client }

    /// Returns a row's address on the wire; malformed IDs are refused by the store.
    func target(_ id: String) -> String { "\(Content.kind.rawValue)/\(id)" }

    func rows(_ verb: Verb, _ filter: Content.Filter) -> RequestLine {
        filter.options.reduce(RequestLine(verb, Content.kind.rawValue)) { $0.option($1.name, $1.value) }
    }
}

extension StoreClient {
    /// The users.
    public var users: ContentCollection<User> { ContentCollection(self) }
    /// The stories.
    public var stories: ContentCollection<Story> { ContentCollection(self) }
    /// The messages.
    public var messages: ContentCollection<Message> { ContentCollection(self) }
    /// The photos.
    public var photos: ContentCollection<Photo> { ContentCollection(self) }
}

/// A point of the log: a position or a moment; where one stream is read, a version or a moment.
public enum LogPoint: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// A position; where one stream is read, a version.
    case position(UInt64)
    /// A moment, to the millisecond.
    case time(Date)

    /// Creates a position from a number.
    public init(integerLiteral value: UInt64) { self = .position(value) }

    var option: String {
        switch self {
        case .position(let position): String(position)
        case .time(let date): date.rfc3339
        }
    }
}

/// The line that closes a count.
struct CountEnd: Decodable { let count: UInt64 }

/// A sort key of a kind, as the store lists it.
public struct SortKey: Hashable, Sendable, Decodable {
    /// The name on the wire.
    public let sort: String
    /// The name for people.
    public let title: String
    /// The default order: `asc` or `desc`.
    public let order: String
}

extension ContentCollection {
    /// Returns the row with an ID, as it is now or as it was.
    ///
    /// - Parameters:
    ///   - id: the row's ID.
    ///   - point: a position up to the log's end, or a moment; nil: now.
    /// - Throws: `ClientError`, `notFound` or `gone` where there is none; or `CancellationError`.
    public func get(_ id: String, at point: LogPoint? = nil) async throws -> Content {
        let reply = try await client.ask(RequestLine(.get, target(id)).option("at", point?.option))
        return try StoreDecoder.decode(Content.self, reply.final.json)
    }

    /// Returns a page of the rows that pass a filter.
    ///
    /// - Parameters:
    ///   - filter: the filter of the rows.
    ///   - sort: the sort key; nil: the date.
    ///   - order: nil: descending.
    ///   - limit: 1–1,000 rows; nil: 50.
    ///   - after: the `next` of the page before, with the same filter, sort and order.
    /// - Throws: `ClientError` or `CancellationError`.
    public func list(
        _ filter: Content.Filter = .init(), sort: Content.Sort? = nil, order: Order? = nil, limit: Int? = nil,
        after: String? = nil
    ) async throws -> Page<Content> {
        let line = rows(.read(.list), filter).option("sort", sort?.rawValue).option("order", order?.rawValue)
            .option("limit", limit.map(String.init)).option("after", after)
        return try Page(await client.ask(line))
    }

    /// Returns all rows that pass a filter, fetched page by page on demand. Rows that are added meanwhile may be among
    /// them; none is skipped or returned twice because of that.
    ///
    /// - Parameters:
    ///   - filter: the filter of the rows.
    ///   - sort: the sort key; nil: the date.
    ///   - order: nil: descending.
    ///   - pageSize: 1–1,000 rows at a time.
    public func all(
        _ filter: Content.Filter = .init(), sort: Content.Sort? = nil, order: Order? = nil, pageSize: Int = 500
    ) -> Rows<Content> {
        Rows { try await list(filter, sort: sort, order: order, limit: pageSize, after: $0?.next) }
    }

    /// Returns the number of rows that pass a filter.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func count(_ filter: Content.Filter = .init()) async throws -> UInt64 {
        try StoreDecoder.decode(CountEnd.self, try await client.ask(rows(.read(.count), filter)).final.json).count
    }

    /// Returns the sort keys of the rows, the default first.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func sorts() async throws -> [SortKey] {
        let reply = try await client.ask(RequestLine(.sorts, Content.kind.rawValue))
        return try reply.rows.map { try StoreDecoder.decode(SortKey.self, $0.json) }
    }
}

extension ContentCollection {
    /// Watches the row with an ID: returns it as it is now, and each of its changes as it becomes durable.
    public func watch(_ id: String) -> LiveChanges<RowChange<Content>> {
        LiveChanges(client, row: target(id)) { json throws(ClientError) in try StoreDecoder.decode(Content.self, json) }
    }

    /// Watches a list: returns the rows that pass a filter, in the order of their dates, and each change of the list as
    /// it becomes durable.
    public func live(_ filter: Content.Filter = .init()) -> LiveChanges<ListChange<Content>> {
        LiveChanges(client, list: rows(.follow(.subscribe), filter)) { json throws(ClientError) in
            try StoreDecoder.decode(Content.self, json)
        }
    }
}

extension StoreClient {
    /// Watches the content at an address, of any kind: returns it as it is now, and each of its changes as it becomes
    /// durable.
    public func watch(_ address: ContentAddress) -> LiveChanges<RowChange<AnyContent>> {
        LiveChanges(self, row: address.description) { json throws(ClientError) in try AnyContent(address.kind, json) }
    }
}

extension AnyContent {
    init(_ kind: ContentKind, _ json: [UInt8]) throws(ClientError) {
        switch kind {
        case .users: self = .user(try StoreDecoder.decode(User.self, json))
        case .stories: self = .story(try StoreDecoder.decode(Story.self, json))
        case .messages: self = .message(try StoreDecoder.decode(Message.self, json))
        case .photos: self = .photo(try StoreDecoder.decode(Photo.self, json))
        }
    }
}
