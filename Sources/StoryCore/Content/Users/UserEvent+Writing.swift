/// The types of a user's events, each made once.
enum UserEventType {
    static let signedUp = EventType.own("UserSignedUp")
    static let revised = EventType.own("UserRevised")
}

extension UserEvent {
    /// The type that the event is written with.
    var type: EventType {
        switch self {
        case .signedUp: UserEventType.signedUp
        case .revised: UserEventType.revised
        }
    }

    /// Writes the members of the event's data.
    func write(to members: inout some EventMembers & ~Copyable) {
        switch self {
        case .signedUp(let event):
            members.text("name", event.name)
            members.text("email", event.email)
            members.integer("prefecture", event.prefecture)
        case .revised(let event):
            if let name = event.name { members.text("name", name) }
            if let email = event.email { members.text("email", email) }
            if let prefecture = event.prefecture { members.integer("prefecture", prefecture) }
        }
    }
}
