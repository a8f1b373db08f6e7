/// An event of a story.
package enum StoryEvent: Equatable, Sendable {
    case posted(StoryPosted)
    case revised(StoryRevised)
    case liked(by: Identifier)
    case unliked(by: Identifier)
    case deleted
}

/// The data of `StoryPosted`.
package struct StoryPosted: Equatable, Sendable {
    /// The title of the story.
    package let title: Text
    /// The text of the story.
    package let message: Text
    /// The ID of the user who sent the story.
    package let sender: Identifier
    /// The ID of the user who received the story.
    package let recipient: Identifier
    /// The date that the form gave; nil means the event's own time.
    package let date: Instant?

    /// Creates the data from its fields.
    package init(title: Text, message: Text, sender: Identifier, recipient: Identifier, date: Instant?) {
        self.title = title
        self.message = message
        self.sender = sender
        self.recipient = recipient
        self.date = date
    }
}

/// The data of `StoryRevised`: the fields that the form gave.
package struct StoryRevised: Equatable, Sendable {
    /// The new title; nil leaves it unchanged.
    package let title: Text?
    /// The new text; nil leaves it unchanged.
    package let message: Text?

    /// Creates the data from its fields.
    package init(title: Text?, message: Text?) {
        self.title = title
        self.message = message
    }
}
