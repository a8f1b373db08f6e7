/// What can happen to a message.
package enum MessageEventOf<Held: Holding>: Equatable, Sendable {
    case sent(MessageSentOf<Held>)
    case seen
    case deleted
}

/// `MessageSent`.
package struct MessageSentOf<Held: Holding>: Equatable, Sendable {
    package let text: Held.Prose
    package let sender: Held.Name
    package let recipient: Held.Name
    /// The story that the message is about.
    package let story: Held.Name?
    /// Nil where the form gave none: the event's own time is the date.
    package let date: Instant?

    @_specialize(where Held == Owned)
    @_specialize(where Held == Borrowed)
    package init(text: Held.Prose, sender: Held.Name, recipient: Held.Name, story: Held.Name?, date: Instant?) {
        self.text = text
        self.sender = sender
        self.recipient = recipient
        self.story = story
        self.date = date
    }
}

// What owns its names and texts, as the daemon has it.
package typealias MessageEvent = MessageEventOf<Owned>
package typealias MessageSent = MessageSentOf<Owned>
