import TestSupport
import Testing

@testable import StoryBrowser
@testable import StoryClient

/// Users in forms and lists, by what people know of them, without a store.
@Suite struct PeopleTests {
    private let aya = NamedRow(id: "007", name: "Aya Sato", note: "aya@example.org")
    private let ayumi = NamedRow(id: "009", name: "Ayumi", note: "ayumi@example.org")
    private let indent = String(repeating: " ", count: 18)

    /// The form of a new story, with a text typed for its sender.
    private func form(typed text: String) throws -> Driven {
        var driven = Driven()
        try driven.answer([])
        driven.type("n")
        driven.press(.tab, .tab)
        driven.type(text)
        return driven
    }

    private func sought(_ commands: [AnyCommand]) -> [String] {
        commands.compactMap { command in
            if case ScreenCommand<ModelRows>.find(let text, kind: "users") = command.command { text } else { nil }
        }
    }

    @Test func `a name that is typed is looked for, and who is found is offered below`() throws {
        var driven = try form(typed: "ay")
        expect(sought(driven.takeCommands()) == ["a", "ay"])
        driven.hand(.found(FoundRows(kind: "users", text: "ay", rows: [aya, ayumi])))
        expect(driven.lines[7].hasPrefix("▸ from (user ID)"))
        expect(
            driven.lines[8...9] == [
                indent + "Aya Sato (007)  aya@example.org", indent + "Ayumi (009)  ayumi@example.org",
            ])
        expect(driven.lines[23] == " ↑↓ choose  Enter take  Esc close")
        driven.press(.down, .enter)
        expect(try driven.draft.fields[2].text == "009" && driven.draft.focus == 2)
        expect(driven.lines[8] == indent + "Ayumi" && driven.lines[9] == "  to (user ID)")
        expect(driven.takeCommands().isEmpty, "Enter took the user and submitted nothing")
        driven.press(.enter)
        guard case .submit(let draft, .new)? = driven.takeLastCommand(of: ModelRows.self) else {
            throw Driven.NoSuchScreen()
        }
        expect(draft.named("sender")?.text == "009")
    }

    @Test func `Tab takes who is chosen, and the next Tab goes on`() throws {
        var driven = try form(typed: "ay")
        driven.hand(.found(FoundRows(kind: "users", text: "ay", rows: [aya, ayumi])))
        driven.press(.down, .up, .up, .tab)
        expect(try driven.draft.fields[2].text == "007" && driven.draft.focus == 2)
        driven.press(.tab)
        expect(try driven.draft.focus == 3)
        expect(driven.lines[8] == indent + "Aya Sato" && driven.lines[10] == indent + "a name or an ID")
    }

    @Test func `Esc closes the list alone, and typing on closes it as well`() throws {
        var driven = try form(typed: "ay")
        driven.hand(.found(FoundRows(kind: "users", text: "ay", rows: [aya])))
        driven.press(.escape)
        expect(driven.lines[8] == "" && driven.lines[22] == "")
        expect(try driven.draft.fields[2].text == "ay")
        driven.hand(.found(FoundRows(kind: "users", text: "ay", rows: [aya])))
        driven.type("u")
        expect(try driven.draft.fields[2].text == "ayu")
        driven.hand(.found(FoundRows(kind: "users", text: "ay", rows: [aya])))
        expect(!driven.lines[8].contains("Aya"), "an answer for another text is not shown")
        driven.press(.escape)
        expect(driven.lines[22].hasPrefix(" Esc once more leaves the form"))
    }

    @Test func `an ID is taken as it is, with its name below`() throws {
        var driven = try form(typed: "007")
        driven.hand(.found(FoundRows(kind: "users", text: "007", exact: aya)))
        expect(driven.lines[8] == indent + "Aya Sato")
        driven.press(.enter)
        guard case .submit? = driven.takeLastCommand(of: ModelRows.self) else { throw Driven.NoSuchScreen() }
    }

    @Test func `an empty field, and a field for something else, look for nobody`() throws {
        var driven = try form(typed: " ")
        driven.press(.backspace, .backTab)
        driven.type("some text")
        expect(sought(driven.takeCommands()).isEmpty)
    }

    @Test func `of two users the one that is typed is looked for`() throws {
        var driven = Driven()
        driven.type("3/")
        driven.press(.tab, .tab, .tab)
        driven.type("008,ay")
        expect(sought(driven.takeCommands()).suffix(2) == ["a", "ay"])
        let number = driven.state.route.location.number
        driven.send(
            .screen(
                number, AnyMessage(.found(FoundRows(kind: "users", text: "ay", rows: [aya])), of: ModelRows("messages"))
            ))
        driven.press(.enter)
        expect(try driven.draft.fields[3].text == "008,007")
    }

    @Test func `a long list of users shows those around the chosen one`() throws {
        var driven = try form(typed: "u")
        let people = (0..<20).map { NamedRow(id: "u\($0)", name: "User \($0)", note: "u\($0)@example.org") }
        driven.hand(.found(FoundRows(kind: "users", text: "u", rows: people)))
        for _ in 0..<30 { driven.press(.down) }
        expect(driven.lines[13] == indent + "User 19 (u19)  u19@example.org")
        expect(driven.lines[8] == indent + "User 14 (u14)  u14@example.org")
    }

    @Test func `the messages of a user are those received and those sent, and a key leads to the others`() throws {
        var driven = Driven()
        driven.type("2")
        guard case .list(let request)? = driven.takeLastCommand(of: ModelRows.self) else { throw Driven.NoSuchScreen() }
        let user: ModelRow = try Fixtures.decode(
            """
            {"id":"007","version":1,"position":1,"name":"Aya","email":"a@example.org","prefecture":3,
            "date":"2026-01-01T00:00:00Z"}
            """)
        let number = driven.state.route.location.number
        let page = Page(rows: [user], next: nil, position: 1)
        driven.send(.screen(number, AnyMessage(.list(.loaded(request, page)), of: ModelRows("users"))))
        driven.type("M")
        expect(driven.lines[1].hasPrefix("sender=007 · by date"))
        expect(driven.asked == ["007"])
        driven.send(.names([.user("007"): "Aya"]))
        expect(driven.lines[1].hasPrefix("sender=007 (Aya) · by date"))
        expect(driven.lines[23] == " ↑↓ move  Enter open  / filter  m inbox  n new  v see  u sender  ? help  q quit")
        driven.type("m")
        expect(driven.lines[1].hasPrefix("recipient=007 (Aya) · by date") && driven.lines[23].contains(" M outbox "))
        driven.type("m")
        expect(driven.lines[1].hasPrefix("recipient=007"), "it is the inbox already")
        driven.type("M")
        expect(driven.lines[1].hasPrefix("sender=007"))
        driven.press(.escape)
        driven.type("m")
        expect(driven.lines[0].hasPrefix(" users › messages ") && driven.lines[1].hasPrefix("recipient=007"))
    }
}
