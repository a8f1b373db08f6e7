import StoryCore
import Testing
import TestSupport

@testable import StoryWire

/// What the values of a filter look like on a line, good and bad.
private struct Samples {
    let good: [(text: String, value: FilterValue)]
    let bad: [(text: String, rule: FieldRule)]

    init(_ shape: FilterShape) {
        switch shape {
        case .name:
            good = [("a-1", .name(bytes("a-1")))]
            bad = [("", .empty), (String(repeating: "a", count: 65), .tooLong), ("a/b", .malformed)]
        case .pair:
            good = [("a,b", .pair(bytes("a"), bytes("b")))]
            bad = [("a", .malformed), ("a,", .malformed), (",b", .malformed), ("a,b,c", .malformed)]
        case .integer(let range, let rule):
            good = [range.lowerBound, range.upperBound].map { ("\($0)", .integer($0)) }
            let beside = [
                range.lowerBound.subtractingReportingOverflow(1), range.upperBound.addingReportingOverflow(1),
            ]
            let outside = beside.filter { !$0.overflow }.map { "\($0.partialValue)" }
            bad =
                (outside + ["9223372036854775808", "-9223372036854775809", "-99999999999999999999"]).map { ($0, rule) }
                + ["1.5", "-", "", "x"].map { ($0, .malformed) }
        case .number:
            good = [("100", .number(100)), ("1.4", .number(1.4)), ("-2e1", .number(-20))]
            bad = ["1,4", "true", "", "[1]", "1e999"].map { ($0, .malformed) }
        case .text(let maxCount, _):
            good = [("Aé@X", .text(bytes("Aé@X"))), ("", .text([]))]
            bad = [(String(repeating: "a", count: maxCount + 1), .tooLong)]
        case .decimal:
            good = [("100", .decimal(Samples.number("100"))), ("-2.50e1", .decimal(Samples.number("-25")))]
            bad = [("1000000000000000000", .outOfRange)] + ["1,4", "01", "+1", "", "1e"].map { ($0, .malformed) }
        case .folded(let maxCount, _):
            good = [
                ("Aé@X", .folded(bytes("aé@x"))),
                (String(repeating: "B", count: maxCount), .folded(Samples.bs(maxCount))),
            ]
            bad = [("", .empty), (String(repeating: "a", count: maxCount + 1), .tooLong)]
        case .date:
            good = [("1970-01-01T00:00:01Z", .date(Instant(milliseconds: 1_000)))]
            bad = ["1970-01-01", "7", ""].map { ($0, .malformed) }
        case .flag:
            good = [("true", .flag(true)), ("false", .flag(false))]
            bad = ["TRUE", "1", ""].map { ($0, .notSelected) }
        case .fraction:
            good = [("1/125", .fraction(1 | 125 << 32)), ("4294967295/1", .fraction(0xFFFF_FFFF | 1 << 32))]
            bad = ["1", "0/1", "1/0", "1/4294967296", "/", ""].map { ($0, .malformed) }
        case .choice(let words):
            good = words.enumerated().map { ($1, .choice(UInt8($0))) }
            bad = [(words.joined(), .notSelected), ("", .notSelected)]
        }
    }

    private static func number(_ text: String) -> ModelNumber {
        if case .number(let number) = ModelNumber.read(text.utf8) { number } else { .zero }
    }

    private static func bs(_ count: Int) -> [UInt8] { Array(repeating: 0x62, count: count) }
}

/// Every filter and sort of every kind as its schema has it: of the built-in kinds, and of one that is made up.
struct FilterReadingTests {
    private let own = RequestTable.standard
    private let invented: RequestTable

    init() throws { invented = try RequestTable(try Catalogue.invented()) }

    private func reader(_ table: RequestTable) -> RequestReader {
        RequestReader(lineLimit: RequestReader.lineLimit, table)
    }

    /// Each filter with its kind, and its index in the schema.
    private func filters(_ table: RequestTable) -> [(kind: KindSchema, index: Int, filter: FilterSchema)] {
        table.catalogue.kinds.flatMap { kind in kind.filters.enumerated().map { (kind, $0, $1) } }
    }

    @Test func `each filter is read by its shape, alone and in quotes`() {
        for table in [own, invented] {
            let reader = reader(table)
            for (kind, index, filter) in filters(table) {
                for (text, value) in Samples(kind.filterShapes[index]).good {
                    let wanted = RequestAction.count(kind.kind, [Condition(index, value)])
                    expect(reader.action("COUNT \(kind.name) \(filter.name)=\(text)") == wanted)
                    expect(reader.action("COUNT \(kind.name) \(filter.name)=\"\(text)\"") == wanted)
                }
            }
        }
    }

    @Test func `a filter that is given twice is refused where it stands again`() {
        for table in [own, invented] {
            let reader = reader(table)
            for (kind, index, filter) in filters(table) {
                for (text, _) in Samples(kind.filterShapes[index]).good {
                    let start = "LIST \(kind.name) \(filter.name)=\(text) "
                    let failure = reader.failure("\(start)\(filter.name)=\(text)")
                    expect(failure?.message == "\(filter.name)= stands twice")
                    expect(failure?.column == start.utf8.count + 1)
                }
            }
        }
    }

    @Test func `a value that the filter does not have is refused by its rule`() {
        for table in [own, invented] {
            let reader = reader(table)
            for (kind, index, filter) in filters(table) {
                for (text, rule) in Samples(kind.filterShapes[index]).bad {
                    let failure = reader.failure("COUNT \(kind.name) \(filter.name)=\"\(text)\"")
                    expect(failure?.rules == ["\(filter.name):\(rule.rawValue)"], "\(filter.name)=\(text)")
                }
            }
        }
    }

    @Test func `all of a kind's filters may stand in one line, in any order`() {
        for table in [own, invented] {
            let reader = reader(table)
            for kind in table.catalogue.kinds {
                let parts = kind.filters.indices.reversed().compactMap { index in
                    Samples(kind.filterShapes[index]).good.first.map { (index, text: $0.text, value: $0.value) }
                }
                let text = parts.map { " \(kind.filters[$0.0].name)=\($0.text)" }.joined()
                expect(
                    reader.action("COUNT \(kind.name)\(text)")
                        == .count(kind.kind, parts.map { Condition($0.0, $0.value) }))
            }
        }
    }

    @Test func `a filter or a sort of another kind is unknown, and so is a filter where none is taken`() {
        let reader = reader(own)
        for (kind, _, filter) in filters(own) {
            for other in own.catalogue.kinds where !other.filters.contains(where: { $0.name == filter.name }) {
                expect(reader.failure("COUNT \(other.name) \(filter.name)=1")?.code == .unknown)
            }
            for other in own.catalogue.kinds {
                for sort in kind.sorts where !other.sorts.contains(where: { $0.name == sort.name }) {
                    expect(reader.failure("LIST \(other.name) sort=\(sort.name)")?.code == .unknown)
                }
            }
            expect(reader.failure("SORTS \(kind.name) \(filter.name)=1")?.code == .unknown)
            expect(reader.failure("READ events \(filter.name)=1")?.code == .unknown)
        }
    }

    @Test func `each sort is its index in the schema, the default the first`() {
        for table in [own, invented] {
            let reader = reader(table)
            for kind in table.catalogue.kinds {
                for (index, sort) in kind.sorts.enumerated() {
                    let query = ListQuery(
                        kind: kind.kind, conditions: [], sort: index, order: .descending, limit: 50, after: nil)
                    expect(reader.action("LIST \(kind.name) sort=\(sort.name)") == .list(query))
                    if index == 0 { expect(reader.action("LIST \(kind.name)") == .list(query)) }
                }
            }
        }
    }

    @Test func `an unknown filter is told with the options first, then the filters as the schema has them`() {
        expect(
            reader(own).failure("LIST messages x=1")?.message
                == "LIST has no option \"x\"; known: sort, order, limit, after, min, sender, recipient, story, between,"
                + " unseen, since, until")
        expect(reader(invented).failure("COUNT coins mnit=1")?.nearest == "mint")
        expect(
            reader(invented).failure("LIST coins sort=date")?.message
                == "coins have no sort \"date\"; known: weight, motto")
    }

    @Test func `targets, usage, HELP and the built-in categories are those of the catalogue`() throws {
        let reader = reader(invented)
        expect(reader.action("GET coins/1") == .get(Kind(number: 0), id("1"), at: nil))
        expect(reader.failure("GET stories/1")?.code == .unknown)
        expect(reader.failure("EDIT coins/1 {}")?.code == .unknown)
        expect(invented.shape(of: .write(.delete))?.usage.hasPrefix("DELETE coins/ID ") == true)
        expect(reader.failure(#"APPEND coin-1 {"type":"A","data":1}"#)?.code == .denied)
        expect(reader.failure(#"APPEND story-1 {"type":"A","data":1}"#) == nil)
        expect(
            Help.answer("post", from: invented).contains { reply in
                guard case .line(let members) = reply,
                    case .object(let kinds)? = members.first(where: { $0.name == "fields" })?.value
                else { return false }
                return kinds.map(\.name) == ["coins"]
                    && kinds.first?.value
                        == .list(invented.catalogue.kinds[0].formFields(of: .write(.post)).map { .text($0) })
            })
        guard case .line(let members)? = Help.answer("count", from: invented).first,
            case .object(let kinds)? = members.first(where: { $0.name == "filters" })?.value,
            case .list(let filters)? = kinds.first?.value
        else {
            Issue.record("HELP COUNT tells the filters")
            return
        }
        expect(kinds.map(\.name) == ["coins"])
        expect(filters.count == invented.catalogue.kinds[0].filters.count)
        expect(
            filters.first
                == .object([
                    Member("name", .text("mint")), Member("value", .text("ID")),
                    Member("summary", .text("only those of this mint")),
                ]))
    }
}
