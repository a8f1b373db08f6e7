import StoryCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An event of the log; it never changes.
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
    /// The JSON object that came with it, byte for byte.
    public let meta: JSONText?
    /// The data: JSON, byte for byte.
    public let data: JSONText

    /// Decodes an event.
    ///
    /// - Throws: `ClientError.notUnderstood` with the JSON.
    init(_ json: [UInt8]) throws(ClientError) {
        guard let members = JSONMembers(json), let position = members.number("position"),
            let stream = members.text("stream"), let version = members.number("version"),
            let type = members.text("type"), let time = members.text("time").flatMap({ Instant($0) }),
            let by = members.number("by").flatMap({ UInt32(exactly: $0) }), let data = members.json("data"),
            let tags = members.texts("tags")
        else { throw .notUnderstood(String(decoding: json.prefix(1_000), as: UTF8.self)) }
        (self.position, self.stream, self.version, self.type) = (position, stream, version, type)
        (self.time, self.by, self.data, self.tags) = (Date(time), by, data, tags)
        key = members.text("key")
        meta = members.json("meta")
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
