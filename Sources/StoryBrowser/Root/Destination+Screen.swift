import StoryClient

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
