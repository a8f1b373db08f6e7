/// A message as it is now.
package struct MessageRow: Equatable, Sendable {
    package let id: Identifier
    package let number: StreamNumber
    package var version: Version
    package var position: Position
    package let text: Text
    package let sender: Identifier
    package let recipient: Identifier
    package let story: Identifier?
    package let date: Instant
    package var seen: Bool

    package init(
        id: Identifier, number: StreamNumber, version: Version, position: Position, text: Text, sender: Identifier,
        recipient: Identifier, story: Identifier?, date: Instant, seen: Bool
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
