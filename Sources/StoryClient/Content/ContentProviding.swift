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
