import StoryCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A fact of the log; it never changes.
public struct Event: Hashable, Sendable {
    /// Its place in the log, from 1.
    public let position: UInt64
    /// Its stream: `story-12345`.
    public let stream: String
    /// Its place in the stream, from 1.
    public let version: UInt64
    /// What happened.
    public let type: String
    /// When the store took it up.
    public let time: Date
    /// The number of the user whose process wrote it, told by the kernel.
    public let by: UInt32
    /// The key of its write, where there was one.
    public let key: String?
    /// The tags that came with it, in their order.
    public let tags: [String]
    /// The JSON object that came with it, byte for byte.
    public let meta: JSONText?
    /// What it is about, byte for byte.
    public let data: JSONText

    /// Reads an event as the store writes it.
    ///
    /// - Throws: `ClientError.notUnderstood` with the JSON.
    init(_ json: [UInt8]) throws(ClientError) {
        guard let members = JSONMembers(json), let position = members.number("position"),
            let stream = members.text("stream"), let version = members.number("version"),
            let type = members.text("type"), let time = members.text("time").flatMap({ Instant($0) }),
            let by = members.number("by").flatMap({ UInt32(exactly: $0) }), let data = members.json("data")
        else { throw .notUnderstood(String(decoding: json.prefix(1_000), as: UTF8.self)) }
        (self.position, self.stream, self.version, self.type) = (position, stream, version, type)
        (self.time, self.by, self.data) = (Date(time), by, data)
        key = members.text("key")
        tags = try StoreDecoder.decode([String].self, members["tags"].map(Array.init) ?? Array("[]".utf8))
        meta = members.json("meta")
    }
}

/// Which events are meant.
public enum EventSelection: Hashable, Sendable {
    /// All of the log.
    case all
    /// Those of one stream: `story-12345`.
    case stream(String)
    /// Those of all streams of a category: `story`.
    case category(String)

    /// As the target of `STREAMS`; nil for all.
    var streams: String? {
        switch self {
        case .all: nil
        case .stream(let name): name
        case .category(let name): "\(name)-*"
        }
    }

    /// As the target of `READ` and `SUBSCRIBE`.
    var events: String { streams.map { "events/\($0)" } ?? "events" }
}

/// A stream, and how far it is.
public struct StreamState: Hashable, Sendable, Decodable {
    /// Its name.
    public let stream: String
    /// How many events it holds.
    public let version: UInt64
    /// Its last event.
    public let position: UInt64
}
