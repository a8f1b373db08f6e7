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
