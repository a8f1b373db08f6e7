import StoryClient

/// The stories that a user received, as they are now.
actor Inbox {
    private(set) var stories: [String: Story] = [:]
    private(set) var isComplete = false
    /// The IDs that came since the list began again.
    private var listed: Set<String> = []

    func follow(_ client: StoreClient, recipient: String) async throws {
        for try await change in client.stories.live(StoryFilter(recipient: recipient)) {
            switch change {
            case .restarted:
                isComplete = false
                listed = []
            case .row(let story, _):
                stories[story.id] = story
                listed.insert(story.id)
            case .removed(let id, _):
                stories[id] = nil
            case .caughtUp:
                if !isComplete { stories = stories.filter { listed.contains($0.key) } }
                isComplete = true
            }
        }
    }
}

func showInbox(_ client: StoreClient) async throws {
    let inbox = Inbox()
    let following = Task { try await inbox.follow(client, recipient: "noor") }
    try await Task.sleep(for: .seconds(1))
    for story in await inbox.stories.values { print(story.title) }
    following.cancel()
}

func watchOne(_ client: StoreClient, _ id: String) async throws {
    for try await change in client.stories.watch(id) {
        switch change {
        case .row(let story, _): print("\(story.title) has \(story.likes) likes")
        case .absent: return print("it is gone")
        case .restarted, .caughtUp: break
        }
    }
}
