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
