import StoryCore

/// An event of your own, before it is in the log.
public struct NewEvent: Hashable, Sendable {
    /// The type of the event: 1–64 bytes of the ID alphabet.
    public var type: String
    /// Any JSON; it is kept byte for byte.
    public var data: JSONText
    /// A JSON object; it is kept byte for byte.
    public var meta: JSONText?
    /// Up to 16 tags, each 1–64 bytes of printable ASCII, without spaces, `"` and `\`.
    public var tags: [String]

    /// Creates an event with JSON as it is.
    public init(_ type: String, json data: JSONText, meta: JSONText? = nil, tags: [String] = []) {
        (self.type, self.data, self.meta, self.tags) = (type, data, meta, tags)
    }

    /// Creates an event with a value, which is encoded as JSON.
    ///
    /// - Throws: `ClientError.notEncodable`.
    public init(
        _ type: String, _ data: some Encodable, meta: JSONText? = nil, tags: [String] = []
    ) throws(ClientError) {
        self.init(type, json: try JSONText(data), meta: meta, tags: tags)
    }

    /// The members of the event's JSON object.
    var members: [String] {
        var members = ["\"type\":\(JSONText.quoted(type))"]
        if let meta { members.append("\"meta\":\(meta)") }
        if !tags.isEmpty { members.append("\"tags\":[\(tags.map(JSONText.quoted).joined(separator: ","))]") }
        return members + ["\"data\":\(data)"]
    }

    var json: String { "{\(members.joined(separator: ","))}" }
}

/// An event of your own and the stream that it is for.
public struct StreamEvent: Hashable, Sendable {
    /// The stream: `CATEGORY-ID`; the category is none of the store's own.
    public var stream: String
    /// The version that the stream must be at before this event; nil: any. Earlier events of the same array count.
    public var version: UInt64?
    /// The event.
    public var event: NewEvent

    /// Creates an event for a stream.
    public init(_ stream: String, version: UInt64? = nil, _ event: NewEvent) {
        (self.stream, self.version, self.event) = (stream, version, event)
    }

    var json: String {
        let version = version.map { ["\"version\":\($0)"] } ?? []
        return "{\((["\"stream\":\(JSONText.quoted(stream))"] + version + event.members).joined(separator: ","))}"
    }
}

extension StoreClient {
    /// Appends an event to a stream.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - stream: `CATEGORY-ID`; the category is none of the store's own.
    ///   - key: the idempotency key, with which the write is done once for ever, also when you send it again: 1–128
    ///     bytes of the ID alphabet.
    ///   - version: the version that the stream must be at, 0 meaning that it must not exist.
    ///   - unless: up to 8 preconditions, all of which must hold.
    ///   - log: the history that their positions are of; nil: not checked.
    /// - Throws: `ClientError` or `CancellationError`.
    @discardableResult
    public func append(
        _ event: NewEvent, to stream: String, key: String? = nil, version: UInt64? = nil, unless: [Unless] = [],
        log: String? = nil
    ) async throws -> Receipt {
        try await write(
            RequestLine(.append, stream).write(key, version, unless: unless, log: log)
                .body(JSONText(trusted: event.json)))
    }

    /// Appends 1–1,000 events to a stream, all or none; returns the last one's receipt. The parameters are those of one event.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    @discardableResult
    public func append(
        _ events: [NewEvent], to stream: String, key: String? = nil, version: UInt64? = nil, unless: [Unless] = [],
        log: String? = nil
    ) async throws -> Receipt {
        let body = JSONText(trusted: "[\(events.map(\.json).joined(separator: ","))]")
        return try await write(RequestLine(.append, stream).write(key, version, unless: unless, log: log).body(body))
    }

    /// Appends 1–1,000 events to several streams, all or none. The other parameters are those of one event; `versions` are
    /// those of streams that this write has no event of.
    ///
    /// - Returns: a receipt for each stream, in the order in which the events first name them.
    /// - Throws: `ClientError` or `CancellationError`.
    @discardableResult
    public func append(
        _ events: [StreamEvent], key: String? = nil, checking versions: [String: UInt64] = [:], unless: [Unless] = [],
        log: String? = nil
    ) async throws -> [Receipt] {
        let checks = versions.sorted { $0.key < $1.key }.map {
            "{\"stream\":\(JSONText.quoted($0.key)),\"version\":\($0.value)}"
        }
        let body = JSONText(trusted: "[\((checks + events.map(\.json)).joined(separator: ","))]")
        let line = RequestLine(.append, "*").write(key, unless: unless, log: log).body(body)
        return try await ask(line).rows.map { try StoreDecoder.decode(Receipt.self, $0.json) }
    }
}
