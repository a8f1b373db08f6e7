import StoryClient

import struct FoundationEssentials.Date

/// The description of stories for their coordinator.
struct Stories: StoreKind {
    typealias Content = Story

    let category = "story"
    let firstSort = StorySort.date

    var columns: [ListColumn<Story>] {
        [
            .date("date") { $0.date },
            ListColumn("title", of: "title", width: .rest) { $0.title },
            .people("from", of: "sender") { $0.sender },
            .people("to", of: "recipient") { $0.recipient },
            ListColumn("likes", of: "likes", width: .whole(5)) { "\($0.likes)" },
        ]
    }

    func order(of sort: StorySort) -> Order {
        switch sort {
        case .date, .likes: .descending
        case .title, .sender, .recipient: .ascending
        }
    }

    func facts(of story: Story) -> [Fact] {
        [
            Fact("title", story.title), Fact("from", user: story.sender), Fact("to", user: story.recipient),
            Fact("date", Moments.told(story.date)), Fact("likes", "\(story.likes)"),
            Fact("version", "\(story.version), position \(story.position)"),
        ]
    }

    func text(of story: Story) -> String { story.message }

    var keys: [RowKey<Stories>] {
        [
            RowKey(key: "u", name: "sender") { story, _ in .open(.user(id: story.sender)) },
            RowKey(key: "r", name: "recipient") { story, _ in .open(.user(id: story.recipient)) },
            RowKey(key: "c", name: "conversation") { story, _ in .open(.conversation(story.sender, story.recipient)) },
            RowKey(key: "t", name: "talk") { story, _ in .open(.talk(about: story.id)) },
            RowKey(key: "l", name: "like") { _, user in user == nil ? .fill("like") : .write("like") },
            RowKey(key: "L", name: "unlike") { _, user in user == nil ? .fill("unlike") : .write("unlike") },
            RowKey(key: "d", name: "delete") { _, _ in .delete },
        ]
    }
}

// The forms.
extension Stories {
    func draft(
        for purpose: FormPurpose, of story: Story?, in filter: StoryFilter, by user: String?
    ) -> Draft? {
        switch purpose {
        case .new:
            Draft("a new story").field(StoryForm.Field.title, "title").field(StoryForm.Field.message, "message")
                .field(StoryForm.Field.sender, "from (user ID)", user ?? filter.sender ?? "", .user)
                .field(StoryForm.Field.recipient, "to (user ID)", filter.recipient ?? "", .user).begun()
        case .edit(let id, _):
            Draft("edit story \(id)").field(StoryEdit.Field.title, "title", story?.title ?? "")
                .field(StoryEdit.Field.message, "message", story?.message ?? "")
        case .delete(let id, _): Draft("delete story \(id)?")
        case .act(let name, let id):
            Draft("\(name) story \(id)").field(LikeForm.Field.user, "as user (ID)", user ?? "", .user)
        case .filter:
            Draft("filter stories").with("sender", "from (user ID)", filter.sender ?? "", .user)
                .with("recipient", "to (user ID)", filter.recipient ?? "", .user).bounds(filter.since, filter.until)
        }
    }

    func filter(_ draft: Draft, now: Date) throws -> StoryFilter {
        try draft.read { reader in
            StoryFilter(
                sender: reader.id("sender"), recipient: reader.id("recipient"), since: reader.moment("since", now),
                until: reader.moment("until", now))
        }
    }

    func submit(_ draft: Draft, for purpose: FormPurpose, to client: StoreClient) async -> Submission {
        switch purpose {
        case .new:
            await Submission.of(StoryForm.Field.self, "posted") { try await client.stories.post(form(draft)) }
        case .edit(let id, let version):
            await Submission.of(StoryEdit.Field.self, "revised") {
                let edit = StoryEdit(
                    title: draft.revised(StoryEdit.Field.title), message: draft.revised(StoryEdit.Field.message))
                return try await client.stories.edit(id, edit, version: version)
            }
        case .delete(let id, let version):
            await Submission.of(StoryEdit.Field.self, "deleted") {
                try await client.stories.delete(id, version: version)
            }
        case .act(let name, let id):
            await Submission.of(LikeForm.Field.self, name + "d") {
                try await write(name, to: id, by: draft.text(LikeForm.Field.user), client: client)
            }
        case .filter: .refused("a filter is not written")
        }
    }

    private func form(_ draft: Draft) -> StoryForm {
        StoryForm(
            title: draft.text(StoryForm.Field.title), message: draft.text(StoryForm.Field.message),
            sender: draft.text(StoryForm.Field.sender), recipient: draft.text(StoryForm.Field.recipient))
    }

    func write(
        _ action: String, to id: String, by user: String?, client: StoreClient
    ) async throws -> Receipt {
        if action == "unlike" { return try await client.stories.unlike(id, by: user ?? "") }
        return try await client.stories.like(id, by: user ?? "")
    }
}
