/// A write as the one who asks for it thinks of it.
struct Write {
    /// An event that somebody appends.
    struct Appended {
        let stream: String
        let version: Int?
        let type: String
        let data: String
    }

    enum Content {
        /// To one stream, all or none.
        case append([Appended])
        /// To several.
        case appendMany([Appended])
        case postUser(id: String, email: String)
        case postStory(id: String, sender: String, recipient: String)
        case postMessage(id: String, sender: String, recipient: String, story: String?)
        case postPhoto(id: String, owner: String)
        case editUser(id: String, name: String?, email: String?)
        case editStory(id: String, title: String)
        case editPhoto(id: String, exposureValue: Int)
        case like(id: String, user: String)
        case unlike(id: String, user: String)
        case see(id: String)
        case delete(category: String, id: String)
        /// A form that nobody may send.
        case malformed(stream: String)
    }

    /// A query of events none of which may have come after a position.
    struct Unless {
        let items: [EventScope]
        let after: Int

        var json: String {
            #"{"any":[\#(items.map(\.item).joined(separator: ","))],"after":\#(after)}"#
        }
    }

    let content: Content
    /// The version that its stream must have.
    let version: Int?
    let key: String?
    /// What must not have come.
    var unless: [Unless] = []

    /// The events that it makes where nothing is in its way, without their versions.
    var events: [(stream: String, type: String)] {
        switch content {
        case .append(let events), .appendMany(let events): events.map { ($0.stream, $0.type) }
        case .postUser(let id, _): [("user-\(id)", "UserSignedUp")]
        case .postStory(let id, _, _): [("story-\(id)", "StoryPosted")]
        case .postMessage(let id, _, _, _): [("message-\(id)", "MessageSent")]
        case .postPhoto(let id, _): [("photo-\(id)", "PhotoAdded")]
        case .editUser(let id, _, _): [("user-\(id)", "UserRevised")]
        case .editStory(let id, _): [("story-\(id)", "StoryRevised")]
        case .editPhoto(let id, _): [("photo-\(id)", "PhotoExposureRevised")]
        case .like(let id, _): [("story-\(id)", "StoryLiked")]
        case .unlike(let id, _): [("story-\(id)", "StoryUnliked")]
        case .see(let id): [("message-\(id)", "MessageSeen")]
        case .delete(let category, let id):
            [("\(category)-\(id)", "\(category.prefix(1).uppercased())\(category.dropFirst())Deleted")]
        case .malformed(let stream): [(stream, "")]
        }
    }

    /// What the line of its event at this place has in it, so that nothing else was written.
    func mark(of index: Int) -> String {
        switch content {
        case .append(let events), .appendMany(let events): ",\"data\":\(events[index].data)}"
        case .postUser(_, let email): "\"email\":\"\(email)\""
        case .postStory(_, let sender, let recipient), .postMessage(_, let sender, let recipient, _):
            "\"sender\":\"\(sender)\",\"recipient\":\"\(recipient)\""
        case .postPhoto(_, let owner): "\"owner\":\"\(owner)\""
        case .editUser(_, let name, let email):
            name.map { "\"name\":\"\($0)\"" } ?? email.map { "\"email\":\"\($0)\"" } ?? ""
        case .editStory(_, let title): "\"title\":\"\(title)\""
        case .editPhoto(_, let value): "\"exposureValue\":\(value)"
        case .like(_, let user), .unlike(_, let user): "\"user\":\"\(user)\""
        case .see, .delete, .malformed: ""
        }
    }
}

/// What a write leads to.
enum Outcome: Equatable {
    case written
    case unchanged
    /// It was written before, by the request with this number.
    case repeated
    /// Refused, with this code.
    case refused(String)
}
