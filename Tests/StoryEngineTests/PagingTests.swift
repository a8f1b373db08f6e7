import StoryCore
import StoryEngine
import Testing
import TestSupport

struct PagingTests {
    /// Goes through a list while rows come, change and go between its pages.
    @Test(arguments: Kind.allCases, [51, 52] as [UInt64])
    func `nothing that stays where it is is skipped or repeated`(kind: Kind, seed: UInt64) {
        var (world, maker) = EngineHarness.random(seed: seed, 120)
        var random = SplitMix64(seed: seed)
        for sort in kind.sorts {
            for order in [Order.ascending, .descending] {
                for filters in FilterSets.all(kind).filter({ _ in random.oneIn(kind == .messages ? 8 : 2) }) {
                    let query = PlainQuery(
                        kind: kind, filters: filters, sort: sort, order: order,
                        limit: Int.random(in: 1...7, using: &random), after: nil)
                    expectStable(query, &world, &maker)
                }
            }
        }
    }

    private func expectStable(_ query: PlainQuery, _ world: inout EngineHarness, _ maker: inout RequestMaker) {
        func places() -> [StreamNumber: PlainList.SortValue?] {
            let rows = PlainList.rows(world.rows(query.kind), query.filters, query.sort, query.order)
            return Dictionary(rows.map { ($0.number, PlainList.value(of: $0, query.sort)) }) { first, _ in first }
        }
        var seenPlaces = [places()]
        guard
            let found = world.pages(
                query,
                between: {
                    world.run(&maker, 2)
                    seenPlaces.append(places())
                })?.map(\.number)
        else {
            Issue.record("\(query) has no end")
            return
        }
        // What was in its one place all along is met exactly once.
        for (number, place) in seenPlaces[0]
        where seenPlaces.allSatisfy({ $0[number].map { $0 == place } ?? false }) {
            let count = found.count { $0 == number }
            if count != 1 { Issue.record("\(query): \(number.value) stood still and came \(count) times") }
        }
        // What never changed its place, but came or went, is met once at most.
        for number in Set(found)
        where Set(seenPlaces.compactMap { $0[number].map { "\(String(describing: $0))" } }).count == 1 {
            let count = found.count { $0 == number }
            if count != 1 { Issue.record("\(query): \(number.value) came \(count) times") }
        }
    }

    @Test func `a cursor is good after its row is gone`() throws {
        let world = EngineHarness()
        for user in ["u1", "u2"] { world.ask(.postUser(user)) }
        for number in 1...5 { world.ask(.postStory("s\(number)", date: "2026-01-0\(number)T00:00:00Z")) }
        for order in [Order.ascending, .descending] {
            let first = world.ask(.listing(.stories, order: order, limit: 2))
            let next = try require(first.next)
            let last = try require(first.rows.last)
            world.ask(.deleting(.stories, last.id.description))
            world.restart()
            let rest = world.ask(.listing(.stories, order: order, limit: 50, after: next)).rows
            let numbers = (first.rows + rest).map(\.number)
            let ascending = numbers.sorted()
            expect(numbers == (order == .ascending ? ascending : ascending.reversed()))
            expect(rest.count == (order == .ascending ? 3 : 2))
        }
    }

    @Test func `a cursor of another list, and what is no cursor, is refused`() throws {
        let world = EngineHarness.random(seed: 55, 120).harness
        func list(
            _ kind: Kind, _ filters: [PlainFilter] = [], _ sort: PlainSort = .date, _ order: Order = .descending,
            after: [UInt8]? = nil
        ) -> Answer {
            world.ask(.listing(kind, filters, sort: sort, order: order, limit: 1, after: after))
        }
        let next = try require(list(.messages, [.recipient("u2".id), .unseen(true)]).next)
        expect(list(.messages, [.recipient("u2".id), .unseen(true)], after: next).failure == nil)
        expect(list(.messages, [.unseen(true), .recipient("u2".id)], after: next).failure == nil)
        let others = [
            list(.messages, after: next), list(.messages, [.recipient("u2".id)], after: next),
            list(.messages, [.recipient("u1".id), .unseen(true)], after: next),
            list(.messages, [.sender("u2".id), .unseen(true)], after: next),
            list(.messages, [.recipient("u2".id), .unseen(false)], after: next),
            list(.messages, [.recipient("u2".id), .unseen(true)], .date, .ascending, after: next),
            list(.stories, [.recipient("u2".id)], after: next), list(.photos, after: next),
            list(.messages, [.recipient("u2".id), .unseen(true)], after: Array(next.dropLast(3))),
            list(.messages, [.recipient("u2".id), .unseen(true)], after: []),
            list(.messages, [.recipient("u2".id), .unseen(true)], after: "!!!!".bytes),
            list(.messages, [.recipient("u2".id), .unseen(true)], after: [0xFF] + next),
        ]
        for (index, other) in others.enumerated() {
            expect(other.code == .invalid, "list \(index)")
            expect(other.wrongFields == ["after": .malformed], "list \(index)")
        }
        let titles = try require(list(.stories, [], .title).next)
        expect(list(.stories, [], .likes, after: titles).code == .invalid)
    }

    @Test func `a cursor is of the ID alphabet, so that it needs no quotes`() throws {
        let world = EngineHarness.random(seed: 56, 200).harness
        for kind in Kind.allCases {
            for sort in kind.sorts {
                let next = try require(world.ask(.listing(kind, sort: sort, limit: 1)).next)
                expect(next.allSatisfy(Alphabet.holds))
            }
        }
    }

    @Test func `bytes made up behind a cursor's mark bring nothing down`() throws {
        let world = EngineHarness.random(seed: 57, 300).harness
        var random = SplitMix64(seed: 57)
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".bytes
        /// The user whom the most rows have.
        func most(_ kind: Kind, _ user: (Row) -> Identifier?) throws -> Identifier {
            let users = world.rows(kind).compactMap(user)
            return try require(users.max { one, other in users.count { $0 == one } < users.count { $0 == other } })
        }
        let (owner, sender) = try (most(.photos) { $0.photo?.owner }, most(.stories) { $0.story?.sender })
        let recipient = try most(.stories) { $0.story?.recipient }
        let lists: [(Kind, [PlainFilter], PlainSort, Order)] = [
            (.photos, [], .focalLength, .ascending), (.photos, [.owner(owner)], .focalLength, .descending),
            (.photos, [.owner(owner)], .iso, .descending), (.stories, [.sender(sender)], .sender, .descending),
            (.stories, [.sender(sender)], .sender, .ascending),
            (.stories, [.recipient(recipient)], .title, .descending),
        ]
        for (kind, filters, sort, order) in lists {
            let next = try require(world.ask(.listing(kind, filters, sort: sort, order: order, limit: 1)).next)
            for round in 0..<100 {
                // The first six letters hold the mark and four bits of what is behind it. "___w" behind ten of them
                // makes a place that is too short to hold a row's number behind the sender.
                let tail = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                    letters.randomElement(using: &random) ?? 0x41
                }
                let forged = round == 0 ? next.prefix(10) + "___w".bytes : next.prefix(random.pick(6, 10)) + tail
                let answer = world.ask(
                    .listing(kind, filters, sort: sort, order: order, limit: 3, after: Array(forged)))
                expect(answer.rows.count <= 3)
                expect(answer.rows.allSatisfy { row in filters.allSatisfy { PlainList.passes(row, $0) } })
            }
        }
    }
}

/// More rows behind a filter than are fetched and sorted: the list walks the order's own index.
struct LongListTests {
    private static let events: [Event] = {
        var maker = EventMaker()
        var random = SplitMix64(seed: 58)
        var events = [
            maker.event("user-u1", .signedUp(email: "1@x.y")), maker.event("user-u2", .signedUp(email: "2@x.y")),
            maker.event("user-u3", .signedUp(email: "3@x.y")),
        ]
        for number in 0..<4_400 {
            let title = "T\(Int.random(in: 0..<300, using: &random))"
            let sender = number % 40 == 0 ? "u2" : "u1"
            events.append(maker.event("story-s\(number)", .posted(title: title, from: sender, to: "u3")))
        }
        return events
    }()

    private let world = EngineHarness(LongListTests.events)

    @Test(arguments: [Order.ascending, .descending])
    func `the rows are the same as of the short way`(order: Order) {
        let rows = world.rows(.stories)
        for (filters, sort) in [
            ([PlainFilter.sender("u1".id)], PlainSort.title), ([.sender("u1".id), .recipient("u3".id)], .title),
            ([.sender("u2".id)], .title), ([.recipient("u3".id)], .sender), ([.sender("u1".id)], .sender),
        ] {
            let query = PlainQuery(
                kind: .stories, filters: filters, sort: sort, order: order, limit: 900, after: nil)
            let found = world.pages(query)?.map(\.number)
            expect(found == PlainList.rows(rows, filters, sort, order).map(\.number), "\(filters) \(sort)")
        }
    }

    @Test func `many are counted`() {
        expect(world.ask(.counting(.stories, [.sender("u1".id), .recipient("u3".id)])).count == 4_290)
        expect(world.ask(.counting(.stories, [.sender("u2".id)])).count == 110)
    }

    @Test func `a cursor of the short way goes on when the list has grown too long for it`() throws {
        var maker = EventMaker()
        var events = [
            maker.event("user-u1", .signedUp(email: "1@x.y")), maker.event("user-u2", .signedUp(email: "2@x.y")),
        ]
        for number in 0..<Limits().looks {
            events.append(maker.event("story-s\(number)", .posted(title: "T\(number % 7)")))
        }
        let world = EngineHarness(events)
        let query = RequestAction.listing(.stories, [.sender("u1".id)], sort: .title, order: .descending, limit: 200)
        let first = world.ask(query)
        let next = try require(first.next)
        for number in 0..<3 { world.ask(.postStory("late\(number)", title: "Z")) }
        let second = world.ask(
            .listing(.stories, [.sender("u1".id)], sort: .title, order: .descending, limit: 200, after: next))
        let expected = PlainList.rows(world.rows(.stories), [.sender("u1".id)], .title, .descending).dropFirst(3)
        expect((first.rows + second.rows) == Array(expected.prefix(400)))
    }
}
