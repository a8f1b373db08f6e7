import Foundation
import TestSupport
import Testing

@testable import StoryBrowser
@testable import StoryClient

/// The page of a story, without a store.
@Suite struct PageTests {
    private func entry(_ version: UInt64, _ type: String) -> HistoryLine {
        HistoryLine(
            version: version, position: version * 10, type: type,
            time: Date(timeIntervalSince1970: 1_767_225_600 + Double(version)), data: "{}")
    }

    /// The page of a story with three events, as it is now.
    private func page() throws -> Driven {
        var driven = Driven()
        try driven.answer([Fixtures.story("a", 1, title: "Now", version: 3, position: 30)])
        driven.press(.enter)
        let story = try Fixtures.story(
            "a", 1, title: "Now", message: "Once upon\\na time.", likes: 1, version: 3, position: 30)
        driven.hand(.page(.changed([.row(story, position: 30), .caughtUp(30)])))
        driven.hand(
            .page(
                .history([entry(1, "StoryPosted"), entry(2, "StoryLiked"), entry(3, "StoryRevised")], isNewest: true)))
        _ = driven.takeCommands()
        return driven
    }

    private func versions(_ commands: [AnyCommand]) -> [UInt64] {
        commands.compactMap { command in
            if case ScreenCommand<ModelRows>.past("a", let version) = command.command { version } else { nil }
        }
    }

    @Test func `a page shows the story, its text, its history and the slider at now`() throws {
        var driven = try page()
        driven.send(.connected(30, log: "a"))
        let expected =
            [
                " stories › story a" + String(repeating: " ", count: 50) + "position 30", "as it is now, live",
                "title         Now", "from          007", "to            008", "date          2026-01-01 00:00:01 UTC",
                "likes         1", "version       3, position 30", "", "Once upon", "a time.",
            ] + Array(repeating: "", count: 6) + [
                "── history: 3 events " + String(repeating: "─", count: 59),
                " 1     2026-01-01 00:00:01 StoryPosted            {}",
                " 2     2026-01-01 00:00:02 StoryLiked             {}",
                "▸3     2026-01-01 00:00:03 StoryRevised           {}",
                "├" + String(repeating: "─", count: 72) + "●┤ 3/3", "",
                " ←→ past  Esc back  u sender  r recipient  c conversation  ? help  q quit",
            ]
        expect(driven.lines == expected)
    }

    @Test func `a long title goes on below itself`() throws {
        var driven = try page()
        let title = (1...30).map { "word\($0)" }.joined(separator: " ")
        driven.hand(.page(.changed([.row(try Fixtures.story("a", 1, title: title, version: 4), position: 40)])))
        let lines = driven.lines[2...].prefix { !$0.hasPrefix("from") }
        expect(lines.count == 4 && lines.first?.hasPrefix("title         word1 word2 ") == true)
        expect(lines.dropFirst().allSatisfy { $0.hasPrefix("              word") })
        expect(lines.flatMap { $0.dropFirst(14).split(separator: " ") }.joined(separator: " ") == title)
    }

    @Test func `the slider goes to a version and back to now`() throws {
        var driven = try page()
        driven.press(.left, .left)
        expect(versions(driven.takeCommands()) == [2, 1])
        let old = try Fixtures.story("a", 1, title: "Then", version: 1, position: 10)
        driven.hand(.page(.past(version: 2, .row(try Fixtures.story("a", 1, title: "late")))))
        expect(try driven.page.shown == .loading, "an answer about another version is not shown")
        driven.hand(.page(.past(version: 1, .row(old))))
        expect(driven.lines[1] == "as it was at version 1, position 10, 2026-01-01 00:00:01 UTC")
        expect(driven.lines[2] == "title         Then")
        expect(driven.lines[21].hasPrefix("├●──") && driven.lines[21].hasSuffix("┤ 1/3"))
        driven.press(.left)
        expect(versions(driven.takeCommands()).isEmpty)
        driven.press(.end)
        expect(driven.lines[1] == "as it is now, live" && driven.lines[2] == "title         Now")
    }

    @Test func `what happens meanwhile is shown now, but not in the past`() throws {
        var driven = try page()
        let newer = try Fixtures.story("a", 1, title: "Newer", version: 4, position: 40)
        driven.press(.home)
        driven.hand(.page(.past(version: 1, .row(try Fixtures.story("a", 1, title: "Then")))))
        driven.hand(.page(.changed([.row(newer, position: 40)])))
        expect(driven.lines[2] == "title         Then" && driven.lines[21].hasSuffix("┤ 1/4"))
        driven.press(.end)
        expect(driven.lines[2] == "title         Newer")
    }

    @Test func `a story that was deleted says so, and its past can be seen`() throws {
        var driven = try page()
        driven.hand(.page(.changed([.absent(position: 50)])))
        driven.hand(.page(.history([entry(1, "StoryPosted"), entry(4, "StoryDeleted")], isNewest: true)))
        expect(driven.lines[1] == "deleted" && driven.lines[2] == "story a was deleted; its history remains")
        driven.press(.left)
        expect(versions(driven.takeCommands()) == [3])
    }

    @Test func `a story that never was is not called deleted`() throws {
        var driven = try page()
        driven.hand(.page(.changed([.absent(position: 50)])))
        driven.hand(.page(.history([], isNewest: true)))
        expect(driven.lines[1] == "not there" && driven.lines[2] == "there is no story a")
    }

    @Test func `a text that is longer than its room says where it goes on`() throws {
        var driven = try page()
        expect(!driven.lines.contains { $0.contains("more below") })
        let text = (1...40).map { "line \($0)" }.joined(separator: "\\n")
        let story = try Fixtures.story("a", 1, title: "Now", message: text, version: 4)
        driven.hand(.page(.changed([.row(story, position: 40)])))
        expect(driven.lines[9] == "line 1" && driven.lines[16] == "↓ more below, PgDn", "\(driven.lines)")
        driven.press(.down)
        expect(driven.lines[9] == "line 2" && driven.lines[16] == "↑ more above · ↓ more below, PgDn")
        for _ in 0..<10 { driven.press(.pageDown) }
        expect(driven.lines[15] == "line 40" && driven.lines[16] == "↑ more above")
    }

    @Test func `of a long history only the part around the slider is asked for`() throws {
        var driven = try page()
        let far = try Fixtures.story("a", 1, version: 5_000, position: 90_000)
        driven.hand(.page(.changed([.row(far, position: 90_000)])))
        driven.hand(.page(.history((4_801...5_000).map { entry($0, "StoryLiked") }, isNewest: true)))
        _ = driven.takeCommands()
        driven.press(.left)
        expect(driven.takeCommands().count == 1, "the events are there: only the row is asked for")
        driven.press(.home)
        let around = driven.takeCommands(of: ModelRows.self).compactMap { command -> UInt64? in
            if case .history("a", let version) = command { version } else { nil }
        }
        expect(around == [1])
        expect(try driven.page.last == 5_000)
    }

    @Test func `keys lead to what belongs to others, and back to where one came from`() throws {
        var driven = try page()
        driven.type("u")
        expect(try driven.state.route.location.screen.isEqual(to: PageState(Fixtures.rows("users"), id: "007")))
        driven.type("o")
        expect(driven.state.route.locations.count == 3, "a user who is not there yet leads nowhere")
        driven.press(.escape)
        expect(try driven.page.id == "a")
        driven.type("c")
        guard let list = driven.state.route.location.screen as? ListState<ModelRows> else {
            throw Driven.NoSuchScreen()
        }
        expect(list.query.filter == ModelFilter(values: ["between": "007,008"]))
        expect(driven.lines[0].hasPrefix(" stories › story a › messages "))
        driven.press(.backspace, .escape)
        expect(try driven.list.selection?.id == "a")
        driven.press(.escape)
        expect(driven.lines[0].hasPrefix(" store "), "where it began it goes back to all that the store holds")
        driven.press(.escape)
        expect(driven.lines[0].hasPrefix(" store "))
    }

    @Test func `what a story is liked with depends on whom the browser acts for`() throws {
        var driven = try page()
        driven.type("l")
        expect(try driven.draft.title == "like story a")
        var named = Driven(user: "008")
        try named.answer([Fixtures.story("a", 1)])
        named.type("l")
        guard case .write("LIKE", "a", "008")? = named.takeLastCommand(of: ModelRows.self) else {
            throw Driven.NoSuchScreen()
        }
        named.hand(.written("done: story-a version 2, position 31"))
        expect(named.lines[22] == " done: story-a version 2, position 31")
        named.press(.down)
        expect(named.lines[22] == "")
    }
}
