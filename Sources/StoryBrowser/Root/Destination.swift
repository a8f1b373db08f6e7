package import StoryClient

/// A screen of another coordinator, which only the root can open.
package enum Destination: Hashable, Sendable {
    /// All that the store holds.
    case overview
    case allUsers, allStories, allMessages, allPhotos
    case models
    /// The definition of a declared model.
    case model(String)
    /// The rows of a declared model.
    case rows(of: String)
    /// The events that did not fit a declared model.
    case misfits(of: String)
    case categories
    /// The streams of a category.
    case streams(of: String)
    /// The events of the log, of a category or of a stream.
    case events(EventSelection)
    case user(id: String)
    case story(id: String)
    /// The stories that a user sent.
    case sent(by: String)
    /// The stories that a user received.
    case received(by: String)
    /// The messages between two users.
    case conversation(String, String)
    /// The messages that a user received.
    case inbox(of: String)
    /// The messages that a user sent.
    case outbox(of: String)
    /// The messages about a story.
    case talk(about: String)
    /// The photos of a user.
    case album(of: String)
}

extension Destination {
    /// The screen that a coordinator asks for. Only the root knows all of them.
    var screen: any CoordinatorScreen {
        switch self {
        case .overview: ListState(Overview())
        case .allUsers: ListState(Users())
        case .allStories: ListState(Stories())
        case .allMessages: ListState(Messages())
        case .allPhotos: ListState(Photos())
        case .models: ListState(Models())
        case .model(let name): PageState(Models(), id: name)
        case .rows(let model): ListState(ModelRows(model))
        case .misfits(let model): ListState(Misfits(model: model))
        case .categories: ListState(Categories())
        case .streams(let category): ListState(Streams(category: category))
        case .events(let selection): ListState(Events(selection: selection))
        case .user(let id): PageState(Users(), id: id)
        case .story(let id): PageState(Stories(), id: id)
        case .sent(let user): ListState(Stories(), .init(sender: user))
        case .received(let user): ListState(Stories(), .init(recipient: user))
        case .conversation(let one, let other): ListState(Messages(), .init(between: .init(one, other)))
        case .inbox(let user): ListState(Messages(), .init(recipient: user))
        case .outbox(let user): ListState(Messages(), .init(sender: user))
        case .talk(let story): ListState(Messages(), .init(story: story))
        case .album(let user): ListState(Photos(), .init(owner: user))
        }
    }
}

/// The columns of the lists of each kind, for other programs that show rows.
package enum ListShapes {
    /// Returns the columns of a kind's list in order; none for an unknown kind.
    package static func of(_ kind: String) -> [ColumnShape] {
        switch kind {
        case Stories().title: Stories().columns.map(\.shape)
        case Users().title: Users().columns.map(\.shape)
        case Messages().title: Messages().columns.map(\.shape)
        case Photos().title: Photos().columns.map(\.shape)
        default: []
        }
    }

    /// Returns the columns of a declared model's list: the ID, and its fields by their names and types.
    package static func ofModel(_ fields: [(name: String, type: String)]) -> [ColumnShape] {
        [ModelDescription.idShape] + fields.map { ModelDescription.Field(name: $0.name, type: $0.type).shape }
    }
}
