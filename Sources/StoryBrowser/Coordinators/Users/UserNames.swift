import StoryClient

// What others are told of users: their names.
extension Users {
    /// What users are called; nil for those who cannot be had.
    static func names(of ids: [String], from client: StoreClient) async -> [String: String?] {
        await withTaskGroup(of: (String, String?).self) { group in
            for id in ids { group.addTask { (id, try? await client.users.get(id).name) } }
            return await group.reduce(into: [:]) { $0[$1.0] = .some($1.1) }
        }
    }

    /// Each revision of a user from now on.
    static func revisions(from client: StoreClient) -> EventSubscription {
        client.events(in: .category(category), types: ["UserRevised"])
    }

    /// The ID of the user whom an event is about.
    static func id(of event: Event) -> String { String(event.stream.dropFirst(category.count + 1)) }
}
