import TestSupport
import Testing

@testable import StoryBrowser
@testable import StoryClient

/// The list of stories, without a store.
@Suite struct ListTests {
    @Test func `a list says that it is empty only once that is known`() throws {
        expect(
            Browser(start: .rows(of: "stories")).initial.screen.text[3].hasSuffix("…"),
            "the first screen is drawn before anything is asked")
        var driven = Driven()
        expect(driven.lines[3].hasSuffix("…"))
        try driven.answer([])
        expect(driven.lines[3].hasPrefix("  nothing here; 0 shows all that the store holds"))
    }

    @Test func `a story that arrives is shown at the top, and the selection stays where it was`() throws {
        var driven = Driven()
        try driven.answer(try Fixtures.stories([3, 2, 1]))
        driven.change(
            .restarted, .row(try Fixtures.story("s3", 3), position: 1), .row(try Fixtures.story("s2", 2), position: 1))
        driven.change(.row(try Fixtures.story("s1", 1), position: 1), .caughtUp(1))
        driven.press(.down)
        driven.change(.row(try Fixtures.story("s4", 4, title: "news", position: 9), position: 9))
        expect(try driven.list.window.rows.map(\.id) == ["s4", "s3", "s2", "s1"])
        expect(try driven.list.selection?.id == "s2")
        expect(try driven.list.arrived == ["s4"])
        expect(driven.lines[3].hasPrefix(" *2026-01-01 00:00:04 news"))
        expect(driven.lines[5].hasPrefix("▸ 2026-01-01 00:00:02 T"))
        driven.change(.row(try Fixtures.story("s5", 5, position: 10), position: 10))
        expect(try driven.list.arrived == ["s4", "s5"])
        driven.change(.removed(id: "s5", position: 11))
        expect(try driven.list.arrived == ["s4"], "what is gone is not new")
        driven.press(.home)
        expect(try driven.list.arrived.isEmpty && driven.list.selection?.id == "s4")
    }

    @Test func `a list is shown in 80 columns and 24 lines`() throws {
        var driven = Driven()
        driven.send(.connected(42, log: "a"))
        try driven.answer([
            Fixtures.story("b", 61, title: "A title that is much too long for its column", likes: 12),
            Fixtures.story("a", 5, title: "夏の話"),
        ])
        let rest = Array(repeating: "", count: 19)
        let expected =
            [
                " stories" + String(repeating: " ", count: 60) + "position 42",
                "all · by date, descending",
                "  date (UTC)          title                         from       to         likes",
                "▸ 2026-01-01 00:01:01 A title that is much too lon… 007        008        12",
                "  2026-01-01 00:00:05 夏の話                        007        008        0",
            ] + rest.dropLast(2) + [
                "", " ↑↓ move  Enter open  / filter  s sort  S reverse  n new  ? help  q quit",
            ]
        expect(driven.lines == expected)
        expect(driven.state.screen.lines.allSatisfy { $0.width == 80 })
    }

    @Test func `names take a share of a wide terminal, and the title the rest`() throws {
        var driven = Driven()
        driven.send(.resized(Size(columns: 120, rows: 24)))
        try driven.answer([Fixtures.story("a", 5, title: "T")])
        expect(driven.lines[2].hasPrefix("  date (UTC)          title"))
        let heading = driven.lines[2]
        let from = heading.distance(
            from: try require(heading.firstRange(of: "from")).lowerBound,
            to: try require(heading.firstRange(of: "to  ")).lowerBound)
        expect(from == 20, "\(heading)")
        expect(driven.state.screen.lines.allSatisfy { $0.width == 120 })
    }

    @Test func `the key that marks a message as seen is at the foot of messages`() throws {
        var driven = Driven()
        driven.type("3")
        expect(driven.lines[23].hasSuffix("n new  v see  ? help  q quit"), "\(driven.lines[23])")
    }

    @Test func `what left while nobody listened is dropped once all that is there was told`() throws {
        var driven = Driven()
        try driven.answer(try Fixtures.stories([3, 2, 1]))
        driven.change(.restarted, .row(try Fixtures.story("s3", 3), position: 1))
        expect(try driven.list.window.rows.count == 3)
        driven.change(.row(try Fixtures.story("s1", 1, likes: 5), position: 8), .caughtUp(8))
        expect(try driven.list.window.rows.map(\.id) == ["s3", "s1"])
        expect(try driven.list.window.rows.last?.text("likes") == "5")
        expect(try driven.list.arrived.isEmpty)
        driven.change(.removed(id: "s3", position: 9))
        expect(try driven.list.window.rows.map(\.id) == ["s1"])
    }

    @Test func `what the list knows from later on is not dropped for not having been told yet`() throws {
        var driven = Driven()
        try driven.answer([Fixtures.story("s2", 2, position: 9), Fixtures.story("s1", 1, position: 3)], position: 9)
        driven.change(.restarted, .caughtUp(8))
        expect(try driven.list.window.rows.map(\.id) == ["s2"], "its own push comes behind that")
    }

    @Test func `of many rows with one date, those below what is in memory stay there`() throws {
        var driven = Driven()
        try driven.answer(
            [Fixtures.story("c", 7, position: 3), Fixtures.story("b", 7, position: 2)], next: "b", position: 3)
        driven.change(.restarted, .row(try Fixtures.story("a", 7, position: 1), position: 1))
        expect(try driven.list.window.rows.map(\.id) == ["c", "b"], "it was there already, below")
        let rows = ["b", "c"].map { id in try? Fixtures.story(id, 7, position: 3) }.compactMap { $0 }
        for row in rows { driven.change(.row(row, position: 3)) }
        driven.change(.caughtUp(3), .row(try Fixtures.story("a", 7, likes: 1, version: 2, position: 4), position: 4))
        expect(try driven.list.window.rows.map(\.id) == ["c", "b"], "that it is liked does not bring it up")
        driven.change(.row(try Fixtures.story("d", 7, position: 5), position: 5))
        expect(try driven.list.window.rows.map(\.id) == ["d", "c", "b"], "what is new stands first")
    }

    @Test func `a change that is older than what was listed does not undo it`() throws {
        var driven = Driven()
        try driven.answer([try Fixtures.story("a", 1, likes: 2, position: 7)])
        driven.change(.row(try Fixtures.story("a", 1, likes: 1, position: 6), position: 6))
        expect(try driven.list.window.rows.first?.text("likes") == "2")
        driven.change(.row(try Fixtures.story("a", 1, likes: 3, position: 8), position: 8))
        expect(try driven.list.window.rows.first?.text("likes") == "3")
    }

    @Test func `never more than 500 rows are in memory, however far one goes and whatever arrives`() throws {
        var driven = Driven()
        // Page by page down a list of 1,000 rows; second 1,000 is the newest.
        var low = 900
        try driven.answer(try Fixtures.stories((900..<1_000).reversed()), next: "900")
        while low > 0 {
            driven.press(.end)
            let request = try driven.takeListRequest()
            expect(request.after == "\(low)" && request.part == .below)
            low -= 100
            let rows = try Fixtures.stories((low..<low + 100).reversed())
            driven.hand(.list(.loaded(request, Page(rows: rows, next: low == 0 ? nil : "\(low)", position: 1))))
            expect(try driven.list.window.rows.count <= 500)
        }
        driven.press(.end)
        expect(driven.takeCommands().isEmpty)
        expect(try driven.list.selection?.id == "s0" && driven.list.window.rows.first?.id == "s499")
        // And up again: the pages above are asked for with what they were asked for before.
        driven.press(.pageUp)
        for _ in 0..<30 { driven.press(.pageUp) }
        let request = try driven.takeListRequest()
        expect(request.part == .above && request.after == "600")
        let rows = try Fixtures.stories((500..<600).reversed())
        driven.hand(.list(.loaded(request, Page(rows: rows, next: "500", position: 1))))
        expect(try driven.list.window.rows.count == 500 && driven.list.window.rows.first?.id == "s599")
        expect(try driven.list.window.next == "100")
        // What arrives above what is in memory is not taken in.
        driven.change(.row(try Fixtures.story("new", 5_000, position: 9), position: 9))
        expect(try driven.list.window.rows.first?.id == "s599")
        for number in 0..<600 { driven.change(.row(try Fixtures.story("x\(number)", 550, position: 9), position: 9)) }
        expect(try driven.list.window.rows.count <= 500)
    }

    @Test func `a first page that outgrows memory is asked for again once, and the selection stays`() throws {
        var driven = Driven()
        try driven.answer(try Fixtures.stories((0..<100).reversed()))
        var arrived: [ModelRow] = []
        for number in 0..<402 {
            if number == 400 {
                expect(driven.takeCommands().isEmpty)
                driven.press(.home)
            }
            arrived.insert(try Fixtures.story("x\(number)", 200, position: 10 + number), at: 0)
            driven.change(.row(arrived[0], position: UInt64(10 + number)))
        }
        let request = try driven.takeListRequest()
        expect(request.part == .whole && request.after == nil && request.limit == 300 && request.number == 1)
        // The answer is older than the last arrival.
        let page = Page(rows: Array(arrived[1...300]), next: "more", position: 410)
        driven.hand(.list(.loaded(request, page)))
        expect(try driven.list.window.rows.map(\.id) == arrived[0...300].map(\.id))
        expect(try driven.list.selection?.id == "x399")
    }

    @Test func `what is listened to is what is in memory, and any change where rows can move`() throws {
        var driven = Driven()
        expect(driven.browser.subscriptions(for: driven.state) == [.terminal, .heartbeat, .renames])
        try driven.answer(try Fixtures.stories([3, 2, 1]), next: "1")
        let bound = ModelFilter.Bounds(sort: "date", since: try Fixtures.story("s1", 1).text("date"))
        expect(
            driven.browser.subscriptions(for: driven.state)
                == [
                    .terminal, .heartbeat, .renames,
                    .screen(0, AnySubscription(.rows(ModelFilter(bounds: bound)), of: ModelRows("stories"))),
                ])
        driven.type("s")
        expect(
            driven.browser.subscriptions(for: driven.state) == [
                .terminal, .heartbeat, .renames,
                .screen(0, AnySubscription(.anything(.events(.category("story"))), of: ModelRows("stories"))),
            ])
        driven.press(.control("c"))
        expect(driven.browser.subscriptions(for: driven.state).isEmpty)
    }

    @Test func `sorting asks anew, and an answer to the question before is ignored`() throws {
        var driven = Driven()
        let first = try driven.takeListRequest()
        driven.type("s")
        driven.hand(.list(.loaded(first, Page(rows: try Fixtures.stories([1]), next: nil, position: 1))))
        expect(try driven.list.window.rows.isEmpty)
        let second = try driven.takeListRequest()
        expect(second.query.sort.rawValue == "title" && second.query.order == .ascending)
        driven.type("S")
        expect(try driven.takeListRequest().query.order == .descending)
        driven.type("s")
        expect(try driven.takeListRequest().query.sort.rawValue == "likes")
    }

    @Test func `a change somewhere asks for the same rows again, but not twice at once`() throws {
        var driven = Driven()
        driven.type("s")
        try driven.answer(try Fixtures.stories([1, 2, 3]))
        driven.hand(.list(.stirred))
        driven.hand(.list(.stirred))
        let request = try driven.takeListRequest()
        expect(request.part == .whole && driven.takeCommands().isEmpty)
        driven.hand(.list(.loaded(request, Page(rows: try Fixtures.stories([1, 2]), next: nil, position: 1))))
        expect(try driven.list.window.rows.count == 2)
        // The second change came while the answer was under way.
        expect(try driven.takeListRequest().part == .whole)
    }

    @Test func `a change during a request that fails asks again, and the last failure is told`() throws {
        var driven = Driven()
        driven.type("s")
        try driven.answer(try Fixtures.stories([1]))
        driven.hand(.list(.stirred))
        let request = try driven.takeListRequest()
        driven.hand(.list(.stirred))
        driven.hand(.list(.failed(request, "the kind is going")))
        let again = try driven.takeListRequest()
        expect(again.part == .whole && driven.takeCommands().isEmpty)
        driven.hand(.list(.failed(again, "the kind is gone")))
        expect(driven.takeCommands().isEmpty && driven.lines[22] == " the kind is gone")
    }

    @Test func `a list that is asked for by time tells each failure`() throws {
        var driven = Driven(start: .rows(of: "orders"))
        let request = try driven.takeListRequest()
        driven.hand(.list(.stirred))
        driven.hand(.list(.failed(request, "no store answers")))
        expect(driven.takeCommands().isEmpty && driven.lines[3] == "  no store answers")
    }

    @Test func `a page that comes empty although there is more is followed by the next one`() throws {
        var driven = Driven()
        try driven.answer([], next: "a")
        let request = try driven.takeListRequest()
        expect(request.part == .below && request.after == "a")
        driven.hand(.list(.loaded(request, Page(rows: try Fixtures.stories([1]), next: nil, position: 1))))
        expect(try driven.list.selection?.id == "s1")
    }

    @Test func `a list that cannot be had says why, once`() throws {
        var driven = Driven()
        let request = try driven.takeListRequest()
        driven.hand(.list(.failed(request, "sender is no ID")))
        expect(driven.lines.filter { $0.contains("sender is no ID") } == ["  sender is no ID"])
    }
}
