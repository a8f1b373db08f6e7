/// Fetches one kind of content by its ID: a typed value, or a typed error.
public protocol ContentProviding<Content>: Sendable {
    associatedtype Content: StoreContent
    /// The store to ask.
    var client: StoreClient { get }
}

extension ContentProviding {
    /// The content as it is now.
    ///
    /// - Throws: `ContentError`, or `CancellationError`.
    public func content(_ id: ContentID) async throws -> Content {
        do {
            return try await ContentCollection<Content>(client: client).get(id.text)
        } catch let error as ClientError {
            throw ContentError(error)
        }
    }

    /// The content as it is now, or why not, as a state to show; not loaded where the task was cancelled.
    public func load(_ id: ContentID) async -> Loadable<Content> {
        do {
            return .loaded(try await content(id))
        } catch {
            return (error as? ContentError).map { .failed($0) } ?? .notLoaded
        }
    }
}

/// Fetches users.
public struct UserProvider: ContentProviding {
    public typealias Content = User
    /// The store to ask.
    public let client: StoreClient
    /// Fetches from this store.
    public init(_ client: StoreClient) { self.client = client }
}

/// Fetches stories.
public struct StoryProvider: ContentProviding {
    public typealias Content = Story
    /// The store to ask.
    public let client: StoreClient
    /// Fetches from this store.
    public init(_ client: StoreClient) { self.client = client }
}

/// Fetches messages.
public struct MessageProvider: ContentProviding {
    public typealias Content = Message
    /// The store to ask.
    public let client: StoreClient
    /// Fetches from this store.
    public init(_ client: StoreClient) { self.client = client }
}

/// Fetches photos.
public struct PhotoProvider: ContentProviding {
    public typealias Content = Photo
    /// The store to ask.
    public let client: StoreClient
    /// Fetches from this store.
    public init(_ client: StoreClient) { self.client = client }
}

/// Content of whatever kind an address names.
public enum AnyContent: Hashable, Sendable {
    case user(User)
    case story(Story)
    case message(Message)
    case photo(Photo)
}

extension StoreClient {
    /// What is at an address, each kind from its provider.
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
