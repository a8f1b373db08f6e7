import StoryCore

extension ContentCollection {
    /// Watches the row with an ID: returns it as it is now, and each of its changes as it becomes durable.
    public func watch(_ id: String) -> LiveChanges<RowChange<Content>> {
        LiveChanges(client, row: target(id)) { json throws(ClientError) in try StoreDecoder.decode(Content.self, json) }
    }

    /// Watches a list: returns the rows that pass a filter, in the order of their dates, and each change of the list as
    /// it becomes durable.
    public func live(_ filter: Content.Filter = .init()) -> LiveChanges<ListChange<Content>> {
        LiveChanges(client, list: rows(.follow(.subscribe), filter)) { json throws(ClientError) in
            try StoreDecoder.decode(Content.self, json)
        }
    }
}

extension StoreClient {
    /// Watches the content at an address, of any kind: returns it as it is now, and each of its changes as it becomes
    /// durable.
    public func watch(_ address: ContentAddress) -> LiveChanges<RowChange<AnyContent>> {
        LiveChanges(self, row: address.description) { json throws(ClientError) in try AnyContent(address.kind, json) }
    }
}

extension AnyContent {
    init(_ kind: ContentKind, _ json: [UInt8]) throws(ClientError) {
        switch kind {
        case .users: self = .user(try StoreDecoder.decode(User.self, json))
        case .stories: self = .story(try StoreDecoder.decode(Story.self, json))
        case .messages: self = .message(try StoreDecoder.decode(Message.self, json))
        case .photos: self = .photo(try StoreDecoder.decode(Photo.self, json))
        }
    }
}
