import StoryClient

// Names of users, for the other coordinators.
extension Users {
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
