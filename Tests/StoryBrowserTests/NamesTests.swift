import TestSupport
import Testing

@testable import StoryBrowser
@testable import StoryClient

/// What users are called, without a store.
@Suite struct NamesTests {
    private func listed() throws -> Driven {
        var driven = Driven()
        try driven.answer(try Fixtures.stories([2, 1]), position: 9)
        return driven
    }

    @Test func `rows show IDs until the names are told, and each is asked for once`() throws {
        var driven = try listed()
        expect(driven.asked == ["007", "008"])
        expect(driven.lines[3].contains(" 007 "))
        driven.send(.names([.user("007"): "Aya", .user("008"): "Bo\u{1B}[2Jb"]))
        expect(driven.lines[3].contains(" Aya ") && driven.lines[4].contains(" Aya "))
        expect(!driven.lines[3].contains("\u{1B}") && !driven.lines[3].contains(" 008 "))
        driven.press(.down, .enter)
        driven.hand(.page(.changed([.row(try Fixtures.story("s1", 1), position: 9)])))
        expect(driven.lines[3] == "from          Aya (007)")
        expect(driven.asked.count == 2)
    }

    @Test func `a page's own people are asked for`() throws {
        var driven = Driven()
        try driven.answer([])
        driven.type("4")
        let photo: ModelRow = try Fixtures.decode(
            """
            {"id":"1","version":1,"position":1,"owner":"x","iso":100,"exposureValue":0,"exposureDuration":"1/2",
            "date":"2026-01-01T00:00:00Z"}
            """)
        guard case .list(let request)? = driven.takeLastCommand(of: ModelRows.self) else { throw Driven.NoSuchScreen() }
        let number = driven.state.route.location.number
        let page = Page(rows: [photo], next: nil, position: 1)
        driven.send(.screen(number, AnyMessage(.list(.loaded(request, page)), of: ModelRows("photos"))))
        expect(driven.asked == ["x"])
        driven.send(.names([.user("x"): "Xaver"]))
        expect(driven.lines[3].contains("Xaver"))
    }

    @Test func `who was renamed keeps his name until the new one is told`() throws {
        var driven = try listed()
        driven.send(.names([.user("007"): "Aya", .user("008"): "Ben"]))
        driven.send(.renamed(.user("007")))
        expect(driven.asked == ["007", "008", "007"] && driven.lines[3].contains(" Aya "))
        driven.send(.renamed(.user("nobody who is shown")))
        driven.send(.names([.user("007"): "Anna"]))
        expect(driven.asked.count == 3 && driven.lines[3].contains(" Anna "))
    }

    @Test func `names that were read before renames are followed are read once more`() throws {
        var driven = try listed()
        driven.send(.names([.user("007"): "Aya", .user("008"): "Ben"]))
        driven.send(.renamesFollowed(kind: "photos"))
        expect(driven.asked.count == 2)
        driven.send(.renamesFollowed(kind: "users"))
        expect(driven.asked.count == 4 && Set(driven.asked.suffix(2)) == ["007", "008"])
        driven.send(.names([.user("008"): "Bo"]))
        expect(driven.lines[3].contains(" Aya ") && driven.lines[3].contains(" Bo "))
    }

    @Test func `who cannot be had is shown by ID, and asked for again once the store is there again`() throws {
        var driven = try listed()
        driven.send(.names([.user("007"): nil, .user("008"): "Ben"]))
        driven.press(.down, .up)
        expect(driven.asked.count == 2 && driven.lines[3].contains(" 007 "))
        driven.send(.lost("away"))
        driven.send(.connected(9, log: "a"))
        expect(driven.asked == ["007", "008", "007"])
    }

    @Test func `no more names are kept than so many, and those on the screen are asked for again`() {
        var names = Names()
        let many = (0...2_000).map { Reference.user("u\($0)") }
        expect(names.ask(for: many).count == 2_001)
        names.take(Dictionary(uniqueKeysWithValues: many.map { ($0, "N") }))
        expect(names.ask(for: [.user("u7"), .user("u8"), .user("u7")]) == [.user("u7"), .user("u8")])
        expect(names.name(of: .user("u9")) == "u9")
    }
}
