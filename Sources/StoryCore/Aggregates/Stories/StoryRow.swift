/// A story as it is now.
package struct StoryRowOf<Held: Holding>: Equatable, Sendable {
    package let id: Held.Name
    package let number: StreamNumber
    package var version: Version
    package var position: Position
    package var title: Held.Prose
    package var message: Held.Prose
    package let sender: Held.Name
    package let recipient: Held.Name
    package let date: Instant
    /// How many users like it.
    package var likes: UInt64

    @_specialize(where Held == Owned)
    package init(
        id: Held.Name, number: StreamNumber, version: Version, position: Position, title: Held.Prose,
        message: Held.Prose,
        sender: Held.Name, recipient: Held.Name, date: Instant, likes: UInt64
    ) {
        self.id = id
        self.number = number
        self.version = version
        self.position = position
        self.title = title
        self.message = message
        self.sender = sender
        self.recipient = recipient
        self.date = date
        self.likes = likes
    }
}

// What owns its names and texts, as the daemon has it.
package typealias StoryRow = StoryRowOf<Owned>
