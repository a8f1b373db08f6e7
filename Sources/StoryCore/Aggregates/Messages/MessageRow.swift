/// A message as it is now.
package struct MessageRowOf<Held: Holding>: Equatable, Sendable {
    package let id: Held.Name
    package let number: StreamNumber
    package var version: Version
    package var position: Position
    package let text: Held.Prose
    package let sender: Held.Name
    package let recipient: Held.Name
    package let story: Held.Name?
    package let date: Instant
    package var seen: Bool

    @_specialize(where Held == Owned)
    package init(
        id: Held.Name, number: StreamNumber, version: Version, position: Position, text: Held.Prose, sender: Held.Name,
        recipient: Held.Name, story: Held.Name?, date: Instant, seen: Bool
    ) {
        self.id = id
        self.number = number
        self.version = version
        self.position = position
        self.text = text
        self.sender = sender
        self.recipient = recipient
        self.story = story
        self.date = date
        self.seen = seen
    }
}

// What owns its names and texts, as the daemon has it.
package typealias MessageRow = MessageRowOf<Owned>
