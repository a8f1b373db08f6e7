import StoryCore
import TestSupport

/// What is the case once a log is folded up to some position, worked out the slow and obvious way.
struct Moment {
    /// Where a stream is.
    struct Place: Equatable {
        var version: Int
        var position: Int
    }

    private(set) var position = 0
    private(set) var rows = PlainRows([])
    private(set) var streams: [String: Place] = [:]
    /// Which request used a key.
    private(set) var keys: [String: Int] = [:]
    private var likes: Set<String> = []

    mutating func fold(_ logged: World.Logged) {
        let event = logged.event
        position += 1
        rows.fold(event)
        streams[logged.stream] = Place(version: Int(event.version.value), position: position)
        if let key = event.key { keys[key.description] = logged.request }
        guard case .story(let happening) = event.body else { return }
        switch happening {
        case .liked(let user): likes.insert("\(logged.stream) \(user)")
        case .unliked(let user): likes.remove("\(logged.stream) \(user)")
        case .posted, .revised, .deleted: break
        }
    }

    /// The row of a stream; nil where there is none, or no more.
    func row(_ kind: Kind, _ id: String) -> Row? {
        let id = id.id
        return rows.rows(kind).first { $0.id == id }
    }

    func version(_ stream: String) -> Int { streams[stream]?.version ?? 0 }

    // MARK: What a write leads to

    func outcome(of write: Write, _ request: Int) -> Outcome {
        if let key = write.key, let user = keys[key] { return user == request ? .repeated : .refused("keyReused") }
        switch write.content {
        case .append(let events): return appended(events, write.version)
        case .appendMany(let events): return appendedMany(events)
        case .malformed: return .refused("invalid")
        case .postUser(let id, let email):
            return posted("user-\(id)", write, isValid: true, isTaken: hasEmail(email, beside: nil))
        case .postStory(let id, let sender, let recipient):
            return posted("story-\(id)", write, isValid: isUser(sender) && isUser(recipient))
        case .postMessage(let id, let sender, let recipient, let story):
            let isThere = story.map { row(.stories, $0) != nil } ?? true
            return posted("message-\(id)", write, isValid: isUser(sender) && isUser(recipient) && isThere)
        case .postPhoto(let id, let owner): return posted("photo-\(id)", write, isValid: isUser(owner))
        case .editUser(let id, let name, let email): return edited(id, name, email, write)
        case .editStory(let id, let title):
            return changed(.stories, "story-\(id)", id, write) { $0.story?.title.description == title }
        case .editPhoto(let id, let value):
            return changed(.photos, "photo-\(id)", id, write) { $0.photo?.exposureValue == Double(value) }
        case .like(let id, let user): return liked(id, user, write, isLiking: true)
        case .unlike(let id, let user): return liked(id, user, write, isLiking: false)
        case .see(let id): return changed(.messages, "message-\(id)", id, write) { $0.message?.seen == true }
        case .delete(let category, let id):
            guard let kind = Kind.allCases.first(where: { $0.schema.category == category }) else { return .unchanged }
            return changed(kind, "\(category)-\(id)", id, write) { _ in false }
        }
    }

    private func isUser(_ id: String) -> Bool { row(.users, id) != nil }

    private func hasEmail(_ email: String, beside id: String?) -> Bool {
        rows.rows(.users).contains {
            $0.id.description != id && $0.user?.email.description.lowercased() == email.lowercased()
        }
    }

    private func appended(_ events: [Write.Appended], _ version: Int?) -> Outcome {
        guard let version, version != self.version(events[0].stream) else { return .written }
        return .refused("conflict")
    }

    private func appendedMany(_ events: [Write.Appended]) -> Outcome {
        var versions: [String: Int] = [:]
        for event in events {
            let version = versions[event.stream] ?? self.version(event.stream)
            if let wanted = event.version, wanted != version { return .refused("conflict") }
            versions[event.stream] = version + 1
        }
        return .written
    }

    private func posted(_ stream: String, _ write: Write, isValid: Bool, isTaken: Bool = false) -> Outcome {
        guard isValid else { return .refused("invalid") }
        guard version(stream) == 0, !isTaken else { return .refused("exists") }
        return meets(write.version, stream) ? .written : .refused("conflict")
    }

    private func meets(_ version: Int?, _ stream: String) -> Bool { version.map { $0 == self.version(stream) } ?? true }

    /// A change of a row; `isSame` says whether it would change nothing.
    private func changed(
        _ kind: Kind, _ stream: String, _ id: String, _ write: Write, isValid: Bool = true, isTaken: Bool = false,
        isSame: (Row) -> Bool
    ) -> Outcome {
        guard version(stream) > 0 else { return .refused("notFound") }
        guard let row = row(kind, id) else { return .refused("gone") }
        guard isValid else { return .refused("invalid") }
        guard !isTaken else { return .refused("exists") }
        guard meets(write.version, stream) else { return .refused("conflict") }
        return isSame(row) ? .unchanged : .written
    }

    private func edited(_ id: String, _ name: String?, _ email: String?, _ write: Write) -> Outcome {
        let isTaken = email.map { hasEmail($0, beside: id) } ?? false
        return changed(.users, "user-\(id)", id, write, isTaken: isTaken) { row in
            (name ?? row.user?.name.description) == row.user?.name.description
                && (email ?? row.user?.email.description) == row.user?.email.description
        }
    }

    private func liked(_ id: String, _ user: String, _ write: Write, isLiking: Bool) -> Outcome {
        changed(.stories, "story-\(id)", id, write, isValid: isUser(user)) { _ in
            likes.contains("story-\(id) \(user)") == isLiking
        }
    }
}
