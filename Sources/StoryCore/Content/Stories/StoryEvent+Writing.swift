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
        case .posted(let event): event.write(to: &members)
        case .revised(let event): event.write(to: &members)
        case .liked(by: let user), .unliked(by: let user): members.identifier("user", user)
        case .deleted: return
        }
    }
}

extension StoryPosted {
    fileprivate func write(to members: inout some EventMembers & ~Copyable) {
        members.text("title", title)
        members.text("message", message)
        members.identifier("sender", sender)
        members.identifier("recipient", recipient)
        if let date { members.date("date", date) }
    }
}

extension StoryRevised {
    fileprivate func write(to members: inout some EventMembers & ~Copyable) {
        if let title { members.text("title", title) }
        if let message { members.text("message", message) }
    }
}
