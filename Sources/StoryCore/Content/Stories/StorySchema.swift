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
        name: "stories", category: "story", verbs: [.edit, .like, .unlike, .delete],
        fields: [
            FieldSchema("title", .text), FieldSchema("message", .text), FieldSchema("sender", .name),
            FieldSchema("recipient", .name), FieldSchema("date", .date), FieldSchema("likes", .integer),
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
        ], commands: { Command<StoryEvent>.made(by: $0, in: $1)?.map(ContentCommand.story) })

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
