package import StoryCore

/// Kinds that number their rows themselves and are folded from the users' own events.
extension KindDeclaration {
    /// Books on shelves: several rows an event, keys of two parts, a list of texts.
    package static let books = KindDeclaration(
        name: "books", category: "shelf", numbering: .counter, keys: .parts(2),
        fields: [
            FieldSchema("title", .text, isOptional: true), FieldSchema("loans", .integer),
            FieldSchema("subjects", .list(.text)),
        ],
        events: [
            EventSchema(
                "BooksShelved", .creates,
                [.setIfGiven(field: 0, from: "title"), .setIfGiven(field: 2, from: "subjects")],
                of: .each(["room", "books"])),
            EventSchema("BookLent", .changes, [.add(field: 1, 1)], of: .named(["room", "book"])),
            EventSchema("BooksTaken", .removes, of: .each(["room", "books"])),
        ],
        filters: [
            FilterSchema(
                "subject", .contains(2), "TEXT", "only those on this subject",
                limit: .text(maxCount: 64, noun: "a subject")),
            FilterSchema("loans", .field(1), "N", "only those lent so often"),
        ],
        sorts: [SortSchema("loans", "Loans", by: .field(1)), SortSchema("title", "Title", by: .field(0))],
        rows: table(1, "books"), numbers: table(2, "books"),
        indexes: [
            IndexSchema(table(3, "books"), by: .field(1)), IndexSchema(table(4, "books"), by: .field(0)),
            IndexSchema(table(5, "books"), [1], by: .field(1)),
        ],
        counts: table(6, "books"), tallies: [TallySchema(0, []), TallySchema(1, [1])])

    /// Meters: each row is of one stream.
    package static let meters = KindDeclaration(
        name: "meters", category: "meter", numbering: .counter, keys: .parts(1),
        fields: [FieldSchema("reading", .integer)],
        events: [
            EventSchema("MeterRead", .creates, [.set(field: 0, from: "reading")]),
            EventSchema("MeterRemoved", .removes),
        ],
        sorts: [SortSchema("reading", "Reading", by: .field(0))],
        rows: table(11, "meters"), numbers: table(12, "meters"),
        indexes: [IndexSchema(table(13, "meters"), by: .field(0))],
        counts: table(14, "meters"), tallies: [TallySchema(0, [])])

    private static func table(_ number: UInt8, _ model: String) -> ModelTable {
        ModelTable(150 + number, "\(model)\(number)", of: model)
    }
}
