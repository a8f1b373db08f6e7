import StoryClient

import struct FoundationEssentials.Date

/// The description of users for their coordinator.
struct Users: StoreKind {
    typealias Content = User

    let category = "user"
    let firstSort = UserSort.date

    var columns: [ListColumn<User>] {
        [
            .date("signed up") { $0.date },
            ListColumn("id", of: "id", width: .name(12)) { $0.id },
            ListColumn("name", of: "name", width: .rest) { $0.name },
            ListColumn("email", of: "email", width: .rest) { $0.email },
        ]
    }

    func order(of sort: UserSort) -> Order {
        switch sort {
        case .date: .descending
        case .name, .email: .ascending
        }
    }

    func facts(of user: User) -> [Fact] {
        [
            Fact("name", user.name), Fact("email", user.email), Fact("prefecture", "\(user.prefecture)"),
            Fact("signed up", Moments.told(user.date)), Fact("version", "\(user.version), position \(user.position)"),
        ]
    }

    var keys: [RowKey<Users>] {
        [
            RowKey(key: "o", name: "sent") { user, _ in .open(.sent(by: user.id)) },
            RowKey(key: "i", name: "received") { user, _ in .open(.received(by: user.id)) },
            RowKey(key: "m", name: "inbox") { user, _ in .open(.inbox(of: user.id)) },
            RowKey(key: "M", name: "outbox") { user, _ in .open(.outbox(of: user.id)) },
            RowKey(key: "p", name: "photos") { user, _ in .open(.album(of: user.id)) },
        ]
    }
}

// The forms.
extension Users {
    func draft(
        for purpose: FormPurpose, of user: User?, in filter: UserFilter, by actor: String?
    ) -> Draft? {
        switch purpose {
        case .new:
            Draft("a new user").field(UserForm.Field.id, "ID (or empty)").field(UserForm.Field.name, "name")
                .field(UserForm.Field.email, "email").field(UserForm.Field.prefecture, "prefecture (1–47)")
        case .edit(let id, _):
            Draft("edit user \(id)").field(UserEdit.Field.name, "name", user?.name ?? "")
                .field(UserEdit.Field.email, "email", user?.email ?? "")
                .field(UserEdit.Field.prefecture, "prefecture (1–47)", user.map { "\($0.prefecture)" } ?? "")
        case .filter:
            Draft("filter users").with("prefecture", "prefecture (1–47)", filter.prefecture.map { "\($0)" } ?? "")
                .with("email", "email", filter.email ?? "").bounds(filter.since, filter.until)
        case .act, .delete: nil
        }
    }

    func filter(_ draft: Draft, now: Date) throws -> UserFilter {
        try draft.read { reader in
            UserFilter(
                prefecture: reader.value("prefecture", "a number") { Int($0) }, email: draft.optional("email"),
                since: reader.moment("since", now), until: reader.moment("until", now))
        }
    }

    func submit(_ draft: Draft, for purpose: FormPurpose, to client: StoreClient) async -> Submission {
        switch purpose {
        case .new:
            await Submission.of(UserForm.Field.self, "signed up") { try await client.users.post(form(draft)) }
        case .edit(let id, let version):
            await Submission.of(UserEdit.Field.self, "revised") {
                try await client.users.edit(id, edit(draft), version: version)
            }
        case .act, .delete, .filter: .refused("users have no such form")
        }
    }

    private func form(_ draft: Draft) throws -> UserForm {
        typealias Field = UserForm.Field
        return try draft.read { reader in
            UserForm(
                id: draft.optional(Field.id), name: draft.text(Field.name), email: draft.text(Field.email),
                prefecture: reader.required(Field.prefecture.rawValue, "a number", or: 0) { Int($0) })
        }
    }

    private func edit(_ draft: Draft) throws -> UserEdit {
        let prefecture = try draft.read { reader in
            reader.required(UserEdit.Field.prefecture.rawValue, "a number", or: 0) { Int($0) }
        }
        let isRevised = draft.revised(UserEdit.Field.prefecture) != nil
        return UserEdit(
            name: draft.revised(UserEdit.Field.name), email: draft.revised(UserEdit.Field.email),
            prefecture: isRevised ? prefecture : nil)
    }
}

// The search for users by what people know of them, and the names of users, for the other coordinators.
extension Users {
    private static let foundLimit = 20
    /// The most pages of users, in the order of their names, that a search looks at.
    private static let pageLimit = 10
    private static let pageSize = 1_000

    /// Returns the user with a text as the ID, else the users whose name, a later word of it, address or ID begins with
    /// the text, whatever its case. A store that does not answer has none.
    func find(_ text: String, from client: StoreClient) async -> FoundPeople {
        var found = FoundPeople(text: text)
        if let user = try? await client.users.get(text) {
            found.exact = person(user)
            return found
        }
        // The address is found also of a user who is not among the first by name.
        if text.contains("@"), let page = try? await client.users.list(UserFilter(email: text), limit: 1) {
            found.people = page.rows.map(person)
        }
        var after: String?
        for _ in 0..<Users.pageLimit where found.people.count < Users.foundLimit {
            let page = try? await client.users.list(
                UserFilter(), sort: .name, order: .ascending, limit: Users.pageSize, after: after)
            guard let page else { break }
            found.people += page.rows.filter { begins($0, with: text.lowercased()) }.map(person)
                .filter { !found.people.contains($0) }
            after = page.next
            if after == nil { break }
        }
        found.people = Array(found.people.prefix(Users.foundLimit))
        return found
    }

    private func begins(_ user: User, with text: String) -> Bool {
        user.email.lowercased().hasPrefix(text) || user.id.lowercased().hasPrefix(text)
            || (" " + user.name.lowercased()).contains(" " + text)
    }

    private func person(_ user: User) -> Person { Person(id: user.id, name: user.name, email: user.email) }

    /// Returns the names of users; nil for those that could not be read.
    func names(of ids: [String], from client: StoreClient) async -> [String: String?] {
        await withTaskGroup(of: (String, String?).self) { group in
            for id in ids { group.addTask { (id, try? await client.users.get(id).name) } }
            return await group.reduce(into: [:]) { $0[$1.0] = .some($1.1) }
        }
    }

    /// Returns a subscription to each revision of a user from now on.
    func revisions(from client: StoreClient) -> EventSubscription {
        client.events(in: .category(category), types: ["UserRevised"])
    }

    /// Returns the ID of the user that an event belongs to.
    func id(of event: Event) -> String { String(event.stream.dropFirst(category.count + 1)) }
}
