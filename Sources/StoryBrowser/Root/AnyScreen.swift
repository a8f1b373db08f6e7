import StoryClient

/// A screen of any coordinator. Only the root knows all of them.
package enum AnyScreen: Equatable, Sendable {
    case story(ScreenState<Stories>)
    case user(ScreenState<Users>)
    case message(ScreenState<Messages>)
    case photo(ScreenState<Photos>)
    case overview(ScreenState<Overview>)
    case model(ScreenState<Models>)
    case row(ScreenState<ModelRows>)
    case misfit(ScreenState<Misfits>)
    case category(ScreenState<Categories>)
    case stream(ScreenState<Streams>)
    case event(ScreenState<Events>)

    /// Creates the screen that a coordinator asks for.
    package init(_ destination: Destination) {
        switch destination {
        case .overview: self = .overview(Coordinator.list(Overview()))
        case .allUsers: self = .user(Coordinator.list(Users()))
        case .allStories: self = .story(Coordinator.list(Stories()))
        case .allMessages: self = .message(Coordinator.list(Messages()))
        case .allPhotos: self = .photo(Coordinator.list(Photos()))
        case .models: self = .model(Coordinator.list(Models()))
        case .model(let name): self = .model(Coordinator.page(Models(), name))
        case .rows(let model): self = .row(Coordinator.list(ModelRows(model)))
        case .misfits(let model): self = .misfit(Coordinator.list(Misfits(model)))
        case .categories: self = .category(Coordinator.list(Categories()))
        case .streams(let category): self = .stream(Coordinator.list(Streams(category)))
        case .events(let selection): self = .event(Coordinator.list(Events(selection)))
        case .user(let id): self = .user(Coordinator.page(Users(), id))
        case .story(let id): self = .story(Coordinator.page(Stories(), id))
        case .sent(let user): self = .story(Coordinator.list(Stories(), .init(sender: user)))
        case .received(let user): self = .story(Coordinator.list(Stories(), .init(recipient: user)))
        case .conversation(let one, let other):
            self = .message(Coordinator.list(Messages(), .init(between: .init(one, other))))
        case .inbox(let user): self = .message(Coordinator.list(Messages(), .init(recipient: user)))
        case .outbox(let user): self = .message(Coordinator.list(Messages(), .init(sender: user)))
        case .talk(let story): self = .message(Coordinator.list(Messages(), .init(story: story)))
        case .album(let user): self = .photo(Coordinator.list(Photos(), .init(owner: user)))
        }
    }

    /// The screen without its type.
    var shown: any ShownScreen {
        switch self {
        case .story(let screen): screen
        case .user(let screen): screen
        case .message(let screen): screen
        case .photo(let screen): screen
        case .overview(let screen): screen
        case .model(let screen): screen
        case .row(let screen): screen
        case .misfit(let screen): screen
        case .category(let screen): screen
        case .stream(let screen): screen
        case .event(let screen): screen
        }
    }

    /// The subscriptions of the screen while it is shown.
    var subscriptions: [AnySubscription] {
        switch self {
        case .story(let screen): Coordinator.subscriptions(for: screen).map { .story($0) }
        case .user(let screen): Coordinator.subscriptions(for: screen).map { .user($0) }
        case .message(let screen): Coordinator.subscriptions(for: screen).map { .message($0) }
        case .photo(let screen): Coordinator.subscriptions(for: screen).map { .photo($0) }
        case .overview(let screen): Coordinator.subscriptions(for: screen).map { .overview($0) }
        case .model(let screen): Coordinator.subscriptions(for: screen).map { .model($0) }
        case .row(let screen): Coordinator.subscriptions(for: screen).map { .row(screen.kind.undescribed, $0) }
        case .misfit(let screen): Coordinator.subscriptions(for: screen).map { .misfit(screen.kind.undescribed, $0) }
        case .category(let screen): Coordinator.subscriptions(for: screen).map { .category($0) }
        case .stream(let screen): Coordinator.subscriptions(for: screen).map { .stream(screen.kind.undescribed, $0) }
        case .event(let screen): Coordinator.subscriptions(for: screen).map { .event(screen.kind.undescribed, $0) }
        }
    }
}

/// A message to a screen of any coordinator.
package enum AnyMessage: Sendable {
    case story(ScreenMessage<Stories>)
    case user(ScreenMessage<Users>)
    case message(ScreenMessage<Messages>)
    case photo(ScreenMessage<Photos>)
    case overview(ScreenMessage<Overview>)
    case model(ScreenMessage<Models>)
    case row(ScreenMessage<ModelRows>)
    case misfit(ScreenMessage<Misfits>)
    case category(ScreenMessage<Categories>)
    case stream(ScreenMessage<Streams>)
    case event(ScreenMessage<Events>)
}

/// A command of any coordinator, with the kind where that is not always the same.
package enum AnyCommand: Sendable {
    case story(ScreenCommand<Stories>)
    case user(ScreenCommand<Users>)
    case message(ScreenCommand<Messages>)
    case photo(ScreenCommand<Photos>)
    case overview(ScreenCommand<Overview>)
    case model(ScreenCommand<Models>)
    case row(ModelRows, ScreenCommand<ModelRows>)
    case misfit(Misfits, ScreenCommand<Misfits>)
    case category(ScreenCommand<Categories>)
    case stream(Streams, ScreenCommand<Streams>)
    case event(Events, ScreenCommand<Events>)
}

/// A subscription of any coordinator, with the kind where that is not always the same.
package enum AnySubscription: Hashable, Sendable {
    case story(ScreenSubscription<Stories>)
    case user(ScreenSubscription<Users>)
    case message(ScreenSubscription<Messages>)
    case photo(ScreenSubscription<Photos>)
    case overview(ScreenSubscription<Overview>)
    case model(ScreenSubscription<Models>)
    case row(ModelRows, ScreenSubscription<ModelRows>)
    case misfit(Misfits, ScreenSubscription<Misfits>)
    case category(ScreenSubscription<Categories>)
    case stream(Streams, ScreenSubscription<Streams>)
    case event(Events, ScreenSubscription<Events>)
}
