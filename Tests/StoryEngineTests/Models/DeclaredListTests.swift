import StoryCore
import StoryEngine
import StoryFold
import Testing
import TestSupport

/// Lists and counts of declared models beside those of an array, over rows with values at all edges.
struct DeclaredListTests {
    private static let model = """
        from thing
        t: text(300); long: text(10240); n: number; flag: boolean; from: time
        tags: list(text, 50); nums: set(number, 50); flags: last(boolean, 50); times: list(time, 50)
        m: map(number, 50); texts: map(text, 50); truths: map(boolean, 50); moments: map(time, 50)
        index t
        index t, n
        index tags, from
        index nums
        index long, flag, t
        index n, flag
        index flags, tags2, long
        index times
        sort n, from, flag, t, long, tags2
        tags2: text
        on * { t = data.t }
        """

    private static let long = String(repeating: "0123456789abcdef", count: 2)
    private static let longer = String(repeating: "x", count: 199)
    private static let texts: [String] =
        [
            "", "a", "b", "a\u{0}", "a\u{0}b", "\"q\" \\", "é", "ü/", long, long + "1", long + "2", "0" + long,
            longer, longer + "x", longer + "xa", longer + "xb", longer + "y", String(repeating: "\u{0}", count: 230),
        ]
    private static let numbers = [
        "0", "1", "-1", "10", "12.5", "-12.5", "0.000000000000000001", "-0.000000000000000001", "999999999999999999",
        "-999999999999999999", "100000000000000000", "99999999999999999.9", "0.999999999999999999", "2", "0.1",
    ]
    private static let times: [Int64] = [
        -62_167_219_200_000, 0, 1, -1, 1_800_000_000_000, 1_800_000_000_001, 253_402_300_799_999,
    ]

    /// A random value of a field's type.
    private static func cell(_ type: FieldType, _ random: inout SplitMix64) -> Cell {
        switch type {
        case .text: return .text(Array((texts.randomElement(using: &random) ?? "").utf8))
        case .decimal: return .number(numbers.randomElement(using: &random) ?? "0")
        case .flag: return .flag(random.oneIn(2))
        case .date: return .time(times.randomElement(using: &random) ?? 0)
        case .list(let scalar): return .list((0...Int(random.next() % 4)).map { _ in cell(scalar.fieldType, &random) })
        case .map(let scalar):
            let keys = Set((0...Int(random.next() % 4)).map { _ in random.pick("a", "b", "ab", "é", "\"") })
            return .map(
                keys.sorted { Array($0.utf8).precedes(Array($1.utf8)) }.map {
                    Cell.Pair(key: Array($0.utf8), value: cell(scalar.fieldType, &random))
                })
        case .name, .integer, .number, .fraction, .choice: preconditionFailure("no model has such a field")
        }
    }

    private static func cells(_ schema: KindSchema, _ random: inout SplitMix64) -> [Cell?] {
        schema.fields.map { field in random.oneIn(4) ? nil : cell(field.type, &random) }
    }

    /// Rows after random changes.
    private static func rows(_ random: inout SplitMix64, _ count: Int) throws -> DeclaredRows {
        let things = try DeclaredRows(model)
        for _ in 0..<count { try change(things, &random) }
        return things
    }

    private static func change(_ things: DeclaredRows, _ random: inout SplitMix64) throws {
        let part = "\(random.next() % 60)"
        let key = random.oneIn(3) ? DeclaredRows.key(part, "é /") : DeclaredRows.key(part)
        let row = things.rows.first { $0.key == key }
        if row != nil, random.oneIn(6) { return try things.set(key, nil) }
        var cells = row?.cells ?? cells(things.schema, &random)
        let field = Int(random.next() % UInt64(cells.count))
        cells[field] = random.oneIn(4) ? nil : cell(things.schema.fields[field].type, &random)
        try things.set(key, cells)
    }

    /// A query, and the rows that it has.
    private struct Query {
        var options: [String] = []
        var filters: [(field: Int, value: Cell)] = []
        var sort: Int?
        var isDescending = true
        var since: Cell?
        var until: Cell?

        init(_ schema: KindSchema, _ random: inout SplitMix64) {
            for (field, declared) in schema.fields.enumerated() where random.oneIn(5) {
                let type: FieldType
                switch declared.type {
                case .map: continue
                case .list(let scalar): type = scalar.fieldType
                default: type = declared.type
                }
                filters.append((field, DeclaredListTests.cell(type, &random)))
                options.append("\(declared.name)=\(filters[filters.count - 1].value.option)")
            }
            if !random.oneIn(3), let chosen = schema.sorts.randomElement(using: &random) {
                sort = chosen.order.field
                options.append("sort=\(chosen.name)")
            }
            if !random.oneIn(3) {
                isDescending = random.oneIn(2)
                options.append("order=\(isDescending ? "desc" : "asc")")
            }
            guard let sort else { return }
            if random.oneIn(3) {
                let value = DeclaredListTests.cell(schema.fields[sort].type, &random)
                since = value
                options.insert("since=\(value.option)", at: 0)
            }
            if random.oneIn(3) {
                let value = DeclaredListTests.cell(schema.fields[sort].type, &random)
                until = value
                options.append("until=\(value.option)")
            }
        }

        private func passes(_ row: DeclaredRows.Row) -> Bool {
            filters.allSatisfy { field, value in
                if case .list(let cells)? = row.cells[field] {
                    cells.contains(value)
                } else {
                    row.cells[field] == value
                }
            }
        }

        func rows(of all: [DeclaredRows.Row]) -> [DeclaredRows.Row] {
            let rows = all.filter(passes)
            guard let sort else { return isDescending ? rows.reversed() : rows }
            var sorted: [(key: Cell, row: DeclaredRows.Row)] = []
            for row in rows {
                guard let key = row.cells[sort], since.map({ key.order(to: $0) >= 0 }) ?? true,
                    until.map({ key.order(to: $0) < 0 }) ?? true
                else { continue }
                // Behind those that are equal, which were made before.
                let index = sorted.firstIndex { $0.key.order(to: key, prefix: 200) > 0 } ?? sorted.count
                sorted.insert((key, row), at: index)
            }
            let there = sorted.map(\.row)
            let absent = since == nil && until == nil ? rows.filter { $0.cells[sort] == nil } : []
            return (isDescending ? there.reversed() : there) + absent
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `every filter, sort, bound, page and count is that of the array`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let things = try DeclaredListTests.rows(&random, 220)
        for _ in 0..<150 {
            let query = Query(things.schema, &random)
            let expected = query.rows(of: things.rows).map(things.json)
            let options = query.options.joined(separator: " ")
            expect(try things.list(options, limit: Int(random.next() % 30) + 1) == expected, "\(options)")
            let count = things.ask("COUNT things \(options)").count
            expect(count == expected.count, "\(options)")
        }
    }

    @Test func `each value of each field is found by its filter alone`() throws {
        var random = SplitMix64(seed: 77)
        let things = try DeclaredListTests.rows(&random, 300)
        for (field, declared) in things.schema.fields.enumerated() {
            var values: [Cell] = []
            for cell in things.rows.compactMap({ $0.cells[field] }) {
                if case .list(let cells) = cell { values += cells } else { values.append(cell) }
            }
            if case .map = declared.type { continue }
            for value in values.prefix(60) {
                let expected = things.rows.filter { row in
                    if case .list(let cells)? = row.cells[field] { return cells.contains(value) }
                    return row.cells[field] == value
                }
                let option = "\(declared.name)=\(value.option)"
                expect(try things.list(option + " order=asc", limit: 7) == expected.map(things.json), "\(option)")
                expect(things.ask("COUNT things \(option)").count == expected.count, "\(option)")
            }
        }
    }

    @Test func `desc is the reverse of asc among the rows that have the field, and the others are last`() throws {
        var random = SplitMix64(seed: 5)
        let things = try DeclaredListTests.rows(&random, 250)
        for sort in things.schema.sorts {
            let up = try things.list("sort=\(sort.name) order=asc", limit: 9)
            let down = try things.list("sort=\(sort.name) order=desc", limit: 11)
            let absent = sort.order.field.map { field in things.rows.count { $0.cells[field] == nil } } ?? 0
            expect(up.count == things.rows.count && (sort.order == .created || absent > 0))
            expect(up.dropLast(absent).reversed() == Array(down.dropLast(absent)))
            expect(up.suffix(absent) == down.suffix(absent))
        }
    }

    @Test func `a count under way is exact whatever changes between its steps`() throws {
        var random = SplitMix64(seed: 9)
        let things = try DeclaredListTests.rows(&random, 150)
        let queries = [
            "tags=a flag=true", "flags=true t=a", "times=1970-01-01T00:00:00.001Z from=1970-01-01T00:00:00Z",
            "long=\(DeclaredListTests.long)1", "tags=\(DeclaredListTests.long)2", "sort=n since=1 flag=true",
        ]
        for options in queries {
            let action = try things.read("COUNT things \(options)").get()
            let count = try require(things.world.begin(action), "\(options)")
            while count.step(1) { try DeclaredListTests.change(things, &random) }
            guard case .done(.counted(let found, _))? = count.end?.reply else {
                Issue.record("\(options)")
                continue
            }
            expect(things.ask("COUNT things \(options)").count == found, "\(options)")
            expect(try things.list(options, limit: 1_000).count == found, "\(options)")
        }
    }

    @Test func `the tables depend on the rows alone`() throws {
        var random = SplitMix64(seed: 21)
        let changed = try DeclaredListTests.rows(&random, 400)
        for row in changed.rows { try changed.set(row.key, nil) }
        for table in changed.schema.tables {
            var count = 0
            try changed.world.store.walk(table.number, .all, .ascending) { _, _ in
                count += 1
                return true
            }
            expect(count == 0, "\(table.name)")
        }
    }

    @Test func `a row is read as it was written`() throws {
        var random = SplitMix64(seed: 31)
        let things = try DeclaredListTests.rows(&random, 120)
        for row in things.rows {
            expect(things.ask("GET things/\(things.id(row.key))").jsonRows(things.catalogue) == [things.json(row)])
        }
    }
}
