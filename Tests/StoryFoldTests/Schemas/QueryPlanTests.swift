import StoryCore
import StoryStorage
import StoryWire
import Testing
import TestSupport

@testable import StoryFold
@testable import StoryStore

/// Lists and counts found by plans beside those found by looking at every row.
struct QueryPlanTests {
    private let plan = CataloguePlan(.standard)
    private let store = MemoryModelStore()
    private let rows: PlainRows

    init() throws {
        let log = RandomLog(seed: 77, count: 1_200).events
        let projector = ModelProjector(plan, store: store, json: JSONObjectReader())
        for event in log { try event.withRecord { try projector.fold($0) } }
        let decoder = PlainDecoder()
        rows = PlainRows(log.map { $0.decoded(decoder) })
    }

    private func schema(_ name: String) throws -> KindSchema {
        try require(plan.catalogue.kinds.first { $0.name == name })
    }

    private static let queries: [(Kind, String, [PlainFilter])] = [
        (.stories, "stories", []), (.stories, "stories", [.sender("u1".id)]),
        (.stories, "stories", [.recipient("u2".id)]), (.stories, "stories", [.recipient("u2".id), .sender("u1".id)]),
        (.stories, "stories", [.sender("nobody".id)]), (.users, "users", [.prefecture(13)]),
        (.users, "users", [.email("aki@x.org".bytes)]), (.users, "users", [.email("ken@x.org".bytes), .prefecture(1)]),
        (.photos, "photos", [.owner("u3".id)]), (.messages, "messages", [.between("u1".id, "u2".id)]),
        (.messages, "messages", [.between("u2".id, "u2".id), .unseen(true)]), (.messages, "messages", [.unseen(false)]),
        (.messages, "messages", [.sender("u1".id), .recipient("u2".id)]),
        (.messages, "messages", [.sender("u1".id), .recipient("u2".id), .unseen(true)]),
        (.messages, "messages", [.sender("u1".id), .unseen(false)]), (.messages, "messages", [.story("s1".id)]),
        (.messages, "messages", [.story("s1".id), .unseen(false)]),
        (.messages, "messages", [.between("u1".id, "u2".id), .sender("u2".id), .story("s2".id)]),
        (.stories, "stories", [.since(date)]), (.stories, "stories", [.until(date), .sender("u1".id)]),
        (.messages, "messages", [.until(date), .since(early), .unseen(true)]),
        (.photos, "photos", [.since(date), .until(date)]), (.photos, "photos", [.since(late), .owner("u3".id)]),
        (.users, "users", [.since(late), .until(early)]), (.stories, "stories", [.until(farOff)]),
    ]
    private static let date = Instant(milliseconds: 1_800_001_000_000)
    private static let early = "2026-01-02T03:04:05.678Z".instant
    private static let late = Instant(milliseconds: 1_800_002_000_000)
    private static let farOff = "9999-12-31T23:59:59.999Z".instant

    @Test(arguments: queries.indices) func `a count is the number of rows that pass`(_ number: Int) throws {
        let (kind, name, filters) = QueryPlanTests.queries[number]
        let schema = try schema(name)
        let conditions = filters.map { $0.condition(of: kind) }
        let expected = PlainList.rows(rows.rows(kind), filters, .date, .ascending).count
        let lookup = RowLookup(store)
        switch QueryPlan(schema, conditions).count {
        case .tally(let key, let less):
            let all = try lookup.tally(schema, at: key)
            expect(Int(all - (try less.map { try lookup.tally(schema, at: $0) } ?? 0)) == expected)
        case .unique(let text, let rest):
            var count = 0
            try lookup.row(schema, folded: text) { row in if rest.allSatisfy({ $0.matches(row) }) { count += 1 } }
            // Of several users with one address, which no decider lets in, one is found.
            expect(count <= 1 && count <= expected)
        case .walk:
            let range = try QueryPlan(schema, conditions).narrowest { (key) throws(StorageError) in
                try tally(schema, key)
            }
            expect(try found(schema, range, .ascending).count == expected)
        }
    }

    private func tally(_ schema: KindSchema, _ key: [UInt8]) throws(StorageError) -> UInt64 {
        let lookup = RowLookup(store)
        return try lookup.tally(schema, at: key)
    }

    @Test func `of two filters the one that leaves fewer rows is walked`() throws {
        let messages = try schema("messages")
        for (sender, recipient) in [("a0", "b1"), ("c3", "d4"), ("e5", "a7")] {
            let conditions = [PlainFilter.sender(sender.id), .recipient(recipient.id), .unseen(true)].map {
                $0.condition(of: .messages)
            }
            let range = try QueryPlan(messages, conditions).narrowest { (key) throws(StorageError) in
                try tally(messages, key)
            }
            let rows = try found(messages, range, .ascending).count
            let walked = try range.tally.map { try tally(messages, $0) } ?? .max
            for condition in conditions {
                let alone = QueryPlan(messages, [condition])
                guard case .tally(let key, nil) = alone.count else { continue }
                expect(try walked <= tally(messages, key))
            }
            expect(UInt64(rows) <= walked)
        }
    }

    @Test func `the counts that matter are kept`() throws {
        let kept = [0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 14, 15, 16]
        for number in QueryPlanTests.queries.indices {
            let (kind, name, filters) = QueryPlanTests.queries[number]
            let schema = try schema(name)
            let isKept: Bool
            if case .tally = QueryPlan(schema, filters.map { $0.condition(of: kind) }).count {
                isKept = true
            } else {
                isKept = false
            }
            expect(isKept == kept.contains(number), "\(filters)")
        }
    }

    @Test(arguments: queries.indices) func `an index has the rows in the order of the sort`(_ number: Int) throws {
        let (kind, name, filters) = QueryPlanTests.queries[number]
        let schema = try schema(name)
        let conditions = filters.map { $0.condition(of: kind) }
        for (index, sort) in schema.sorts.enumerated() {
            let key = try require(PlainSort(rawValue: sort.name))
            let range = try require(QueryPlan(schema, conditions).ordered(by: index))
            let expected = PlainList.rows(rows.rows(kind), filters, key, .ascending).map(\.number.value)
            expect(try found(schema, range, .ascending) == expected, "\(name) \(filters) by \(sort.name)")
        }
    }

    /// The numbers of the rows of a range that pass its rest.
    private func found(_ schema: KindSchema, _ range: IndexRange, _ order: Order) throws -> [UInt64] {
        var numbers: [UInt64] = []
        KeyBounds.with(range.lower, range.upper) { bounds in
            store.walk(range.table.number, bounds, order, isProving: false) { key, _ in
                numbers.append(key.sixByteNumber(at: key.count - 6))
                return true
            }
        }
        let lookup = RowLookup(store)
        return try numbers.filter { number in
            var passes = false
            _ = try lookup.row(schema, number: number) { row in passes = range.rest.allSatisfy { $0.matches(row) } }
            return passes
        }
    }

    @Test func `bounds of the date are found along the index of the date, and tried along the others`() throws {
        let schema = try schema("stories")
        let conditions = [PlainFilter.since(QueryPlanTests.date), .until(QueryPlanTests.late)].map {
            $0.condition(of: .stories)
        }
        let byDate = try require(QueryPlan(schema, conditions).ordered(by: 0))
        expect(byDate.rest.isEmpty && byDate.isBounded)
        let byTitle = try require(QueryPlan(schema, conditions).ordered(by: 1))
        expect(byTitle.rest == conditions && !byTitle.isBounded)
        let narrowest = try QueryPlan(schema, conditions).narrowest { (_) throws(StorageError) in 1 }
        expect(narrowest == byDate)
    }

    @Test func `a schema that contradicts itself is refused`() {
        let table = ModelTable(1, "t", of: "m")
        func declare(_ fields: [FieldSchema], _ events: [EventSchema]) -> KindDeclaration {
            KindDeclaration(
                name: "things", category: "thing", fields: fields, events: events,
                sorts: [SortSchema("a", "A", by: .field(0))], rows: table, numbers: table, counts: table)
        }
        let wrong: [KindDeclaration] = [
            declare([FieldSchema("a", .text)], [EventSchema("Made", .creates)]),
            declare([FieldSchema("a", .text)], [EventSchema("Made", .changes, [.add(field: 0, 1)])]),
            declare([FieldSchema("a", .text)], [EventSchema("Made", .changes, [.setTime(field: 1)])]),
            declare([FieldSchema("a", .choice([]))], []),
        ]
        for declaration in wrong {
            #expect(throws: SchemaError.self) { _ = try KindSchema(declaration, number: 0) }
        }
    }
}
