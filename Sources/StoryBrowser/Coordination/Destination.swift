/// A screen of another coordinator, which only the root can open.
package enum Destination: Hashable, Sendable {
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
    case narrow(Kind.Content.Filter)
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
