/// One line from the store: what it is, the request or subscription it belongs to, and its JSON as it came.
public struct ReplyLine: Hashable, Sendable {
    /// What the line's first byte says.
    public enum Kind: UInt8, Sendable {
        /// `=`: a row of an answer.
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

    /// What the line is.
    public let kind: Kind
    /// The request's tag without its `@`, or a push's subscription number; empty when there is none.
    public let mark: String
    /// The JSON object, byte for byte.
    public let json: [UInt8]

    /// Reads a line without its LF; nil when it is none of the protocol's.
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
    /// The history of the store that answered; nil where it is not known.
    var log: String?

    /// A reply of these lines, of which the last one closes it.
    public init(rows: [ReplyLine], final: ReplyLine) {
        self.rows = rows
        self.final = final
    }

    /// True when the request was done.
    public var isDone: Bool { final.kind == .done }

    /// Why the store refused; nil when it did not.
    public var refusal: Refusal? { isDone ? nil : Refusal(json: final.json) }
}
