/// What can happen to a message.
package enum MessageEvent: Equatable, Sendable {
    case sent(MessageSent)
    case seen
    case deleted
}

/// `MessageSent`.
package struct MessageSent: Equatable, Sendable {
    package let text: Text
    package let sender: Identifier
    package let recipient: Identifier
    /// The story that the message is about.
    package let story: Identifier?
    /// Nil where the form gave none: the event's own time is the date.
    package let date: Instant?

    package init(text: Text, sender: Identifier, recipient: Identifier, story: Identifier?, date: Instant?) {
        self.text = text
        self.sender = sender
        self.recipient = recipient
        self.story = story
        self.date = date
    }
}
