import TestSupport
import Testing

@testable import StoryBrowser
@testable import StoryClient

/// Forms, without a store.
@Suite struct FormTests {
    /// The form of a new story, opened from a list.
    private func form() throws -> Driven {
        var driven = Driven()
        try driven.answer([])
        driven.type("n")
        return driven
    }

    @Test func `every wrong field is shown beside it, all at once, and the first one is edited`() throws {
        var driven = try form()
        driven.press(.tab)
        driven.type("text?q1")
        driven.press(.enter)
        guard case .submit(let draft, .new)? = driven.takeLastCommand(of: ModelRows.self) else {
            throw Driven.NoSuchScreen()
        }
        expect(draft.named("message")?.text == "text?q1")
        driven.type("x")
        expect(try driven.draft == draft, "what was handed in is not changed meanwhile")
        let wrong = [InvalidField("title", "must not be empty"), InvalidField("sender", "there is no user \"\"")]
        driven.hand(.form(.wrong(wrong + [InvalidField("key", "is wrong")], "2 fields are wrong")))
        let indent = String(repeating: " ", count: 18)
        let expected =
            [
                "a new story", "", "▸ title", indent + "✗ must not be empty", "  message         text?q1", "",
                "  from (user ID)", indent + "✗ there is no user \"\"", "  to (user ID)",
            ] + Array(repeating: "", count: 12) + [
                " 2 fields are wrong; key: is wrong",
                " Tab next field  Enter save  Ctrl-J new line  Esc cancel",
            ]
        expect(Array(driven.lines.dropFirst()) == expected)
        driven.type("T")
        expect(driven.lines[4] == "", "what is typed anew is not wrong any more")
        expect(driven.lines[8] != "")
    }

    @Test func `a form that was written leads back and says so`() throws {
        var driven = try form()
        driven.press(.enter)
        driven.hand(.form(.written("posted: story-a version 1, position 7")))
        expect(try driven.list.window.rows.isEmpty)
        expect(driven.lines[22] == " posted: story-a version 1, position 7")
    }

    @Test func `a refusal keeps the form and says why`() throws {
        var driven = try form()
        driven.type("T")
        driven.press(.enter)
        driven.hand(.form(.refused("the map is full")))
        expect(try driven.draft.fields[0].text == "T")
        expect(driven.lines[22] == " the map is full")
        driven.press(.escape)
        expect(driven.lines[22].hasPrefix(" Esc once more leaves the form"))
        driven.type("U")
        driven.press(.escape)
        expect(try driven.draft.fields[0].text == "TU", "another key is no second Esc")
        driven.press(.escape)
        expect(try driven.list.selection == nil)
    }

    @Test func `pasted text is text in a field, all of it, with its line ends`() throws {
        var driven = try form()
        driven.press(.tab)
        driven.type("ab")
        driven.press(.left, .pasted("one\ntwo\ty"))
        expect(try driven.draft.fields[1].text == "aone\ntwo\tyb" && driven.draft.fields[1].cursor == 10)
        expect(driven.takeLastCommand(of: ModelRows.self) == nil, "nothing was handed in")
        driven.press(.pasted(String(repeating: "x", count: Draft.limit)))
        expect(try driven.draft.fields[1].text == "aone\ntwo\tyb", "a part of it would be no text of anyone")
        expect(driven.lines[21].hasPrefix(" the pasted text has 12000 characters, and a field at most 12000"))
        driven.press(.pasted(nil))
        expect(driven.lines[21].hasPrefix(" the pasted text is not UTF-8"))
        driven.press(.tab, .pasted("007\n"))
        expect(try driven.draft.fields[2].text == "007", "a copied line that names a user")
    }

    @Test func `pasted letters are no keys of a list, a page, a question or the help`() throws {
        var driven = Driven()
        try driven.answer(try Fixtures.stories([1, 2]))
        _ = driven.takeCommands()
        driven.press(.pasted("d\nyq?"))
        expect(try driven.list.selection?.id == "s1" && driven.takeCommands().isEmpty)
        driven.type("?")
        let help = driven.lines
        driven.press(.pasted("q"))
        expect(driven.lines == help)
        driven.type("?")
        driven.type("d")
        expect(driven.lines.contains { $0.contains("y deletes it") })
        driven.press(.pasted("y"))
        expect(driven.takeCommands().isEmpty && driven.lines.contains { $0.contains("y deletes it") })
    }

    @Test(arguments: [.character("x"), .enter, .up, .alt("y"), .character("n"), .escape, .tab] as [Key])
    func `a question ends, unanswered, with any other key`(key: Key) throws {
        var driven = Driven()
        try driven.answer(try Fixtures.stories([1, 2]))
        driven.type("d")
        expect(driven.lines.contains { $0.contains("y deletes it") })
        _ = driven.takeCommands()
        driven.press(key)
        expect(!driven.lines.contains { $0.contains("y deletes it") })
        guard case .submit? = driven.takeLastCommand(of: ModelRows.self) else { return }
        Issue.record("the row was deleted")
    }

    @Test func `fields are edited in place`() throws {
        var driven = try form()
        driven.type("Sprng日")
        driven.press(.left, .left, .left)
        driven.type("i")
        expect(try driven.draft.fields[0].text == "Spring日")
        driven.press(.end, .backspace, .home, .delete)
        driven.type("s")
        expect(try driven.draft.fields[0].text == "spring" && driven.draft.fields[0].cursor == 1)
        driven.press(.control("j"))
        expect(try driven.draft.fields[0].text == "s\npring")
        driven.press(.control("u"))
        driven.type("e")
        driven.press(.character("\u{301}"))
        expect(try driven.draft.fields[0].text == "é" && driven.draft.fields[0].cursor == 1)
        driven.press(.right, .right, .backspace, .backspace, .delete)
        expect(try driven.draft.fields[0].text == "")
        driven.press(.backTab)
        expect(try driven.draft.focus == 3)
        driven.press(.tab)
        expect(try driven.draft.focus == 0)
    }

    @Test func `of a text that is too long the part around the cursor is shown`() {
        for count in [1, 10, 40, 300] {
            for wide in [false, true] {
                var field = DraftField(name: "f", label: "f", original: "", text: "", cursor: 0, error: nil)
                for number in 0..<count { field.insert(wide ? "日" : Character("\(number % 10)")) }
                for step in stride(from: 0, through: count, by: 7) {
                    field.cursor = step
                    let (before, at, after) = field.shown(in: 20)
                    expect(Shown.width(before + at + after) <= 20, "\(count) \(step)")
                    expect(field.text.isEmpty || (field.text + " ").contains(before + at + after))
                }
            }
        }
    }

    @Test func `a filter is a form: what is no filter is marked, and a good one asks the list anew`() throws {
        var driven = Driven()
        try driven.answer([])
        driven.type("/")
        driven.type("a b")
        driven.press(.tab, .tab)
        driven.type("some day")
        driven.press(.enter)
        expect(driven.lines[4].contains("✗ must be an ID") && driven.lines[8].contains("✗ must be a date"))
        driven.press(.control("u"))
        driven.type("007")
        driven.press(.tab, .tab, .control("u"))
        driven.type("2026-01-02")
        driven.press(.enter)
        let request = try driven.takeListRequest()
        expect(
            request.query.filter.values == ["sender": "007"]
                && request.query.filter.bounds?.since == "2026-01-02T00:00:00.000Z")
        expect(driven.lines[1] == "sender=007 since=2026-01-02T00:00:00.000Z · by date, descending · …")
        driven.type("/")
        expect(try driven.draft.fields.map(\.text) == ["007", "", "2026-01-02T00:00:00.000Z", ""])
    }

    @Test func `numbers that are none are told before anything is sent`() async throws {
        let nobody = StoreClient(StoreAddress(path: "/tmp/nobody-listens-here"))
        let photos = try Fixtures.rows("photos")
        var draft = try require(photos.draft(for: .new, of: nil, in: .init(), by: "007"))
        draft.fields[1].text = "many"
        draft.fields[6].text = "yes"
        let submission = await photos.submit(draft, for: .new, to: nobody)
        guard case .wrong(let wrong, _) = submission else { throw Driven.NoSuchScreen() }
        expect(wrong.map(\.field) == ["iso", "exposureValue", "flash"])
        expect(wrong.first?.message == "must be a number")
    }
}
