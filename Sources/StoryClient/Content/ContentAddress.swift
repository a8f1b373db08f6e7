import StoryCore

/// The kinds of content that a store knows.
public enum ContentKind: String, CaseIterable, Sendable {
    case users, stories, messages, photos
}

/// The ID of a user, story, message or photo: 1–64 bytes of `A–Z a–z 0–9 . _ ~ -`.
public struct ContentID: Hashable, Sendable, CustomStringConvertible {
    /// As it stands in addresses.
    public let text: String

    /// Nil when the text does not spell an ID.
    public init?(_ text: some StringProtocol) {
        guard let id = Identifier(Array(text.utf8)) else { return nil }
        self.text = id.description
    }

    public var description: String { text }
}

/// Where content is: `stories/12345`, also written `store://stories/12345`.
public struct ContentAddress: Hashable, Sendable, CustomStringConvertible {
    /// Which kind of content it is.
    public let kind: ContentKind
    /// Its ID within the kind.
    public let id: ContentID

    /// The address of content by its kind and ID.
    public init(_ kind: ContentKind, _ id: ContentID) {
        self.kind = kind
        self.id = id
    }

    /// Nil when the text is not the address of content.
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
