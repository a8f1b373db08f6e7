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

/// A request of a coordinator to its owner.
package enum Outgoing<Kind: BrowsedKind>: Equatable, Sendable {
    /// Open another screen of the same coordinator.
    case show(ScreenState<Kind>)
    /// Open a screen of another coordinator.
    case open(Destination)
    /// Go back to the previous screen.
    case back
    /// Go back, and set the filter of the screen there.
    case narrow(Kind.Filter)
    /// Show this in the line of notices.
    case say(String)
}

/// The effects of a message to a coordinator, besides its next state.
package struct Step<Kind: BrowsedKind>: Sendable {
    /// The commands to execute.
    package var commands: [ScreenCommand<Kind>] = []
    /// The requests to the root.
    package var outgoing: [Outgoing<Kind>] = []

    /// A step without effects.
    static var nothing: Step { Step() }

    static func command(_ command: ScreenCommand<Kind>) -> Step { Step(commands: [command]) }

    static func ask(_ outgoing: Outgoing<Kind>...) -> Step { Step(outgoing: outgoing) }
}
