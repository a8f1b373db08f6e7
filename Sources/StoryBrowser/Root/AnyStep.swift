import StoryClient

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

// Messages to the screen of a coordinator.
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
        let command: (Kind, ScreenCommand<Kind>) -> AnyCommand
    }

    mutating func update(_ event: Common) -> AnyStep {
        switch self {
        case .story: update(.story(event.message()))
        case .user: update(.user(event.message()))
        case .message: update(.message(event.message()))
        case .photo: update(.photo(event.message()))
        case .overview: update(.overview(event.message()))
        case .model: update(.model(event.message()))
        case .row: update(.row(event.message()))
        case .misfit: update(.misfit(event.message()))
        case .category: update(.category(event.message()))
        case .stream: update(.stream(event.message()))
        case .event: update(.event(event.message()))
        }
    }

    /// Delivers a message to its screen; one for another coordinator arrived too late and is ignored.
    mutating func update(_ message: AnyMessage) -> AnyStep {
        switch (self, message) {
        case (.story(let screen), .story(let message)):
            update(screen, message, Wrapping(screen: { .story($0) }, message: { .story($0) }, command: { .story($1) }))
        case (.user(let screen), .user(let message)):
            update(screen, message, Wrapping(screen: { .user($0) }, message: { .user($0) }, command: { .user($1) }))
        case (.message(let screen), .message(let message)):
            update(
                screen, message,
                Wrapping(screen: { .message($0) }, message: { .message($0) }, command: { .message($1) }))
        case (.photo(let screen), .photo(let message)):
            update(screen, message, Wrapping(screen: { .photo($0) }, message: { .photo($0) }, command: { .photo($1) }))
        case (.overview(let screen), .overview(let message)):
            update(
                screen, message,
                Wrapping(screen: { .overview($0) }, message: { .overview($0) }, command: { .overview($1) }))
        case (.model(let screen), .model(let message)):
            update(screen, message, Wrapping(screen: { .model($0) }, message: { .model($0) }, command: { .model($1) }))
        case (.row(let screen), .row(let message)):
            update(screen, message, Wrapping(screen: { .row($0) }, message: { .row($0) }, command: { .row($0, $1) }))
        case (.misfit(let screen), .misfit(let message)):
            update(
                screen, message,
                Wrapping(screen: { .misfit($0) }, message: { .misfit($0) }, command: { .misfit($0, $1) }))
        case (.category(let screen), .category(let message)):
            update(
                screen, message,
                Wrapping(screen: { .category($0) }, message: { .category($0) }, command: { .category($1) }))
        case (.stream(let screen), .stream(let message)):
            update(
                screen, message,
                Wrapping(screen: { .stream($0) }, message: { .stream($0) }, command: { .stream($0, $1) }))
        case (.event(let screen), .event(let message)):
            update(
                screen, message, Wrapping(screen: { .event($0) }, message: { .event($0) }, command: { .event($0, $1) }))
        case (.story, _), (.user, _), (.message, _), (.photo, _), (.overview, _), (.model, _), (.row, _), (.misfit, _),
            (.category, _), (.stream, _), (.event, _):
            AnyStep()
        }
    }

    private mutating func update<Kind: BrowsedKind>(
        _ screen: ScreenState<Kind>, _ message: ScreenMessage<Kind>, _ wrapping: Wrapping<Kind>
    ) -> AnyStep {
        var screen = screen
        let step = Coordinator.update(&screen, message)
        self = wrapping.screen(screen)
        return AnyStep(
            commands: step.commands.map { wrapping.command(screen.kind, $0) },
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
