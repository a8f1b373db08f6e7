/// The form of `POST stories`.
package enum PostStoryForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case id, title, message, sender, recipient, date }

    /// Reads the fields of the form.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<StoryEvent>? {
        reader.takeGivenID(.id)
        let title = reader.required(.title, reader.line(.title, limit: StoryLimits.title))
        let message = reader.required(.message, reader.text(.message, limit: StoryLimits.message))
        let sender = reader.required(.sender, reader.identifier(.sender, of: .users, in: directory))
        let recipient = reader.required(.recipient, reader.identifier(.recipient, of: .users, in: directory))
        let date = reader.date(.date)
        guard let title, let message, let sender, let recipient else { return nil }
        let event = StoryPosted(title: title, message: message, sender: sender, recipient: recipient, date: date)
        return reader.command(.posted(event))
    }
}

/// The form of `EDIT stories/ID`.
package enum ReviseStoryForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case title, message }

    /// Reads the fields of the form.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<StoryEvent>? {
        let event = StoryRevised(
            title: reader.line(.title, limit: StoryLimits.title),
            message: reader.text(.message, limit: StoryLimits.message))
        return reader.command(.revised(event))
    }
}

/// The form of `LIKE stories/ID`.
package enum LikeForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case user }

    /// Reads the ID of the user who likes the story.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<StoryEvent>? {
        guard let user = reader.liker(in: directory) else { return nil }
        return reader.command(.liked(by: user))
    }
}

/// The form of `UNLIKE stories/ID`.
package enum UnlikeForm: Form {
    /// The fields of the form.
    package typealias FieldID = LikeForm.FieldID

    /// Reads the ID of the user who likes the story no longer.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<StoryEvent>? {
        guard let user = reader.liker(in: directory) else { return nil }
        return reader.command(.unliked(by: user))
    }
}

extension FormReader<LikeForm.FieldID> {
    fileprivate mutating func liker(in directory: any Directory) -> Identifier? {
        required(.user, identifier(.user, of: .users, in: directory))
    }
}

/// The limits of a story's fields.
package enum StoryLimits {
    /// The maximum length of a title, in characters.
    package static let title = 120
    /// The maximum length of a story's message, in characters.
    package static let message = 10_000
}

/// The declaration of the kind `stories`.
enum StorySchema {
    /// The indexes of the fields.
    enum Field {
        static let title = 0
        static let message = 1
        static let sender = 2
        static let recipient = 3
        static let date = 4
        static let likes = 5
    }

    /// The indexes of the filters.
    private enum Filter {
        static let sender = 0
        static let recipient = 1
    }

    /// The set of stories and the users who like them. The entries of a deleted story remain; no request can reach them.
    static let likes = ModelTable(60, "likes", of: "likes")

    /// The schema's source: fields, events, filters, sorts and tables.
    static let declaration = KindDeclaration(
        name: "stories", category: "story",
        fields: [
            FieldSchema("title", .text, isSearched: true), FieldSchema("message", .text, isSearched: true),
            FieldSchema("sender", .name, label: "from", role: .owner),
            FieldSchema("recipient", .name, label: "to", role: .receiver),
            FieldSchema("date", .date), FieldSchema("likes", .integer),
        ],
        events: events,
        filters: [
            FilterSchema("sender", .field(Field.sender), "ID", "only those that this user sent"),
            FilterSchema("recipient", .field(Field.recipient), "ID", "only those that this user received"),
        ] + FilterSchema.bounds(of: Field.date),
        sorts: [
            SortSchema("date", "Date", by: .field(Field.date)), SortSchema("title", "Title", by: .field(Field.title)),
            SortSchema("likes", "Likes", by: .field(Field.likes)),
            SortSchema("sender", "Sender", by: .field(Field.sender)),
            SortSchema("recipient", "Recipient", by: .field(Field.recipient)),
        ],
        rows: table(40, "stories"), numbers: table(50, "storyIDs"),
        indexes: [
            IndexSchema(table(41, "storiesByDate"), by: .field(Field.date)),
            IndexSchema(table(42, "storiesByTitle"), by: .field(Field.title)),
            IndexSchema(table(43, "storiesByLikes"), by: .field(Field.likes)),
            IndexSchema(table(44, "storiesBySender"), by: .field(Field.sender)),
            IndexSchema(table(45, "storiesByRecipient"), by: .field(Field.recipient)),
            IndexSchema(table(46, "storiesBySenderDate"), [Filter.sender], by: .field(Field.date)),
            IndexSchema(table(47, "storiesByRecipientDate"), [Filter.recipient], by: .field(Field.date)),
        ],
        counts: table(49, "storyCounts"),
        tallies: [
            TallySchema(0, []), TallySchema(1, [Filter.sender]), TallySchema(2, [Filter.recipient]),
            TallySchema(3, [Filter.sender, Filter.recipient]),
        ],
        writes: [
            WriteSchema(.post, PostStoryForm.self, ContentCommand.story),
            WriteSchema(.edit, ReviseStoryForm.self, ContentCommand.story),
            WriteSchema(.like, LikeForm.self, ContentCommand.story),
            WriteSchema(.unlike, UnlikeForm.self, ContentCommand.story),
            WriteSchema(.delete, .story(Command(withoutFields: .deleted))),
        ],
        view: KindView(
            key: "1", title: "title", columns: ["date", "title", "sender", "recipient", "likes"],
            links: [
                LinkSchema("u", "sender", to: .users, of: "sender"),
                LinkSchema("r", "recipient", to: .users, of: "recipient"),
                LinkSchema("c", "conversation", to: .messages, where: "between", of: ["sender", "recipient"]),
                LinkSchema("t", "talk", to: .messages, where: "story"),
            ]))

    private static let events = [
        EventSchema(
            StoryEventType.posted, .creates,
            [
                .set(field: Field.title, from: "title"), .set(field: Field.message, from: "message"),
                .set(field: Field.sender, from: "sender"), .set(field: Field.recipient, from: "recipient"),
                .setOrTime(field: Field.date, from: "date"),
            ]),
        EventSchema(
            StoryEventType.liked, .changes, [.add(field: Field.likes, 1)],
            membership: MembershipChange(table: likes, member: "user", isPut: true)),
        EventSchema(
            StoryEventType.unliked, .changes, [.add(field: Field.likes, -1)],
            membership: MembershipChange(table: likes, member: "user", isPut: false)),
        EventSchema(
            StoryEventType.revised, .changes,
            [.setIfGiven(field: Field.title, from: "title"), .setIfGiven(field: Field.message, from: "message")]),
        EventSchema(StoryEventType.deleted, .removes),
    ]

    private static func table(_ number: UInt8, _ name: String) -> ModelTable {
        ModelTable(number, name, of: "stories")
    }
}
