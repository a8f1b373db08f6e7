/// What can happen to a story.
package enum StoryEvent: Equatable, Sendable {
    case posted(StoryPosted)
    case revised(StoryRevised)
    case liked(by: Identifier)
    case unliked(by: Identifier)
    case deleted
}

/// `StoryPosted`.
package struct StoryPosted: Equatable, Sendable {
    package let title: Text
    package let message: Text
    package let sender: Identifier
    package let recipient: Identifier
    /// Nil where the form gave none: the event's own time is the date.
    package let date: Instant?

    package init(title: Text, message: Text, sender: Identifier, recipient: Identifier, date: Instant?) {
        self.title = title
        self.message = message
        self.sender = sender
        self.recipient = recipient
        self.date = date
    }
}

/// `StoryRevised`: the fields that the form gave.
package struct StoryRevised: Equatable, Sendable {
    package let title: Text?
    package let message: Text?

    package init(title: Text?, message: Text?) {
        self.title = title
        self.message = message
    }
}
