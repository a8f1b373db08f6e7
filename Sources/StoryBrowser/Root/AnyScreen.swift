import StoryClient

/// A screen of any coordinator. Only the root knows all of them.
package enum AnyScreen: Equatable, Sendable {
    case story(ScreenState<Stories>)
    case user(ScreenState<Users>)
    case message(ScreenState<Messages>)
    case photo(ScreenState<Photos>)

    /// Creates the screen that a coordinator asks for.
    package init(_ destination: Destination) {
        switch destination {
        case .user(let id): self = .user(Coordinator.page(id))
        case .story(let id): self = .story(Coordinator.page(id))
        case .sent(let user): self = .story(Coordinator.list(.init(sender: user)))
        case .received(let user): self = .story(Coordinator.list(.init(recipient: user)))
        case .conversation(let one, let other):
            self = .message(Coordinator.list(.init(between: .init(one, other))))
        case .inbox(let user): self = .message(Coordinator.list(.init(recipient: user)))
        case .outbox(let user): self = .message(Coordinator.list(.init(sender: user)))
        case .talk(let story): self = .message(Coordinator.list(.init(story: story)))
        case .album(let user): self = .photo(Coordinator.list(.init(owner: user)))
        }
    }

    /// The title for the breadcrumbs.
    var title: String {
        switch self {
        case .story(let screen): Coordinator.title(screen)
        case .user(let screen): Coordinator.title(screen)
        case .message(let screen): Coordinator.title(screen)
        case .photo(let screen): Coordinator.title(screen)
        }
    }

    /// The keys of the screen and their actions.
    var hints: [(key: String, does: String)] {
        switch self {
        case .story(let screen): Coordinator.hints(screen)
        case .user(let screen): Coordinator.hints(screen)
        case .message(let screen): Coordinator.hints(screen)
        case .photo(let screen): Coordinator.hints(screen)
        }
    }

    /// True if typed characters are text.
    var takesText: Bool {
        switch self {
        case .story(let screen): Coordinator.takesText(screen)
        case .user(let screen): Coordinator.takesText(screen)
        case .message(let screen): Coordinator.takesText(screen)
        case .photo(let screen): Coordinator.takesText(screen)
        }
    }

    func view(_ size: Size, _ names: Names) -> [Line] {
        switch self {
        case .story(let screen): Coordinator.view(screen, size, names)
        case .user(let screen): Coordinator.view(screen, size, names)
        case .message(let screen): Coordinator.view(screen, size, names)
        case .photo(let screen): Coordinator.view(screen, size, names)
        }
    }

    /// The IDs of the users that the screen refers to.
    var people: [String] {
        switch self {
        case .story(let screen): Coordinator.people(screen)
        case .user(let screen): Coordinator.people(screen)
        case .message(let screen): Coordinator.people(screen)
        case .photo(let screen): Coordinator.people(screen)
        }
    }

    /// The subscriptions of the screen while it is shown.
    var subscriptions: [AnySubscription] {
        switch self {
        case .story(let screen): Coordinator.subscriptions(for: screen).map { .story($0) }
        case .user(let screen): Coordinator.subscriptions(for: screen).map { .user($0) }
        case .message(let screen): Coordinator.subscriptions(for: screen).map { .message($0) }
        case .photo(let screen): Coordinator.subscriptions(for: screen).map { .photo($0) }
        }
    }
}

/// A message to a screen of any coordinator.
package enum AnyMessage: Sendable {
    case story(ScreenMessage<Stories>)
    case user(ScreenMessage<Users>)
    case message(ScreenMessage<Messages>)
    case photo(ScreenMessage<Photos>)
}

/// A command of any coordinator.
package enum AnyCommand: Sendable {
    case story(ScreenCommand<Stories>)
    case user(ScreenCommand<Users>)
    case message(ScreenCommand<Messages>)
    case photo(ScreenCommand<Photos>)
}

/// A subscription of any coordinator.
package enum AnySubscription: Hashable, Sendable {
    case story(ScreenSubscription<Stories>)
    case user(ScreenSubscription<Users>)
    case message(ScreenSubscription<Messages>)
    case photo(ScreenSubscription<Photos>)
}

/// The effects of a message to a screen, besides its next state.
struct AnyStep {
    /// A request of a screen to the root.
    enum Request {
        case show(AnyScreen)
        case back
        case narrow(AnyMessage)
        case say(String)
    }

    var commands: [AnyCommand] = []
    var requests: [Request] = []
}

extension AnyScreen {
    /// An event for a screen of any coordinator.
    enum Common {
        case appeared
        case key(Key, Surroundings)

        func message<Kind: BrowsedKind>() -> ScreenMessage<Kind> {
            switch self {
            case .appeared: .appeared
            case .key(let key, let surroundings): .key(key, surroundings)
            }
        }
    }

    /// The conversions of one coordinator's values to those of all.
    private struct Wrapping<Kind: BrowsedKind> {
        let screen: (ScreenState<Kind>) -> AnyScreen
        let message: (ScreenMessage<Kind>) -> AnyMessage
        let command: (ScreenCommand<Kind>) -> AnyCommand
    }

    mutating func update(_ event: Common) -> AnyStep {
        switch self {
        case .story: update(.story(event.message()))
        case .user: update(.user(event.message()))
        case .message: update(.message(event.message()))
        case .photo: update(.photo(event.message()))
        }
    }

    /// Delivers a message to its screen; one for another coordinator arrived too late and is ignored.
    mutating func update(_ message: AnyMessage) -> AnyStep {
        switch (self, message) {
        case (.story(let screen), .story(let message)):
            update(
                screen, message,
                Wrapping(screen: { .story($0) }, message: { .story($0) }, command: { .story($0) }))
        case (.user(let screen), .user(let message)):
            update(screen, message, Wrapping(screen: { .user($0) }, message: { .user($0) }, command: { .user($0) }))
        case (.message(let screen), .message(let message)):
            update(
                screen, message,
                Wrapping(screen: { .message($0) }, message: { .message($0) }, command: { .message($0) }))
        case (.photo(let screen), .photo(let message)):
            update(
                screen, message,
                Wrapping(screen: { .photo($0) }, message: { .photo($0) }, command: { .photo($0) }))
        case (.story, _), (.user, _), (.message, _), (.photo, _): AnyStep()
        }
    }

    private mutating func update<Kind: BrowsedKind>(
        _ screen: ScreenState<Kind>, _ message: ScreenMessage<Kind>, _ wrapping: Wrapping<Kind>
    ) -> AnyStep {
        var screen = screen
        let step = Coordinator.update(&screen, message)
        self = wrapping.screen(screen)
        return AnyStep(
            commands: step.commands.map(wrapping.command),
            requests: step.outgoing.map { outgoing in
                switch outgoing {
                case .show(let screen): .show(wrapping.screen(screen))
                case .open(let destination): .show(AnyScreen(destination))
                case .back: .back
                case .narrow(let filter): .narrow(wrapping.message(.narrowed(filter)))
                case .say(let sentence): .say(sentence)
                }
            })
    }
}
