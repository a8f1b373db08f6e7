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
