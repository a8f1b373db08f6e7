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

/// The types of a story's events, each made once.
enum StoryEventType {
    static let posted = EventType.own("StoryPosted")
    static let revised = EventType.own("StoryRevised")
    static let liked = EventType.own("StoryLiked")
    static let unliked = EventType.own("StoryUnliked")
    static let deleted = EventType.own("StoryDeleted")
}

extension StoryEvent {
    /// The type that the event is written with.
    var type: EventType {
        switch self {
        case .posted: StoryEventType.posted
        case .revised: StoryEventType.revised
        case .liked: StoryEventType.liked
        case .unliked: StoryEventType.unliked
        case .deleted: StoryEventType.deleted
        }
    }

    /// Writes the members of the event's data.
    func write(to members: inout some EventMembers & ~Copyable) {
        switch self {
        case .posted(let event):
            members.text("title", event.title)
            members.text("message", event.message)
            members.identifier("sender", event.sender)
            members.identifier("recipient", event.recipient)
            if let date = event.date { members.date("date", date) }
        case .revised(let event):
            if let title = event.title { members.text("title", title) }
            if let message = event.message { members.text("message", message) }
        case .liked(by: let user), .unliked(by: let user): members.identifier("user", user)
        case .deleted: return
        }
    }
}

/// The fields of a story that a decision looks at.
package struct StoryFields: Equatable, Sendable {
    /// The title of the story.
    package let title: Text
    /// The text of the story.
    package let message: Text

    /// Creates the fields from a story's row.
    package init(_ row: RowView) {
        title = Text(Array(row.text(StorySchema.Field.title)))
        message = Text(Array(row.text(StorySchema.Field.message)))
    }
}

/// The decider for a story's commands.
package enum StoryDecider {
    /// Returns the decision on a command in a state.
    ///
    /// - Parameter isLiked: true when the user that the command names likes the story now.
    package static func decide(
        _ command: Command<StoryEvent>, on story: Existence<StoryFields>, isLiked: Bool = false
    ) -> Decision {
        switch command.event {
        case .posted: story.creation
        case .revised(let event):
            story.change { row in
                (event.title ?? row.title) != row.title || (event.message ?? row.message) != row.message
            }
        case .liked: story.change { _ in !isLiked }
        case .unliked: story.change { _ in isLiked }
        case .deleted: story.change { _ in true }
        }
    }

    /// Returns the decision on a command in the current state.
    ///
    /// - Throws: the error of reading a row or the likes.
    static func decide(
        _ command: Command<StoryEvent>, on subject: ContentSubject, in rows: any ContentRows
    ) throws(StorageError) -> Decision {
        let story = try rows.existence(of: subject) { StoryFields($0) }
        var isLiked = false
        switch command.event {
        case .liked(by: let user), .unliked(by: let user):
            if let number = subject.number { isLiked = try rows.contains(StorySchema.likes, number: number, user) }
        case .posted, .revised, .deleted: break
        }
        return decide(command, on: story, isLiked: isLiked)
    }
}
