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

/// A provider of one kind of content by its ID: it returns a typed value, or throws a typed error.
public protocol ContentProviding<Content>: Sendable {
    /// The content that is fetched.
    associatedtype Content: StoreContent
    /// The store to ask.
    var client: StoreClient { get }
}

extension ContentProviding {
    /// Returns the content as it is now.
    ///
    /// - Throws: `ContentError`, or `CancellationError`.
    public func content(_ id: ContentID) async throws -> Content {
        do {
            return try await ContentCollection<Content>(client).get(id.text)
        } catch let error as ClientError {
            throw ContentError(error)
        }
    }

    /// Returns the content as it is now, or the error, as a state to show; `notLoaded` if the task was cancelled.
    public func load(_ id: ContentID) async -> Loadable<Content> {
        do {
            return .loaded(try await content(id))
        } catch {
            return (error as? ContentError).map { .failed($0) } ?? .notLoaded
        }
    }
}

/// A provider of users.
public struct UserProvider: ContentProviding {
    /// The content that is fetched.
    public typealias Content = User
    /// The store to ask.
    public let client: StoreClient
    /// Creates a provider that fetches from a store.
    public init(_ client: StoreClient) { self.client = client }
}

/// A provider of stories.
public struct StoryProvider: ContentProviding {
    /// The content that is fetched.
    public typealias Content = Story
    /// The store to ask.
    public let client: StoreClient
    /// Creates a provider that fetches from a store.
    public init(_ client: StoreClient) { self.client = client }
}

/// A provider of messages.
public struct MessageProvider: ContentProviding {
    /// The content that is fetched.
    public typealias Content = Message
    /// The store to ask.
    public let client: StoreClient
    /// Creates a provider that fetches from a store.
    public init(_ client: StoreClient) { self.client = client }
}

/// A provider of photos.
public struct PhotoProvider: ContentProviding {
    /// The content that is fetched.
    public typealias Content = Photo
    /// The store to ask.
    public let client: StoreClient
    /// Creates a provider that fetches from a store.
    public init(_ client: StoreClient) { self.client = client }
}

/// Content of any kind.
public enum AnyContent: Hashable, Sendable {
    case user(User)
    case story(Story)
    case message(Message)
    case photo(Photo)
}

extension StoreClient {
    /// Returns the content at an address, each kind from its provider.
    ///
    /// - Throws: `ContentError`, or `CancellationError`.
    public func content(at address: ContentAddress) async throws -> AnyContent {
        switch address.kind {
        case .users: .user(try await UserProvider(self).content(address.id))
        case .stories: .story(try await StoryProvider(self).content(address.id))
        case .messages: .message(try await MessageProvider(self).content(address.id))
        case .photos: .photo(try await PhotoProvider(self).content(address.id))
        }
    }
}

/// A failure to fetch content.
public enum ContentError: Error, Hashable, Sendable {
    /// Nothing has that ID.
    case notFound
    /// The content was deleted; its history can still be read.
    case gone
    /// This version of the library does not understand the row; the value is its JSON.
    case notUnderstood(String)
    /// The store refused for another reason, or gave no reply.
    case store(ClientError)

    init(_ error: ClientError) {
        switch error {
        case .notFound: self = .notFound
        case .gone: self = .gone
        case .notUnderstood(let json): self = .notUnderstood(json)
        case .syntax, .unknown, .invalid, .exists, .conflict, .conflictingEvent, .keyReused, .denied, .tooLarge, .full,
            .diverged, .behind, .notLeader, .unavailable, .busy, .held, .lost, .draining, .internal, .other,
            .unreachable, .insecure,
            .connectionLost,
            .timedOut, .interrupted, .unreadableInput, .system, .protocolViolation, .notReady, .notEncodable, .closed:
            self = .store(error)
        }
    }
}

/// The state of content that is fetched at some time.
public enum Loadable<Content: Sendable>: Sendable {
    case notLoaded
    case loading
    case loaded(Content)
    case failed(ContentError)

    /// The content, once it is loaded.
    public var content: Content? {
        if case .loaded(let content) = self { content } else { nil }
    }
}

extension Loadable: Equatable where Content: Equatable {}
