/// What can happen to a story.
package enum StoryEventOf<Held: Holding>: Equatable, Sendable {
    case posted(StoryPostedOf<Held>)
    case revised(StoryRevisedOf<Held>)
    case liked(by: Held.Name)
    case unliked(by: Held.Name)
    case deleted
}

/// `StoryPosted`.
package struct StoryPostedOf<Held: Holding>: Equatable, Sendable {
    package let title: Held.Prose
    package let message: Held.Prose
    package let sender: Held.Name
    package let recipient: Held.Name
    /// Nil where the form gave none: the event's own time is the date.
    package let date: Instant?

    @_specialize(where Held == Owned)
    @_specialize(where Held == Borrowed)
    package init(title: Held.Prose, message: Held.Prose, sender: Held.Name, recipient: Held.Name, date: Instant?) {
        self.title = title
        self.message = message
        self.sender = sender
        self.recipient = recipient
        self.date = date
    }
}

/// `StoryRevised`: the fields that the form gave.
package struct StoryRevisedOf<Held: Holding>: Equatable, Sendable {
    package let title: Held.Prose?
    package let message: Held.Prose?

    @_specialize(where Held == Owned)
    @_specialize(where Held == Borrowed)
    package init(title: Held.Prose?, message: Held.Prose?) {
        self.title = title
        self.message = message
    }
}

// What owns its names and texts, as the daemon has it.
package typealias StoryEvent = StoryEventOf<Owned>
package typealias StoryPosted = StoryPostedOf<Owned>
package typealias StoryRevised = StoryRevisedOf<Owned>
