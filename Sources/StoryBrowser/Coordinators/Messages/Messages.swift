import StoryClient

import struct FoundationEssentials.Date

/// The description of messages for their coordinator.
struct Messages: StoreKind {
    typealias Content = Message

    let category = "message"
    let firstSort = MessageSort.date

    var columns: [ListColumn<Message>] {
        [
            .date("date") { $0.date },
            .people("from", of: "sender") { $0.sender },
            .people("to", of: "recipient") { $0.recipient },
            ListColumn("seen", of: "seen", width: .whole(4)) { $0.seen ? "yes" : "no" },
            ListColumn("text", of: "text", width: .rest) { $0.text },
        ]
    }

    func facts(of message: Message) -> [Fact] {
        [
            Fact("from", user: message.sender), Fact("to", user: message.recipient),
            Fact("about", message.story ?? "–"),
            Fact("date", Moments.told(message.date)), Fact("seen", message.seen ? "yes" : "no"),
            Fact("version", "\(message.version), position \(message.position)"),
        ]
    }

    func text(of message: Message) -> String { message.text }

    var keys: [RowKey<Messages>] {
        [
            RowKey(key: "v", name: "see") { message, _ in message.seen ? nil : .write("see") },
            RowKey(key: "u", name: "sender") { message, _ in .open(.user(id: message.sender)) },
            RowKey(key: "r", name: "recipient") { message, _ in .open(.user(id: message.recipient)) },
            RowKey(key: "c", name: "conversation") { message, _ in
                .open(.conversation(message.sender, message.recipient))
            },
            RowKey(key: "t", name: "story") { message, _ in message.story.map { .open(.story(id: $0)) } },
            RowKey(key: "d", name: "delete") { _, _ in .delete },
        ]
    }

    func turn(of filter: MessageFilter) -> ListTurn<MessageFilter>? {
        guard filter.story == nil, filter.between == nil else { return nil }
        var other = filter
        (other.sender, other.recipient) = (filter.recipient, filter.sender)
        switch (filter.sender, filter.recipient) {
        case (nil, .some): return ListTurn(key: "M", name: "outbox", filter: other)
        case (.some, nil): return ListTurn(key: "m", name: "inbox", filter: other)
        case (nil, nil), (.some, .some): return nil
        }
    }
}

// The forms.
extension Messages {
    func draft(
        for purpose: FormPurpose, of message: Message?, in filter: MessageFilter, by user: String?
    ) -> Draft? {
        switch purpose {
        case .new:
            let sender = user ?? filter.sender ?? filter.between?.one ?? ""
            let between = filter.between.map { $0.one == sender ? $0.other : $0.one }
            return Draft("a new message").field(MessageForm.Field.text, "text")
                .field(MessageForm.Field.sender, "from (user ID)", sender, .user)
                .field(MessageForm.Field.recipient, "to (user ID)", filter.recipient ?? between ?? "", .user)
                .field(MessageForm.Field.story, "about (story ID)", filter.story ?? "")
        case .filter:
            let between = filter.between.map { "\($0.one),\($0.other)" } ?? ""
            return Draft("filter messages").with("sender", "from (user ID)", filter.sender ?? "", .user)
                .with("recipient", "to (user ID)", filter.recipient ?? "", .user)
                .with("between", "between (ID,ID)", between, .twoUsers).with(
                    "story", "about (story ID)", filter.story ?? ""
                )
                .with("unseen", "unseen (yes, no)", filter.unseen.map { $0 ? "yes" : "no" } ?? "")
                .bounds(filter.since, filter.until)
        case .delete(let id, _): return Draft("delete message \(id)?")
        case .edit, .act: return nil
        }
    }

    func filter(_ draft: Draft, now: Date) throws -> MessageFilter {
        try draft.read { reader in
            MessageFilter(
                sender: reader.id("sender"), recipient: reader.id("recipient"), story: reader.id("story"),
                between: reader.value("between", "two IDs with a comma between", pair),
                unseen: reader.value("unseen", "yes or no", TypedFlag.read),
                since: reader.moment("since", now), until: reader.moment("until", now))
        }
    }

    private func pair(_ text: String) -> MessageFilter.Pair? {
        let ids = text.split(separator: ",", omittingEmptySubsequences: false).map { ContentID($0) }
        guard ids.count == 2, let one = ids[0], let other = ids[1] else { return nil }
        return MessageFilter.Pair(one.text, other.text)
    }

    func submit(_ draft: Draft, for purpose: FormPurpose, to client: StoreClient) async -> Submission {
        switch purpose {
        case .new:
            await Submission.of(MessageForm.Field.self, "sent") { try await client.messages.post(form(draft)) }
        case .delete(let id, let version):
            await Submission.of(MessageForm.Field.self, "deleted") {
                try await client.messages.delete(id, version: version)
            }
        case .edit, .act, .filter: .refused("messages have no such form")
        }
    }

    private func form(_ draft: Draft) -> MessageForm {
        MessageForm(
            text: draft.text(MessageForm.Field.text), sender: draft.text(MessageForm.Field.sender),
            recipient: draft.text(MessageForm.Field.recipient), story: draft.optional(MessageForm.Field.story))
    }

    func write(
        _ action: String, to id: String, by user: String?, client: StoreClient
    ) async throws -> Receipt { try await client.messages.see(id) }
}
