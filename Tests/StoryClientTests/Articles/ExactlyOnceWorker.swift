import StoryClient

/// How far the worker is, kept in the store itself.
struct Progress: Codable {
    let position: UInt64
    let log: String?
}

/// Welcomes each user with one message, however often it is stopped or the connection lost.
func welcomeEveryUser(_ client: StoreClient, from host: String) async throws {
    let last = try await client.read(.stream("worker-welcome"), order: .descending, limit: 1).rows.first
    let progress = try last?.data?.decode(Progress.self)
    let start = LogPoint.position((progress?.position ?? 0) + 1)
    var log = progress?.log

    let users = client.events(in: .category("user"), from: start, types: ["UserSignedUp"], log: log)
    for try await push in users.pushes {
        switch push {
        case .subscribed(let name): log = name
        case .event(let event):
            let user = String(event.stream.dropFirst("user-".count))
            let form = MessageForm(text: "Welcome!", sender: host, recipient: user)
            try await client.messages.post(form, key: "welcome-\(event.position)")
            let done = try NewEvent("Done", Progress(position: event.position, log: log))
            try await client.append(done, to: "worker-welcome", key: "welcomed-\(event.position)")
        case .caughtUp, .behind: break
        }
    }
}

/// Takes a step only if nobody else took one meanwhile.
func rename(_ client: StoreClient, story id: String, to title: String) async throws {
    while true {
        let story = try await client.stories.get(id)
        do {
            try await client.stories.edit(id, StoryEdit(title: title), version: story.version)
            return
        } catch ClientError.conflict {
            // Somebody revised or liked it since it was read: read it again, and decide again.
        }
    }
}

/// Takes a note, and waits for each answer no longer than the limit.
func takeNote(_ client: StoreClient, _ text: String, key: String, within limit: Duration) async throws {
    while true {
        do {
            try await client.within(limit).append(NewEvent("Noted", text), to: "note-1", key: key)
            return
        } catch ClientError.timedOut {
            // It may have been carried out. Sent again with its key it is done once all the same.
        }
    }
}
