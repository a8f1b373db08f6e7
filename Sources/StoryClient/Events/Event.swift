import StoryCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An event of the log; it never changes, but its content may be erased.
public struct Event: Hashable, Sendable {
    /// The position in the log, from 1.
    public let position: UInt64
    /// Its stream: `story-12345`.
    public let stream: String
    /// The version: the number in the stream, from 1.
    public let version: UInt64
    /// The type of the event.
    public let type: String
    /// The time when the store accepted it.
    public let time: Date
    /// The ID of the user whose process wrote it, as the kernel reported it.
    public let by: UInt32
    /// The key of its write, where there was one.
    public let key: String?
    /// The tags that came with it, in their order.
    public let tags: [String]
    /// The JSON object that came with it, byte for byte; nil where there was none, or it was erased.
    public let meta: JSONText?
    /// The data: JSON, byte for byte; nil where it was erased.
    public let data: JSONText?
    /// The position of the event that erased data and meta; nil for a whole event.
    public let erased: UInt64?
    /// The move of a worker's cursor that was committed with it, as `NAME/SHARE@POSITION`; nil where there is none.
    public let cursor: String?

    /// Decodes an event.
    ///
    /// - Throws: `ClientError.notUnderstood` with the JSON.
    init(_ json: [UInt8]) throws(ClientError) {
        guard let members = JSONMembers(json), let position = members.number("position"),
            let stream = members.text("stream"), let version = members.number("version"),
            let type = members.text("type"), let time = members.text("time").flatMap({ Instant($0) }),
            let by = members.number("by").flatMap({ UInt32(exactly: $0) }), let tags = members.texts("tags"),
            members["data"] != nil || members.number("erased") != nil
        else { throw .notUnderstood(String(decoding: json.prefix(1_000), as: UTF8.self)) }
        (self.position, self.stream, self.version, self.type) = (position, stream, version, type)
        (self.time, self.by, self.tags) = (Date(time), by, tags)
        key = members.text("key")
        cursor = members.text("cursor")
        meta = members.json("meta")
        data = members.json("data")
        erased = data == nil ? members.number("erased") : nil
    }
}

/// A selection of events.
public enum EventSelection: Hashable, Sendable {
    /// All events of the log.
    case all
    /// The events of one stream: `story-12345`.
    case stream(String)
    /// The events of all streams of a category: `story`.
    case category(String)

    /// The target of `STREAMS`; nil for all.
    var streams: String? {
        switch self {
        case .all: nil
        case .stream(let name): name
        case .category(let name): "\(name)-*"
        }
    }

    /// The target of `READ` and `SUBSCRIBE`.
    var events: String { streams.map { "events/\($0)" } ?? "events" }
}

/// A type of events, with the number of its events and the first and last of them.
public struct EventTypeState: Hashable, Sendable, Decodable {
    /// Its name.
    public let type: String
    /// The number of its events.
    public let count: UInt64
    /// The position of its first event.
    public let first: UInt64
    /// The position of its last event.
    public let last: UInt64
}

/// A stream with its version and last position.
public struct StreamState: Hashable, Sendable, Decodable {
    /// Its name.
    public let stream: String
    /// The number of its events.
    public let version: UInt64
    /// The position of its last event.
    public let position: UInt64
}

extension StoreClient {
    /// Returns a page of events.
    ///
    /// - Parameters:
    ///   - selection: the events to read.
    ///   - from: the first point, inclusive; in one stream a version.
    ///   - to: the last point, inclusive; in one stream a version.
    ///   - order: nil: ascending.
    ///   - limit: 1–10,000 events; nil: 1,000.
    ///   - types: only events of these types, 64 at most.
    ///   - tags: only events that have all of these tags, 16 at most, none with a comma.
    ///   - query: only events of this query.
    ///   - log: the history that the positions belong to; nil: not checked.
    /// - Throws: `ClientError`, `diverged` where the positions belong to another history; or `CancellationError`.
    public func read(
        _ selection: EventSelection = .all, from: LogPoint? = nil, to: LogPoint? = nil, order: Order? = nil,
        limit: Int? = nil, types: [String]? = nil, tags: [String]? = nil, query: EventQuery? = nil, log: String? = nil
    ) async throws -> Page<Event> {
        let line = RequestLine(.read, selection.events).ranging(from: from, to: to, order, limit: limit)
        return try await ask(line.selecting(types, tags: tags, query, log: log)).events()
    }

    /// Returns all events from one point to another, fetched page by page on demand. They belong to one history: if the
    /// store has another one when the next page is fetched, that fails with `diverged`.
    ///
    /// The parameters are those of `read`; a page has 1–10,000 events.
    public func allEvents(
        _ selection: EventSelection = .all, from: LogPoint? = nil, to: LogPoint? = nil, order: Order? = nil,
        types: [String]? = nil, tags: [String]? = nil, query: EventQuery? = nil, log: String? = nil,
        pageSize: Int = 500
    ) -> Rows<Event> {
        Rows { before in
            try await self.read(
                selection, from: before?.nextPoint ?? from, to: to, order: order, limit: pageSize, types: types,
                tags: tags, query: query, log: before?.log ?? log)
        }
    }

    /// Returns the number of events that `read` would return for the same parameters without a limit.
    ///
    /// - Throws: as `read`.
    public func countEvents(
        _ selection: EventSelection = .all, from: LogPoint? = nil, to: LogPoint? = nil, types: [String]? = nil,
        tags: [String]? = nil, query: EventQuery? = nil, log: String? = nil
    ) async throws -> UInt64 {
        let line = RequestLine(.count, selection.events).option("from", from?.option).option("to", to?.option)
            .selecting(types, tags: tags, query, log: log)
        return try StoreDecoder.decode(CountEnd.self, try await ask(line).final.json).count
    }

    /// Returns a page of 1–1,000 types of events in the order of their names: of a category such as `story`, or of all.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func types(
        of category: String? = nil, after: String? = nil, limit: Int? = nil
    ) async throws -> Page<EventTypeState> {
        let line = RequestLine(.types, category.map { "\($0)-*" })
        return try Page(await ask(line.option("after", after).option("limit", limit.map(String.init))))
    }

    /// Returns all types of events, fetched page by page on demand, in the order of their names.
    public func allTypes(of category: String? = nil, pageSize: Int = 1_000) -> Rows<EventTypeState> {
        Rows { try await self.types(of: category, after: $0?.next, limit: pageSize) }
    }

    /// Returns a page of 1–1,000 streams, 50 where `limit` is nil, in the order of their names.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func streams(
        _ selection: EventSelection = .all, after: String? = nil, limit: Int? = nil
    ) async throws -> Page<StreamState> {
        let line = RequestLine(.streams, selection.streams).option("after", after)
        return try Page(await ask(line.option("limit", limit.map(String.init))))
    }

    /// Returns all streams, fetched page by page on demand, in the order of their names.
    public func allStreams(_ selection: EventSelection = .all, pageSize: Int = 500) -> Rows<StreamState> {
        Rows { try await self.streams(selection, after: $0?.next, limit: pageSize) }
    }
}

extension StoreReply {
    /// Returns the page of events that the reply is.
    func events() throws -> Page<Event> {
        let end = try StoreDecoder.decode(PageEnd.self, final.json)
        return Page(rows: try rows.map { try Event($0.json) }, next: end.nextText, position: end.position, log: log)
    }
}

extension Page<Event> {
    /// The point from which the next `read` continues; nil at the end.
    public var nextPoint: LogPoint? { next.flatMap(UInt64.init).map(LogPoint.position) }
}

extension RequestLine {
    /// Returns the line with the options that bound a page of events.
    func ranging(from: LogPoint?, to: LogPoint?, _ order: Order?, limit: Int?) -> RequestLine {
        option("from", from?.option).option("to", to?.option).option("limit", limit.map(String.init))
            .option("order", order?.rawValue)
    }

    /// Returns the line with the options that select events.
    func selecting(_ types: [String]?, tags: [String]?, _ query: EventQuery?, log: String?) -> RequestLine {
        option("types", types?.joined(separator: ",")).option("tags", tags?.joined(separator: ","))
            .option("query", query?.description).option("log", log)
    }
}
