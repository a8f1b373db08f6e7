import StoryCore

/// The kinds of content that a store knows.
public enum ContentKind: String, CaseIterable, Sendable {
    case users, stories, messages, photos
}

/// The ID of a user, story, message or photo: 1–64 bytes of `A–Z a–z 0–9 . _ ~ -`.
public struct ContentID: Hashable, Sendable, CustomStringConvertible {
    /// The ID as text, as addresses have it.
    public let text: String

    /// Creates an ID; nil when the text does not spell one.
    public init?(_ text: some StringProtocol) {
        guard let id = Identifier(Array(text.utf8)) else { return nil }
        self.text = id.description
    }

    public var description: String { text }
}

/// The address of content: `stories/12345`, also written `store://stories/12345`.
public struct ContentAddress: Hashable, Sendable, CustomStringConvertible {
    /// The kind of the content.
    public let kind: ContentKind
    /// Its ID within the kind.
    public let id: ContentID

    /// Creates the address of content by its kind and ID.
    public init(_ kind: ContentKind, _ id: ContentID) {
        self.kind = kind
        self.id = id
    }

    /// Parses an address; nil when the text is not the address of content.
    public init?(_ text: String) {
        let scheme = "store://"
        let parts = (text.hasPrefix(scheme) ? text.dropFirst(scheme.count) : text[...]).split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = ContentKind(rawValue: String(parts[0])), let id = ContentID(parts[1]) else {
            return nil
        }
        self.init(kind, id)
    }

    public var description: String { "\(kind.rawValue)/\(id)" }
}
