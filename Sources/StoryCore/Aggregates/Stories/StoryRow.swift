/// A story as it is now.
package struct StoryRow: Equatable, Sendable {
    package let id: Identifier
    package let number: StreamNumber
    package var version: Version
    package var position: Position
    package var title: Text
    package var message: Text
    package let sender: Identifier
    package let recipient: Identifier
    package let date: Instant
    /// How many users like it.
    package var likes: UInt64

    package init(
        id: Identifier, number: StreamNumber, version: Version, position: Position, title: Text, message: Text,
        sender: Identifier, recipient: Identifier, date: Instant, likes: UInt64
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
