import StoryCore
import Testing
import TestSupport

/// Which filters a schema may have.
struct FilterShapeTests {
    private static let fields = [
        FieldSchema("name", .name), FieldSchema("text", .text), FieldSchema("integer", .integer),
        FieldSchema("number", .number), FieldSchema("date", .date), FieldSchema("flag", .flag),
        FieldSchema("maybe", .date, isOptional: true), FieldSchema("decimal", .decimal, isOptional: true),
        FieldSchema("texts", .list(.text)), FieldSchema("times", .list(.time)), FieldSchema("map", .map(.text)),
    ]

    private func schema(_ filters: [FilterSchema], _ sorts: [String] = ["date"]) throws(SchemaError) -> KindSchema {
        let table = ModelTable(1, "t", of: "m")
        let declaration = KindDeclaration(
            name: "things", category: "thing", fields: FilterShapeTests.fields, events: [], filters: filters,
            sorts: sorts.map { SortSchema($0, $0, by: .field(4)) }, rows: table, numbers: table, counts: table)
        return try KindSchema(declaration, number: 0)
    }

    private func filter(_ test: FilterTest, _ limit: FilterLimit? = nil) -> FilterSchema {
        FilterSchema("f", test, "V", "a sentence", limit: limit)
    }

    @Test func `a filter's shape follows from its test, its field and its limit`() throws {
        let filters: [(FilterSchema, FilterShape)] = [
            (filter(.field(0)), .name), (filter(.pair(0, 0)), .pair),
            (filter(.folded(1), .text(maxCount: 3, noun: "a word")), .folded(maxCount: 3, noun: "a word")),
            (filter(.field(2)), .integer(.min ... .max, .outOfRange)),
            (filter(.field(2), .range(0...9)), .integer(0...9, .outOfRange)),
            (filter(.field(2), .selection(1...47)), .integer(1...47, .notSelected)), (filter(.field(3)), .number),
            (filter(.field(4)), .date), (filter(.field(5)), .flag), (filter(.unset(5)), .flag),
            (filter(.notBefore(4)), .date), (filter(.before(4)), .date), (filter(.before(6)), .date),
            (filter(.field(1), .text(maxCount: 3, noun: "a word")), .text(maxCount: 3, noun: "a word")),
            (filter(.field(7)), .decimal), (filter(.notBefore(7)), .decimal), (filter(.notBefore(5)), .flag),
            (filter(.contains(8), .text(maxCount: 3, noun: "a word")), .text(maxCount: 3, noun: "a word")),
            (filter(.contains(9)), .date),
        ]
        for (filter, shape) in filters { expect(try schema([filter]).filterShapes == [shape]) }
    }

    @Test func `a filter that does not go with its field or its limit is refused`() {
        let word = FilterLimit.text(maxCount: 3, noun: "a word")
        let filters = [
            filter(.field(1)), filter(.field(9)), filter(.pair(0, 1)), filter(.folded(1)),
            filter(.folded(0), word), filter(.folded(1), .range(0...1)), filter(.field(2), word),
            filter(.field(0), .range(0...1)), filter(.field(3), .selection(0...1)), filter(.unset(2)),
            filter(.unset(5), .range(0...1)), filter(.before(2)), filter(.before(4), word),
            filter(.contains(8)), filter(.contains(9), word), filter(.contains(10)), filter(.field(8), word),
            filter(.notBefore(1)), filter(.contains(1), word),
        ]
        for filter in filters { #expect(throws: SchemaError.self, "\(filter)") { try schema([filter]) } }
    }

    @Test func `a name is given once, filters are few enough to be counted in bits, and a list has an order`() {
        let one = filter(.field(0))
        let many = (0...KindDeclaration.maxFilterCount).map { FilterSchema("f\($0)", .field(0), "ID", "a sentence") }
        #expect(throws: SchemaError.self) { try schema([one, one]) }
        #expect(throws: SchemaError.self) { try schema(many) }
        #expect(throws: Never.self) { try schema(Array(many.dropLast())) }
        #expect(throws: SchemaError.self) { try schema([], []) }
        #expect(throws: SchemaError.self) { try schema([], ["date", "date"]) }
    }
}
