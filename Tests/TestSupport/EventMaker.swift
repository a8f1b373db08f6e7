package import StoryCore

/// Makes events that follow one another: positions, versions and stream numbers are counted here.
package struct EventMaker {
    private var position = Position.zero
    private var heads: [StreamName: (number: StreamNumber, version: Version)] = [:]
    /// The time of the next event; each moves it on by a second.
    package var time = Instant(milliseconds: 1_800_000_000_000)

    package init() {}

    package mutating func event(
        _ stream: String, _ body: EventBody, key: String? = nil, tags: ByteView? = nil, meta: String? = nil
    ) -> Event {
        let name = stream.stream
        let head = heads[name] ?? (StreamNumber(UInt64(heads.count + 1)), .zero)
        heads[name] = (head.number, head.version.next)
        position = position.next
        defer { time = Instant(milliseconds: time.milliseconds + 1_000) }
        return Event(
            position: position, stream: name, streamNumber: head.number, version: head.version.next, time: time,
            by: 1_000, key: key?.key, tags: tags, meta: meta?.view, body: body)
    }
}

/// What happens, with little to write.
extension EventBody {
    package static func signedUp(
        name: String = "Aki", email: String = "aki@example.org", prefecture: Int64 = 13
    ) -> EventBody {
        .user(.signedUp(UserSignedUp(name: Text(name), email: Text(email), prefecture: prefecture)))
    }

    package static func posted(
        title: String = "A title", from sender: String = "u1", to recipient: String = "u2", date: String? = nil
    ) -> EventBody {
        let posted = StoryPosted(
            title: Text(title), message: Text("Once"), sender: sender.id, recipient: recipient.id,
            date: date?.instant)
        return .story(.posted(posted))
    }

    package static func liked(by user: String) -> EventBody { .story(.liked(by: user.id)) }
    package static func unliked(by user: String) -> EventBody { .story(.unliked(by: user.id)) }

    package static func sent(
        from sender: String = "u1", to recipient: String = "u2", about story: String? = nil
    ) -> EventBody {
        let sent = MessageSent(
            text: Text("Hello"), sender: sender.id, recipient: recipient.id, story: story?.id, date: nil)
        return .message(.sent(sent))
    }

    package static func added(owner: String = "u1", focalLength: Double? = nil) -> EventBody {
        guard let duration = ExposureDuration(numerator: 1, denominator: 125) else {
            preconditionFailure("1/125 is a duration")
        }
        let added = PhotoAdded(
            owner: owner.id, iso: 400, focalLength: focalLength, exposureValue: 0, lensAperture: nil,
            exposureDuration: duration, flash: nil, date: nil)
        return .photo(.added(added))
    }

    package static func noted(_ type: String = "Noted", _ data: String = "{}") -> EventBody {
        .custom(type.type, data: data.view)
    }
}

/// Who and what is there, said outright.
package struct PlainDirectory: Directory {
    private let users: Set<Identifier>
    private let stories: Set<Identifier>

    package init(users: [String] = ["u1", "u2"], stories: [String] = ["s1"]) {
        self.users = Set(users.map(\.id))
        self.stories = Set(stories.map(\.id))
    }

    package func has(_ kind: Kind, _ id: Identifier) -> Bool {
        [Kind.users: users, .stories: stories][kind]?.contains(id) ?? false
    }

    package func category(of kind: Kind) -> String { Catalogue.standard[kind].category }
}
