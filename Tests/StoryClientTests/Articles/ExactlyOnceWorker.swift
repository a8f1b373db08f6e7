import StoryClient

/// Welcomes each user with one message, however often it is stopped or the connection lost.
func welcomeEveryUser(_ client: StoreClient, from host: String) async throws {
    let settings = CursorSettings(.category("user"), types: ["UserSignedUp"], attempts: 0)
    for try await job in client.cursors.worker("welcome", settings) {
        let user = String(job.event.stream.dropFirst("user-".count))
        let form = MessageForm(text: "Welcome!", sender: host, recipient: user)
        try await client.messages.post(form, key: "welcome-\(job.event.position)")
        try await job.append([try NewEvent("Welcomed", ["user": user])], to: "welcome-\(user)")
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
