package import StoryCore

/// What clients fill in: good forms, for a test to spoil or to send.
package enum Fields {
    package static func user(
        _ id: String? = nil, name: String = "Aki", email: String? = nil, prefecture: Int64 = 13
    ) -> FormFields {
        let email = email ?? "\(id ?? "nobody")@example.org"
        return given(id) + .of(["name": .string(name), "email": .string(email), "prefecture": .integer(prefecture)])
    }

    package static func story(
        _ id: String? = nil, title: String = "A title", message: String = "Once", from sender: String = "u1",
        to recipient: String = "u2", date: String? = nil
    ) -> FormFields {
        given(id) + given(date, as: "date")
            + .of([
                "title": .string(title), "message": .string(message), "sender": .string(sender),
                "recipient": .string(recipient),
            ])
    }

    package static func message(
        _ id: String? = nil, text: String = "Hello", from sender: String = "u1", to recipient: String = "u2",
        about story: String? = nil, date: String? = nil
    ) -> FormFields {
        given(id) + given(story, as: "story") + given(date, as: "date")
            + .of(["text": .string(text), "sender": .string(sender), "recipient": .string(recipient)])
    }

    package static func photo(
        _ id: String? = nil, owner: String = "u1", iso: Double = 400, exposureValue: Double = 0,
        duration: String = "1/125", date: String? = nil
    ) -> FormFields {
        given(id) + given(date, as: "date")
            + .of([
                "owner": .string(owner), "iso": .number(iso), "exposureValue": .number(exposureValue),
                "exposureDuration": .string(duration),
            ])
    }

    private static func given(_ text: String?, as name: String = "id") -> FormFields {
        text.map { [JSONMember(name, .string($0))] } ?? []
    }
}

/// Writes with good forms.
extension RequestAction {
    package static func postUser(
        _ id: String, name: String = "Aki", email: String? = nil, prefecture: Int64 = 13
    ) -> RequestAction {
        .post(.users, Fields.user(id, name: name, email: email, prefecture: prefecture), WriteOptions())
    }

    package static func postStory(
        _ id: String, title: String = "A title", from sender: String = "u1", to recipient: String = "u2",
        date: String? = nil
    ) -> RequestAction {
        .post(.stories, Fields.story(id, title: title, from: sender, to: recipient, date: date), WriteOptions())
    }

    package static func postMessage(
        _ id: String, from sender: String = "u1", to recipient: String = "u2", about story: String? = nil,
        date: String? = nil
    ) -> RequestAction {
        let fields = Fields.message(id, from: sender, to: recipient, about: story, date: date)
        return .post(.messages, fields, WriteOptions())
    }

    package static func postPhoto(_ id: String, owner: String = "u1") -> RequestAction {
        .post(.photos, Fields.photo(id, owner: owner), WriteOptions())
    }

    package static func append(
        _ stream: String, _ types: String..., version: UInt64? = nil, key: String? = nil
    ) -> RequestAction {
        let proposals = types.map { EventProposal(type: $0.type, data: "{}".view, meta: nil) }
        return .append(stream.stream, proposals, WriteOptions(key: key?.key, version: version.map(Version.init)))
    }

    package static func getting(_ kind: Kind, _ id: String, at moment: Moment? = nil) -> RequestAction {
        .get(kind, id.id, at: moment)
    }

    package static func listing(
        _ kind: Kind, _ filters: [PlainFilter] = [], sort: PlainSort = .date, order: Order = .descending,
        limit: Int = 50,
        after: [UInt8]? = nil
    ) -> RequestAction {
        PlainQuery(kind: kind, filters: filters, sort: sort, order: order, limit: limit, after: after).list
    }

    package static func counting(_ kind: Kind, _ filters: [PlainFilter]) -> RequestAction {
        .count(kind, filters.map { $0.condition(of: kind) })
    }
}
