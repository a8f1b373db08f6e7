/// The four kinds of content that the store knows.
package enum Kind: UInt8, CaseIterable, Sendable {
    case users = 1
    case stories = 2
    case messages = 3
    case photos = 4

    /// The kind's name in targets and queries: `stories`.
    package var name: String {
        switch self {
        case .users: "users"
        case .stories: "stories"
        case .messages: "messages"
        case .photos: "photos"
        }
    }

    /// The category of its streams: `story`.
    package var category: CategoryName {
        switch self {
        case .users: CategoryName(trusted: Array("user".utf8))
        case .stories: CategoryName(trusted: Array("story".utf8))
        case .messages: CategoryName(trusted: Array("message".utf8))
        case .photos: CategoryName(trusted: Array("photo".utf8))
        }
    }

    package init?(name: some Collection<UInt8>) {
        guard let kind = Kind.allCases.first(where: { $0.name.utf8.elementsEqual(name) }) else { return nil }
        self = kind
    }

    /// The kind whose streams have this category; nil for the users' own categories.
    package init?(category: some Collection<UInt8>) {
        guard let kind = Kind.allCases.first(where: { $0.category.bytes.elementsEqual(category) }) else { return nil }
        self = kind
    }

    /// The stream that holds the history of one ID.
    package func stream(_ id: Identifier) -> StreamName { StreamName(category: category, id: id) }
}
