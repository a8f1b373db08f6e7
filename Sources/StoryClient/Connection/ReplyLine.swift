/// A line from the store: its kind, the request or subscription it belongs to, and its JSON byte for byte.
public struct ReplyLine: Hashable, Sendable {
    /// The kind of a line, which its first byte shows.
    public enum Kind: UInt8, Sendable {
        /// `=`: a row of a reply.
        case row = 0x3D
        /// `+`: the request is done.
        case done = 0x2B
        /// `-`: the request failed.
        case failed = 0x2D
        /// `>`: a push of a subscription.
        case push = 0x3E
        /// `*`: a notice to the connection.
        case notice = 0x2A
    }

    /// The kind of the line.
    public let kind: Kind
    /// The request's tag without its `@`, or a push's subscription number; empty when there is none.
    public let mark: String
    /// The JSON object, byte for byte.
    public let json: [UInt8]

    /// Parses a line without its LF; nil when it is none of the protocol's.
    public init?(_ line: some BidirectionalCollection<UInt8>) {
        guard let first = line.first, let kind = Kind(rawValue: first) else { return nil }
        let rest = line.dropFirst()
        guard let space = rest.firstIndex(of: 0x20) else { return nil }
        var mark = rest[..<space]
        if mark.first == 0x40 { mark = mark.dropFirst() }
        self.kind = kind
        self.mark = String(decoding: mark, as: UTF8.self)
        json = Array(rest[rest.index(after: space)...])
    }

    /// The whole line, without its LF.
    package var line: [UInt8] {
        let tag = mark.isEmpty || kind == .push ? mark : "@" + mark
        return [kind.rawValue] + tag.utf8 + [0x20] + json
    }

    /// The JSON as text.
    public var text: String { String(decoding: json, as: UTF8.self) }

    /// True for the lines that close a reply.
    public var isFinal: Bool { kind == .done || kind == .failed }
}

/// A whole reply: its rows, and the line that closed it.
public struct StoreReply: Hashable, Sendable {
    /// The rows, in order.
    public let rows: [ReplyLine]
    /// The `+` or `-` line.
    public let final: ReplyLine
    /// The history of the store that replied; nil where it is not known.
    var log: String?

    /// Creates a reply of rows and the line that closes it.
    public init(rows: [ReplyLine], final: ReplyLine) {
        self.rows = rows
        self.final = final
    }

    /// True when the request was done.
    public var isDone: Bool { final.kind == .done }

    /// The store's refusal; nil when the request was done.
    public var refusal: Refusal? { isDone ? nil : Refusal(json: final.json) }
}
