package import StoryCore

extension Catalogue {
    /// A kind that the store does not have, with a filter of every shape and a sort by a text: `coins`.
    package static func invented() throws(SchemaError) -> Catalogue { try Catalogue([.coins]) }
}

extension KindDeclaration {
    /// The kind `coins`.
    package static let coins = KindDeclaration(
        name: "coins", category: "coin", fields: fields, events: events, filters: filters,
        sorts: [SortSchema("weight", "Weight", by: .field(4)), SortSchema("motto", "Motto", by: .field(2))],
        rows: table(1), numbers: table(2),
        indexes: [
            IndexSchema(table(3), by: .field(4)), IndexSchema(table(9), by: .field(2)),
            IndexSchema(table(11), [0], by: .field(4)),
        ],
        counts: table(12), tallies: [TallySchema(0, []), TallySchema(1, [0])],
        writes: [
            WriteSchema(refused: .post, [FormFieldSchema(name: "motto", type: .line(limit: 9))]),
            WriteSchema(refused: .delete),
        ])

    private static let fields = [
        FieldSchema("mint", .name), FieldSchema("heir", .name), FieldSchema("motto", .text),
        FieldSchema("year", .integer), FieldSchema("weight", .number), FieldSchema("ratio", .fraction),
        FieldSchema("metal", .choice(["gold", "silver"])), FieldSchema("isWorn", .flag), FieldSchema("date", .date),
    ]

    private static let events = [
        EventSchema(
            "CoinStruck", .creates,
            fields.indices.filter { fields[$0].type != .flag }.map { .set(field: $0, from: fields[$0].name) }),
        EventSchema("CoinWorn", .changes, [.setFlag(field: 7, true)]),
    ]

    private static let filters =
        [
            FilterSchema("mint", .field(0), "ID", "only those of this mint"),
            FilterSchema("either", .pair(0, 1), "A,B", "only those of these two"),
            FilterSchema(
                "motto", .folded(2), "TEXT", "only those with this motto", limit: .text(maxCount: 9, noun: "a motto")),
            FilterSchema("year", .field(3), "N", "only those of this year", limit: .range(-753...2_100)),
            FilterSchema("century", .field(3), "N", "only those of this year", limit: .selection(100...2_000)),
            FilterSchema("anyYear", .field(3), "N", "only those of this year"),
            FilterSchema("weight", .field(4), "GRAMS", "only those of this weight"),
            FilterSchema("ratio", .field(5), "A/B", "only those as fine"),
            FilterSchema("metal", .field(6), "METAL", "only those of this metal"),
            FilterSchema("worn", .field(7), "true|false", "only those that are worn, or only those that are not"),
            FilterSchema("mintFresh", .unset(7), "true|false", "only those that are not worn, or only those that are"),
            FilterSchema("struckAtExactlyThisMoment", .field(8), "TIME", "only those of this moment"),
        ] + FilterSchema.bounds(of: 8)

    private static func table(_ number: UInt8) -> ModelTable { ModelTable(200 + number, "coins\(number)", of: "coins") }
}
