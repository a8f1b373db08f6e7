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
        case .signedUp(let event): event.write(to: &members)
        case .revised(let event): event.write(to: &members)
        }
    }
}

extension UserSignedUp {
    fileprivate func write(to members: inout some EventMembers & ~Copyable) {
        members.text("name", name)
        members.text("email", email)
        members.integer("prefecture", prefecture)
    }
}

extension UserRevised {
    fileprivate func write(to members: inout some EventMembers & ~Copyable) {
        if let name { members.text("name", name) }
        if let email { members.text("email", email) }
        if let prefecture { members.integer("prefecture", prefecture) }
    }
}
