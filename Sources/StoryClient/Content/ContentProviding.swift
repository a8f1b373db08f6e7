/// Fetches one kind of content by its ID: a typed value, or a typed error.
public protocol ContentProviding<Content> {
    associatedtype Content: StoreContent
    /// The store to ask.
    var connection: StoreConnection { get }
}

extension ContentProviding {
    /// The content as it is now.
    public func content(_ id: ContentID) throws(ContentError) -> Content {
        let reply: StoreReply
        do throws(StoreError) {
            reply = try connection.ask("GET \(Content.kind.rawValue)/\(id)")
        } catch {
            throw .unreachable(error)
        }
        guard let refusal = reply.refusal else { return try ContentDecoder.decode(Content.self, reply.final.json) }
        switch refusal.code {
        case .notFound: throw .notFound
        case .gone: throw .gone
        default: throw .refused(refusal)
        }
    }

    /// The content as it is now, or why not, as a state to show.
    public func load(_ id: ContentID) -> Loadable<Content> {
        do throws(ContentError) {
            return .loaded(try content(id))
        } catch {
            return .failed(error)
        }
    }
}

/// Fetches users.
public struct UserProvider: ContentProviding {
    public typealias Content = User
    public let connection: StoreConnection
    public init(_ connection: StoreConnection) { self.connection = connection }
}

/// Fetches stories.
public struct StoryProvider: ContentProviding {
    public typealias Content = Story
    public let connection: StoreConnection
    public init(_ connection: StoreConnection) { self.connection = connection }
}

/// Fetches messages.
public struct MessageProvider: ContentProviding {
    public typealias Content = Message
    public let connection: StoreConnection
    public init(_ connection: StoreConnection) { self.connection = connection }
}

/// Fetches photos.
public struct PhotoProvider: ContentProviding {
    public typealias Content = Photo
    public let connection: StoreConnection
    public init(_ connection: StoreConnection) { self.connection = connection }
}

/// Content of whatever kind an address names.
public enum AnyContent: Hashable, Sendable {
    case user(User)
    case story(Story)
    case message(Message)
    case photo(Photo)
}

extension StoreConnection {
    /// What is at an address, each kind from its provider.
    public func content(at address: ContentAddress) throws(ContentError) -> AnyContent {
        switch address.kind {
        case .users: .user(try UserProvider(self).content(address.id))
        case .stories: .story(try StoryProvider(self).content(address.id))
        case .messages: .message(try MessageProvider(self).content(address.id))
        case .photos: .photo(try PhotoProvider(self).content(address.id))
        }
    }
}
