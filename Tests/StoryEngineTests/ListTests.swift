import StoryCore
import StoryEngine
import Testing
import TestSupport

extension EngineHarness {
    /// Every page of a list to its end, checked for its form: nil where a page is not as it should be.
    func pages(_ query: PlainQuery, between: () -> Void = {}) -> [Row]? {
        var rows: [Row] = []
        var after: [UInt8]?
        for _ in 0..<10_000 {
            let page = PlainQuery(
                kind: query.kind, filters: query.filters, sort: query.sort, order: query.order, limit: query.limit,
                after: after)
            let answer = ask(page.list)
            guard case .page(let count, let next, let position)? = answer.done, count == answer.rows.count,
                count <= query.limit, position == log.head
            else { return nil }
            rows += answer.rows
            guard let next else { return rows }
            after = next
            between()
        }
        return nil
    }
}

struct ListTests {
    private static let seed: UInt64 = 41
    private static let events = EngineHarness.random(seed: seed, 220).harness.log.events

    /// Every sort, every subset of filters, both orders, pages of 1 to 7 rows.
    @Test(arguments: Kind.allCases)
    func `every list is every row, filtered and sorted, page by page`(kind: Kind) {
        let world = EngineHarness(Self.events)
        let rows = world.rows(kind)
        expect(rows.count >= 6)
        for sort in kind.sorts {
            for filters in FilterSets.all(kind) {
                for order in [Order.ascending, .descending] {
                    let expected = PlainList.rows(rows, filters, sort, order).map(\.number)
                    for limit in 1...7 {
                        let query = PlainQuery(
                            kind: kind, filters: filters, sort: sort, order: order, limit: limit, after: nil)
                        let found = world.pages(query)?.map(\.number)
                        if found != expected { Issue.record("\(query): \(String(describing: found)), not \(expected)") }
                    }
                }
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a page with room for all has no next, one that just holds them neither`(kind: Kind) {
        let world = EngineHarness(Self.events)
        let rows = world.rows(kind)
        let expected = PlainList.rows(rows, [], .date, .descending)
        for limit in [rows.count, rows.count + 1, 1_000] {
            let answer = world.ask(.listing(kind, limit: limit))
            expect(answer.rows == expected)
            expect(answer.done == .page(count: rows.count, next: nil, position: world.log.head))
        }
        expect(world.ask(.listing(kind, limit: rows.count - 1)).next != nil)
    }

    @Test func `rows with equal keys stand in the order they were posted, and descending is the exact reverse`() {
        let world = EngineHarness()
        for user in ["u1", "u2"] { world.ask(.postUser(user)) }
        for (id, date) in [("s1", "02"), ("s2", "01"), ("s3", "02"), ("s4", "01"), ("s5", "02"), ("s6", "03")] {
            world.ask(.postStory(id, date: "2026-01-\(date)T00:00:00Z"))
        }
        func ids(_ order: Order, limit: Int) -> [String]? {
            world.pages(PlainQuery(kind: .stories, filters: [], sort: .date, order: order, limit: limit, after: nil))?
                .map(\.id.description)
        }
        for limit in 1...7 {
            expect(ids(.ascending, limit: limit) == ["s2", "s4", "s1", "s3", "s5", "s6"])
            expect(ids(.descending, limit: limit) == ["s6", "s5", "s3", "s1", "s4", "s2"])
        }
    }

    @Test func `a photo without the sorted field comes last, either way`() {
        let world = EngineHarness()
        world.ask(.postUser("u1"))
        let lengths: KeyValuePairs<String, JSONMember.Value> = ["p1": nil, "p2": 50, "p3": nil, "p4": 28, "p5": 50]
        for (id, length) in lengths {
            world.ask(.post(.photos, Fields.photo(id).with("focalLength", length), .with()))
        }
        func ids(_ order: Order, _ filters: [PlainFilter], limit: Int) -> [String]? {
            let query = PlainQuery(
                kind: .photos, filters: filters, sort: .focalLength, order: order, limit: limit, after: nil)
            return world.pages(query)?.map(\.id.description)
        }
        for filters in [[], [PlainFilter.owner("u1".id)]] {
            for limit in 1...6 {
                expect(ids(.ascending, filters, limit: limit) == ["p4", "p2", "p5", "p1", "p3"])
                expect(ids(.descending, filters, limit: limit) == ["p5", "p2", "p4", "p1", "p3"])
            }
        }
    }

    @Test func `users are listed by address ignoring case, and found by it`() {
        let world = EngineHarness()
        for (id, email) in [("u1", "b@x.org"), ("u2", "A@x.org"), ("u3", "C@x.org"), ("u4", "a@X.net")] {
            world.ask(.postUser(id, email: email, prefecture: id == "u2" ? 1 : 13))
        }
        func ids(_ filters: [PlainFilter], _ order: Order = .ascending) -> [String] {
            world.ask(.listing(.users, filters, sort: .email, order: order)).rows.map(\.id.description)
        }
        expect(ids([]) == ["u4", "u2", "u1", "u3"])
        expect(ids([], .descending) == ["u3", "u1", "u2", "u4"])
        expect(ids([.prefecture(13)]) == ["u4", "u1", "u3"])
        expect(ids([.email("a@x.org".bytes)]) == ["u2"])
        expect(ids([.email("a@x.org".bytes), .prefecture(13)]) == [])
        expect(ids([.email("a@x.org".bytes), .prefecture(1)]) == ["u2"])
        expect(ids([.email("z@x.org".bytes)]) == [])
        world.ask(.editing(.users, "u2", ["email": "Z@x.org"]))
        expect(ids([]) == ["u4", "u1", "u3", "u2"])
        expect(ids([.email("a@x.org".bytes)]) == [])
        expect(ids([.email("z@x.org".bytes)]) == ["u2"])
    }

    @Test func `a conversation is the messages of two, either way and no other's`() {
        let world = EngineHarness()
        for user in ["u", "u1", "u2", "u3"] { world.ask(.postUser(user)) }
        let pairs = [("u1", "u2"), ("u2", "u1"), ("u1", "u3"), ("u1", "u1"), ("u", "u1"), ("u2", "u1"), ("u2", "u2")]
        for (index, pair) in pairs.enumerated() {
            world.ask(.postMessage("m\(index)", from: pair.0, to: pair.1, date: "2026-01-01T00:00:00Z"))
        }
        world.ask(.see(.messages, "m1".id, .with()))
        func ids(_ filters: PlainFilter...) -> [String] {
            world.ask(.listing(.messages, filters)).rows.map(\.id.description)
        }
        expect(ids(.between("u1".id, "u2".id)) == ["m5", "m1", "m0"])
        expect(ids(.between("u2".id, "u1".id)) == ["m5", "m1", "m0"])
        expect(ids(.between("u1".id, "u1".id)) == ["m3"])
        expect(ids(.between("u1".id, "u2".id), .unseen(true)) == ["m5", "m0"])
        expect(ids(.between("u1".id, "u2".id), .sender("u2".id)) == ["m5", "m1"])
        expect(ids(.sender("u2".id), .recipient("u1".id)) == ["m5", "m1"])
        expect(ids(.sender("u2".id), .recipient("u1".id), .unseen(true)) == ["m5"])
        expect(ids(.sender("u1".id), .recipient("u1".id)) == ["m3"])
        expect(ids(.recipient("u1".id), .unseen(false)) == ["m1"])
        expect(ids(.sender("u2".id), .recipient("u9".id)) == [])
    }

    @Test func `the sorts of a kind are told, the default first`() throws {
        let world = EngineHarness()
        for kind in Kind.allCases {
            let replies = world.ask(.sorts(kind)).replies
            expect(replies.first == .sort(try require(kind.schema.sorts.first), .descending))
            expect(kind.schema.sorts.map(\.name) == kind.sorts.map(\.rawValue))
            expect(replies.count == kind.sorts.count + 1)
            expect(replies.last == .done(.members([Member("count", .count(UInt64(kind.sorts.count)))])))
        }
    }

    @Test func `a page is full at so many bytes`() {
        var limits = Limits()
        limits.page = 1_000
        let world = EngineHarness(limits: limits)
        for user in ["u1", "u2"] { world.ask(.postUser(user)) }
        for number in 0..<9 {
            let text = String(repeating: "x", count: number == 4 ? 5_000 : 300)
            world.ask(.post(.messages, Fields.message("m\(number)", text: text), .with()))
        }
        let first = world.ask(.listing(.messages, order: .ascending))
        expect((1..<9).contains(first.rows.count))
        expect(first.next != nil)
        for filters in [[], [PlainFilter.sender("u1".id)], [.sender("u1".id), .recipient("u2".id)]] {
            let query = PlainQuery(
                kind: .messages, filters: filters, sort: .date, order: .ascending, limit: 50, after: nil)
            expect(world.pages(query)?.map(\.id.description) == (0..<9).map { "m\($0)" })
        }
    }
}
