import StoryClient

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
