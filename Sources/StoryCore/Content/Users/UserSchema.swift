/// The declaration of the kind `users`.
enum UserSchema {
    /// The indexes of the fields.
    enum Field {
        static let name = 0
        static let email = 1
        static let prefecture = 2
        static let date = 3
    }

    /// The indexes of the filters.
    private enum Filter { static let prefecture = 0 }

    /// The schema's source: fields, events, filters, sorts and tables.
    static let declaration = KindDeclaration(
        name: "users", category: "user", verbs: [.edit],
        fields: [
            FieldSchema("name", .text), FieldSchema("email", .text), FieldSchema("prefecture", .integer),
            FieldSchema("date", .date),
        ],
        events: [
            EventSchema(
                UserEventType.signedUp, .creates,
                [
                    .set(field: Field.name, from: "name"), .set(field: Field.email, from: "email"),
                    .set(field: Field.prefecture, from: "prefecture"), .setTime(field: Field.date),
                ]),
            EventSchema(
                UserEventType.revised, .changes,
                [
                    .setIfGiven(field: Field.name, from: "name"), .setIfGiven(field: Field.email, from: "email"),
                    .setIfGiven(field: Field.prefecture, from: "prefecture"),
                ]),
        ],
        filters: [
            FilterSchema(
                "prefecture", .field(Field.prefecture), "N", "only users of this prefecture, 1–47",
                limit: .selection(UserLimits.prefecture)),
            FilterSchema(
                "email", .folded(Field.email), "E", "only the user with this address, case ignored",
                limit: .text(maxCount: EmailAddress.maxCount, noun: "an email address")),
        ] + FilterSchema.bounds(of: Field.date),
        sorts: [
            SortSchema("date", "Date", by: .field(Field.date)), SortSchema("name", "Name", by: .field(Field.name)),
            SortSchema("email", "Email", by: .folded(Field.email)),
        ],
        rows: table(20, "users"), numbers: table(29, "userIDs"),
        indexes: [
            IndexSchema(table(22, "usersByDate"), by: .field(Field.date)),
            IndexSchema(table(23, "usersByName"), by: .field(Field.name)),
            IndexSchema(table(24, "usersByEmail"), by: .folded(Field.email)),
            IndexSchema(table(25, "usersByPrefectureDate"), [Filter.prefecture], by: .field(Field.date)),
            IndexSchema(table(26, "usersByPrefectureName"), [Filter.prefecture], by: .field(Field.name)),
            IndexSchema(table(27, "usersByPrefectureEmail"), [Filter.prefecture], by: .folded(Field.email)),
        ],
        counts: table(28, "userCounts"), tallies: [TallySchema(0, []), TallySchema(1, [Filter.prefecture])],
        unique: UniqueSchema(table: table(21, "userEmails"), field: Field.email),
        commands: { Command<UserEvent>.made(by: $0, in: $1)?.map(ContentCommand.user) })

    private static func table(_ number: UInt8, _ name: String) -> ModelTable {
        ModelTable(number, name, of: "users")
    }
}
