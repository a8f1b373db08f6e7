/// The form of `POST users`.
package enum SignUpForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case id, name, email, prefecture }

    /// Reads the fields of the form.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<UserEvent>? {
        reader.takeGivenID(.id)
        let name = reader.required(.name, reader.line(.name, limit: UserLimits.name))
        let email = reader.required(.email, reader.email(.email))
        let prefecture = reader.required(
            .prefecture, reader.selection(.prefecture, of: UserLimits.prefecture), .notSelected)
        guard let name, let email, let prefecture else { return nil }
        return reader.command(.signedUp(UserSignedUp(name: name, email: email, prefecture: prefecture)))
    }
}

/// The form of `EDIT users/ID`.
package enum ReviseUserForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case name, email, prefecture }

    /// Reads the fields of the form.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<UserEvent>? {
        let event = UserRevised(
            name: reader.line(.name, limit: UserLimits.name), email: reader.email(.email),
            prefecture: reader.selection(.prefecture, of: UserLimits.prefecture))
        return reader.command(.revised(event))
    }
}

/// The limits of a user's fields.
package enum UserLimits {
    /// The maximum length of a name, in characters.
    package static let name = 50
    /// The numbers of the prefectures (JIS X 0401).
    package static let prefecture: ClosedRange<Int64> = 1...47
}

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
        name: "users", category: "user",
        fields: [
            FieldSchema("name", .text), FieldSchema("email", .text), FieldSchema("prefecture", .integer),
            FieldSchema("date", .date, label: "signed up"),
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
        writes: [
            WriteSchema(.post, SignUpForm.self, ContentCommand.user),
            WriteSchema(.edit, ReviseUserForm.self, ContentCommand.user),
        ],
        view: KindView(
            key: "2", title: "name", columns: ["date", "id", "name", "email"],
            links: [
                LinkSchema("o", "sent", to: .stories, where: "sender"),
                LinkSchema("i", "received", to: .stories, where: "recipient"),
                LinkSchema("m", "inbox", to: .messages, where: "recipient"),
                LinkSchema("M", "outbox", to: .messages, where: "sender"),
                LinkSchema("p", "photos", to: .photos, where: "owner"),
            ]), isOfUsers: true)

    private static func table(_ number: UInt8, _ name: String) -> ModelTable {
        ModelTable(number, name, of: "users")
    }
}
