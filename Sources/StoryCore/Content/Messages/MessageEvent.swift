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

/// The types of a message's events, each made once.
enum MessageEventType {
    static let sent = EventType.own("MessageSent")
    static let seen = EventType.own("MessageSeen")
    static let deleted = EventType.own("MessageDeleted")
}

extension MessageEvent {
    /// The type that the event is written with.
    var type: EventType {
        switch self {
        case .sent: MessageEventType.sent
        case .seen: MessageEventType.seen
        case .deleted: MessageEventType.deleted
        }
    }

    /// Writes the members of the event's data.
    func write(to members: inout some EventMembers & ~Copyable) {
        switch self {
        case .sent(let event):
            members.text("text", event.text)
            members.identifier("sender", event.sender)
            members.identifier("recipient", event.recipient)
            if let story = event.story { members.identifier("story", story) }
            if let date = event.date { members.date("date", date) }
        case .seen, .deleted: return
        }
    }
}

/// The fields of a message that a decision looks at.
package struct MessageFields: Equatable, Sendable {
    /// True when the recipient saw the message.
    package let seen: Bool

    /// Creates the fields from a message's row.
    package init(_ row: RowView) { seen = row.flag(MessageSchema.Field.seen) }
}

/// The decider for a message's commands.
package enum MessageDecider {
    /// Returns the decision on a command in a state.
    package static func decide(_ command: Command<MessageEvent>, on message: Existence<MessageFields>) -> Decision {
        switch command.event {
        case .sent: message.creation
        case .seen: message.change { !$0.seen }
        case .deleted: message.change { _ in true }
        }
    }
}
