/// The form of `POST messages`.
package enum SendMessageForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case id, text, sender, recipient, story, date }

    /// Reads the fields of the form.
    package static func read(
        _ reader: inout FormReader<FieldID>, in directory: any Directory
    ) -> Command<MessageEvent>? {
        reader.takeGivenID(.id)
        let text = reader.required(.text, reader.text(.text, limit: MessageLimits.text))
        let sender = reader.required(.sender, reader.identifier(.sender, of: .users, in: directory))
        let recipient = reader.required(.recipient, reader.identifier(.recipient, of: .users, in: directory))
        let story = reader.identifier(.story, of: .stories, in: directory)
        let date = reader.date(.date)
        guard let text, let sender, let recipient else { return nil }
        let event = MessageSent(text: text, sender: sender, recipient: recipient, story: story, date: date)
        return reader.command(.sent(event))
    }
}

/// The limits of a message's fields.
package enum MessageLimits {
    /// The maximum length of a message's text, in characters.
    package static let text = 10_000
}

/// The declaration of the kind `messages`.
enum MessageSchema {
    /// The indexes of the fields.
    enum Field {
        static let text = 0
        static let sender = 1
        static let recipient = 2
        static let story = 3
        static let date = 4
        static let seen = 5
    }

    /// The indexes of the filters.
    private enum Filter {
        static let sender = 0
        static let recipient = 1
        static let story = 2
        static let between = 3
        static let unseen = 4
    }

    /// The schema's source: fields, events, filters, sorts and tables.
    static let declaration = KindDeclaration(
        name: "messages", category: "message",
        fields: [
            FieldSchema("text", .text, isSearched: true), FieldSchema("sender", .name, label: "from", role: .owner),
            FieldSchema("recipient", .name, label: "to", role: .receiver),
            FieldSchema("story", .name, isOptional: true, label: "about"), FieldSchema("date", .date),
            FieldSchema("seen", .flag),
        ],
        events: events, filters: filters, sorts: [SortSchema("date", "Date", by: .field(Field.date))],
        rows: table(70, "messages"), numbers: table(79, "messageIDs"),
        indexes: [
            IndexSchema(table(71, "messagesByDate"), by: .field(Field.date)),
            IndexSchema(table(72, "messagesBySenderDate"), [Filter.sender], by: .field(Field.date)),
            IndexSchema(table(73, "messagesByRecipientDate"), [Filter.recipient], by: .field(Field.date)),
            IndexSchema(table(74, "messagesByConversationDate"), [Filter.between], by: .field(Field.date)),
            IndexSchema(table(75, "messagesByStoryDate"), [Filter.story], by: .field(Field.date)),
            IndexSchema(table(76, "messagesUnseenByDate"), [Filter.unseen], by: .field(Field.date)),
            IndexSchema(
                table(77, "messagesUnseenByRecipientDate"), [Filter.recipient, Filter.unseen], by: .field(Field.date)),
        ],
        counts: table(78, "messageCounts"),
        tallies: [
            TallySchema(0, []), TallySchema(1, [Filter.sender]), TallySchema(2, [Filter.recipient]),
            TallySchema(3, [Filter.between]), TallySchema(4, [Filter.story]), TallySchema(5, [Filter.unseen]),
            TallySchema(6, [Filter.sender, Filter.recipient]), TallySchema(7, [Filter.between, Filter.unseen]),
            TallySchema(8, [Filter.recipient, Filter.unseen]), TallySchema(9, [Filter.sender, Filter.unseen]),
            TallySchema(10, [Filter.story, Filter.unseen]),
        ],
        writes: [
            WriteSchema(.post, SendMessageForm.self, ContentCommand.message),
            WriteSchema(.see, .message(Command(withoutFields: .seen))),
            WriteSchema(.delete, .message(Command(withoutFields: .deleted))),
        ],
        view: KindView(
            key: "3", columns: ["date", "sender", "recipient", "seen", "text"],
            links: [
                LinkSchema("u", "sender", to: .users, of: "sender"),
                LinkSchema("r", "recipient", to: .users, of: "recipient"),
                LinkSchema("c", "conversation", to: .messages, where: "between", of: ["sender", "recipient"]),
                LinkSchema("t", "story", to: .stories, of: "story"),
            ]))

    private static let events = [
        EventSchema(
            MessageEventType.sent, .creates,
            [
                .set(field: Field.text, from: "text"), .set(field: Field.sender, from: "sender"),
                .set(field: Field.recipient, from: "recipient"), .setIfGiven(field: Field.story, from: "story"),
                .setOrTime(field: Field.date, from: "date"),
            ]),
        EventSchema(MessageEventType.seen, .changes, [.setFlag(field: Field.seen, true)]),
        EventSchema(MessageEventType.deleted, .removes),
    ]

    private static let filters =
        [
            FilterSchema("sender", .field(Field.sender), "ID", "only those that this user sent"),
            FilterSchema("recipient", .field(Field.recipient), "ID", "only those that this user received"),
            FilterSchema("story", .field(Field.story), "ID", "only those about this story"),
            FilterSchema(
                "between", .pair(Field.sender, Field.recipient), "A,B", "only those between these two users, either way"
            ),
            FilterSchema(
                "unseen", .unset(Field.seen), "true|false", "only those that were not yet seen, or only those that were"
            ),
        ] + FilterSchema.bounds(of: Field.date)

    private static func table(_ number: UInt8, _ name: String) -> ModelTable {
        ModelTable(number, name, of: "messages")
    }
}
