/// Where a coordinator would like to go and cannot itself: it belongs to another one. Only the root knows which.
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
    /// The messages about a story.
    case talk(about: String)
    /// The photos of a user.
    case album(of: String)
}

/// What a coordinator asks of whoever it belongs to.
package enum Outgoing<Kind: BrowsedKind>: Equatable, Sendable {
    /// Go on to another screen of the same coordinator.
    case show(ScreenState<Kind>)
    /// Go on to what belongs to another coordinator.
    case open(Destination)
    /// Go back to where one came from.
    case back
    /// Go back, and let the screen there take over a filter.
    case narrow(Kind.Content.Filter)
    /// Say this in the line of notices.
    case say(String)
}

/// What came of a message to a coordinator, besides its next state.
package struct Step<Kind: BrowsedKind>: Sendable {
    package var commands: [ScreenCommand<Kind>] = []
    package var outgoing: [Outgoing<Kind>] = []

    /// Nothing is to be done.
    static var nothing: Step { Step() }

    static func command(_ command: ScreenCommand<Kind>) -> Step { Step(commands: [command]) }

    static func ask(_ outgoing: Outgoing<Kind>...) -> Step { Step(outgoing: outgoing) }
}
