/// An event of a message.
package enum MessageEvent: Equatable, Sendable {
    case sent(MessageSent)
    case seen
    case deleted
}

/// The data of `MessageSent`.
package struct MessageSent: Equatable, Sendable {
    /// The text of the message.
    package let text: Text
    /// The ID of the user who sent the message.
    package let sender: Identifier
    /// The ID of the user who received the message.
    package let recipient: Identifier
    /// The ID of the story that the message is about.
    package let story: Identifier?
    /// The date that the form gave; nil means the event's own time.
    package let date: Instant?

    /// Creates the data from its fields.
    package init(text: Text, sender: Identifier, recipient: Identifier, story: Identifier?, date: Instant?) {
        self.text = text
        self.sender = sender
        self.recipient = recipient
        self.story = story
        self.date = date
    }
}
