import StoryCore
import StoryEngine
import Testing
import TestSupport

struct BrowseTests {
    private let world = EngineHarness()
    private let start = "2026-01-01T00:00:00Z".instant

    /// s1 is posted at 3, liked at 4, revised at 6 and deleted at 7, a minute each.
    init() {
        let requests: [RequestAction] = [
            .postUser("u1"), .postUser("u2"), .postStory("s1"), .liking("s1", by: "u1"), .append("note-a", "Noted"),
            .editing(.stories, "s1", ["title": "B"]), .deleting(.stories, "s1"), .postPhoto("p1"),
        ]
        for (minute, request) in requests.enumerated() {
            world.now = Instant(milliseconds: start.milliseconds + Int64(minute + 1) * 60_000)
            world.ask(request)
        }
    }

    private func get(_ id: String, at position: UInt64) -> Answer {
        world.ask(.getting(.stories, id, at: .position(Position(position))))
    }

    private func get(_ id: String, at time: String) -> Answer {
        world.ask(.getting(.stories, id, at: .time(time.instant)))
    }

    @Test func `a row is as it is now`() {
        expect(world.ask(.getting(.users, "u1")).row?.user?.version == Version(1))
        expect(world.ask(.getting(.photos, "p1")).row?.photo?.position == Position(8))
        expect(world.ask(.getting(.stories, "s1")).code == .gone)
        expect(world.ask(.getting(.stories, "s2")).code == .notFound)
        expect(world.ask(.getting(.messages, "s1")).code == .notFound)
    }

    @Test func `a row is as it was at each position`() {
        expect(get("s1", at: 0).code == .notFound)
        expect(get("s1", at: 2).code == .notFound)
        expect(get("s1", at: 3).row?.story?.likes == 0)
        expect(get("s1", at: 4).row?.story?.likes == 1)
        expect(get("s1", at: 5).row == get("s1", at: 4).row)
        expect(get("s1", at: 5).row?.story?.title == Text("A title"))
        expect(get("s1", at: 6).row?.story?.title == Text("B"))
        expect(get("s1", at: 6).row?.story?.version == Version(3))
        expect(get("s1", at: 6).row?.story?.position == Position(6))
        expect(get("s1", at: 7).code == .gone)
        expect(get("s1", at: 8).code == .gone)
    }

    @Test func `what is to come cannot be told`() {
        expect(get("s1", at: 9).code == .invalid)
        expect(get("s1", at: 9).wrongFields == ["at": .outOfRange])
        expect(get("s1", at: .max).code == .invalid)
        expect(get("s9", at: 1).code == .notFound)
    }

    @Test func `a row is as it was at each time`() {
        expect(get("s1", at: "1999-01-01T00:00:00Z").code == .notFound)
        expect(get("s1", at: "2026-01-01T00:02:59.999Z").code == .notFound)
        expect(get("s1", at: "2026-01-01T00:03:00Z").row?.story?.likes == 0)
        expect(get("s1", at: "2026-01-01T00:05:30Z").row?.story?.likes == 1)
        expect(get("s1", at: "2026-01-01T09:06:00+09:00").row?.story?.title == Text("B"))
        expect(get("s1", at: "2026-01-01T00:07:00Z").code == .gone)
        expect(get("s1", at: "9999-01-01T00:00:00Z").code == .gone)
        expect(world.ask(.getting(.users, "u1", at: .time("9999-01-01T00:00:00Z".instant))).row?.user?.id == "u1".id)
    }

    @Test func `a log that cannot be read is said to be ill`() {
        world.log.failure = .corrupt("a checksum is wrong", at: Position(3))
        expect(get("s1", at: 4).code == .internal)
        expect(get("s1", at: "2026-01-01T00:05:30Z").code == .internal)
        expect(world.ask(.getting(.users, "u1")).row != nil)
        expect(world.ask(.getting(.users, "u1", at: .position(Position(8)))).row != nil)
    }

    @Test(arguments: [21, 22])
    func `every row is at every position what its events until then make`(seed: UInt64) {
        let world = EngineHarness.random(seed: seed, 150).harness
        for position in stride(from: 1, through: world.log.head.value, by: 7).map(Position.init) {
            let past = PlainRows(world.log.events.filter { $0.position <= position })
            for kind in Kind.allCases {
                for row in past.rows(kind) {
                    expect(world.ask(.get(kind, row.id, at: .position(position))).row == row)
                }
            }
        }
    }
}

struct CountTests {
    @Test(arguments: [31, 32])
    func `the count is that of every subset of filters`(seed: UInt64) {
        let world = EngineHarness.random(seed: seed, 300).harness
        for kind in Kind.allCases {
            let rows = world.rows(kind)
            for filters in FilterSets.all(kind) {
                let expected = rows.filter { row in filters.allSatisfy { PlainList.passes(row, $0) } }.count
                let answer = world.ask(.counting(kind, filters))
                expect(answer.count == expected, "\(kind) \(filters)")
                expect(answer.done == .counted(expected, position: world.log.head))
            }
        }
    }

    @Test func `nothing counts as nothing`() {
        let world = EngineHarness()
        for kind in Kind.allCases { expect(world.ask(.count(kind, [])).count == 0) }
        expect(world.ask(.counting(.users, [.email("a@b.c".bytes)])).count == 0)
    }
}

/// Filters with values that some rows have, and values that none has, in every combination that a request may have.
enum FilterSets {
    private static let choices: [Kind: [[PlainFilter]]] = [
        .users: [[.prefecture(13), .prefecture(2)], [.email("u1@example.org".bytes), .email("no@x.y".bytes)]],
        .stories: [[.sender("u1".id), .sender("u9".id)], [.recipient("u2".id), .recipient("u1".id)]],
        .messages: [
            [.between("u2".id, "u1".id), .between("u1".id, "u1".id)], [.sender("u1".id)], [.recipient("u2".id)],
            [.story("s1".id)], [.unseen(true), .unseen(false)],
        ],
        .photos: [[.owner("u1".id), .owner("u9".id)]],
    ]

    static func all(_ kind: Kind) -> [[PlainFilter]] {
        let sets = (choices[kind] ?? []).reduce([[]]) { sets, filters in
            sets + sets.flatMap { set in filters.map { set + [$0] } }
        }
        return sets + sets.filter { $0.count <= 1 }.flatMap { set in windows(kind).map { set + $0 } }
    }

    /// Bounds of the date that lie on rows' dates, and between them.
    private static func windows(_ kind: Kind) -> [[PlainFilter]] {
        let both: [PlainFilter] = [.since("2026-01-01T00:00:00Z".instant), .until("2027-01-15T08:01:30Z".instant)]
        guard kind != .messages else { return [both] }
        let middle = "2026-01-02T00:00:00Z".instant
        return [both, [.since(middle)], [.until(middle)], [.since(middle), .until("2026-01-01T00:00:00Z".instant)]]
    }
}
