import TestSupport
import Testing

@testable import StoryBrowser
@testable import StoryClient

/// Forms about rows that somebody else changes meanwhile, and deletions, without a store.
@Suite struct ConflictTests {
    /// A list of one story, "Spring", which is at version 3.
    private func listed() throws -> Driven {
        var driven = Driven()
        try driven.answer([try Fixtures.story("a", 1, title: "Spring", version: 3, position: 30)])
        return driven
    }

    private func edited(_ title: String) throws -> Driven {
        var driven = try listed()
        driven.type("e")
        driven.press(.control("u"))
        driven.type(title)
        return driven
    }

    private func submitted(_ driven: inout Driven) throws -> (Draft, FormPurpose) {
        guard case .submit(let draft, let purpose)? = driven.takeLastCommand(of: ModelRows.self) else {
            throw Driven.NoSuchScreen()
        }
        return (draft, purpose)
    }

    private func revised(_ draft: Draft) -> [String?] {
        ["title", "message"].map { name in draft.named(name).flatMap { $0.text == $0.original ? nil : $0.text } }
    }

    private func theirs(_ version: Int = 4) throws -> ModelRow {
        try Fixtures.story("a", 1, title: "Theirs", message: "new", likes: 1, version: version, position: version * 10)
    }

    private func row(_ story: ModelRow) -> ScreenMessage<ModelRows> {
        .page(.changed([.row(story, position: story.position)]))
    }

    @Test func `a conflict keeps what was typed, shows what is there now, and is handed in on the new version`() throws
    {
        var driven = try edited("Mine")
        driven.press(.enter)
        let first = try submitted(&driven)
        expect(first.1 == .edit(id: "a", version: 3) && revised(first.0) == ["Mine", nil])
        driven.hand(.form(.conflict(4, "story-a is at version 4, not 3")))
        expect(driven.lines[22] == " story-a is at version 4, not 3")
        driven.hand(row(try theirs()))
        expect(driven.lines[3].hasSuffix("Mine") && driven.lines[4].hasSuffix("now: Theirs"))
        expect(driven.lines[5].hasSuffix("new"), "what was not touched is as it is now")
        expect(driven.lines[22] == " changed meanwhile (version 4). Enter overwrites, Esc keeps theirs")
        driven.press(.enter)
        let second = try submitted(&driven)
        expect(second.1 == .edit(id: "a", version: 4) && revised(second.0) == ["Mine", nil])
        driven.hand(.form(.written("revised")))
        expect(try driven.list.window.rows.count == 1)
    }

    @Test func `the row may be told before the refusal, but an older one is not taken for the new one`() throws {
        var driven = try edited("Mine")
        expect(
            driven.browser.subscriptions(for: driven.state)
                == [
                    .terminal, .heartbeat, .renames,
                    .screen(1, AnySubscription(.row(id: "a"), of: ModelRows("stories"))),
                ])
        driven.hand(row(try theirs(4)))
        expect(driven.lines[4] == "", "nothing is said before it is handed in")
        driven.press(.enter)
        driven.hand(.form(.conflict(5, "story-a is at version 5, not 3")))
        expect(driven.lines[22] == " story-a is at version 5, not 3")
        driven.hand(row(try theirs(5)))
        expect(driven.lines[22].contains("(version 5)"))
        driven.press(.enter)
        expect(try submitted(&driven).1 == .edit(id: "a", version: 5))
        driven.hand(row(try theirs(6)))
        driven.hand(.form(.conflict(6, "m")))
        expect(driven.lines[22].contains("(version 6)"))
    }

    @Test func `who typed the same as the other one has nothing left to write`() throws {
        var driven = try edited("Theirs")
        driven.press(.enter)
        driven.hand(.form(.conflict(4, "m")))
        driven.hand(row(try theirs()))
        expect(driven.lines[4] == "")
        _ = try submitted(&driven)
        driven.press(.enter)
        expect(revised(try submitted(&driven).0) == [nil, nil])
    }

    @Test func `a row that is gone is told, and what was typed is kept`() throws {
        var driven = try edited("Mine")
        driven.hand(.page(.changed([.absent(position: 50)])))
        expect(driven.lines[22] == " story a was deleted; its history remains" && driven.lines[3].hasSuffix("Mine"))
    }

    @Test func `a deletion is asked for first, and every other key but y leaves the row alone`() throws {
        var driven = try listed()
        driven.type("d")
        _ = driven.takeCommands()
        expect(driven.lines[1] == "delete story a?" && driven.lines[3] == "title         Spring")
        expect(driven.lines.contains("y deletes it, and its history remains; any other key keeps it"))
        for key in [Key.enter, .tab, .backspace, .character("d"), .character("q"), .character("n")] {
            driven.press(key)
            let isRead = driven.takeCommands(of: ModelRows.self).allSatisfy {
                if case .list = $0 { true } else { false }
            }
            expect(isRead, "\(key)")
            expect(try driven.list.selection?.id == "a", "\(key)")
            driven.type("d")
            expect(driven.lines[1] == "delete story a?", "\(key)")
        }
        driven.press(.escape)
        driven.type("dy")
        expect(try submitted(&driven).1 == .delete(id: "a", version: 3))
        driven.type("y")
        expect(driven.takeCommands().isEmpty, "it is asked for once")
        driven.hand(.form(.written("deleted: story-a version 4, position 40")))
        expect(driven.lines[22] == " deleted: story-a version 4, position 40")
    }

    @Test func `a row that changed after the question is shown before it is deleted`() throws {
        var driven = try listed()
        driven.type("dy")
        driven.hand(row(try theirs()))
        expect(driven.lines[3] == "title         Spring")
        driven.hand(.form(.conflict(4, "m")))
        expect(
            driven.lines[3] == "title         Theirs"
                && driven.lines[22] == " changed meanwhile (version 4). y deletes it, n keeps it")
        _ = driven.takeCommands()
        driven.type("y")
        expect(try submitted(&driven).1 == .delete(id: "a", version: 4))
    }

    @Test func `users are not deleted`() throws {
        expect(
            try Fixtures.rows("users").draft(for: .delete(id: "1", version: 1), of: nil, in: .init(), by: nil) == nil)
    }
}
