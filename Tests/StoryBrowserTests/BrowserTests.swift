import TestSupport
import Testing

@testable import StoryBrowser
@testable import StoryClient

/// What the root does itself.
@Suite struct BrowserTests {
    @Test func `the lists begin a route anew`() throws {
        var driven = Driven()
        try driven.answer(try Fixtures.stories([1]))
        driven.press(.enter)
        let titles = ["store", "stories", "users", "messages", "photos", "models", "streams", "log"]
        for (key, title) in titles.enumerated().map({ ("\($0)", $1) }) {
            driven.type(key)
            expect(driven.lines[0].hasPrefix(" \(title) ") && driven.state.route.previous == nil)
        }
    }

    @Test func `a terminal that is too small says so, and a larger one shows more`() throws {
        var driven = Driven()
        try driven.answer(try Fixtures.stories((0..<50).reversed()))
        driven.send(.resized(Size(columns: 79, rows: 24)))
        expect(driven.lines[0] == "this terminal is 79×24; the browser needs 80×24")
        driven.send(.resized(Size(columns: 10, rows: 1)))
        expect(driven.state.screen.lines.map(\.width) == [10])
        driven.send(.resized(Size(columns: 120, rows: 40)))
        expect(driven.lines.count == 40 && driven.state.screen.lines.allSatisfy { $0.width == 120 })
        expect(driven.lines[37].contains("story 15"))
        expect(driven.takeCommands().isEmpty, "another size is no reason to ask again")
    }

    @Test func `every screen fits every size`() throws {
        var screens: [Driven] = []
        var driven = Driven()
        try driven.answer([Fixtures.story("日本", 1, title: "題👍", message: String(repeating: "長い文 word ", count: 300))])
        screens.append(driven)
        driven.press(.enter)
        driven.hand(
            .page(
                .changed([
                    .row(
                        try Fixtures.story("日本", 1, title: "題👍", message: String(repeating: "長い文 word ", count: 300)),
                        position: 1)
                ])))
        screens.append(driven)
        driven.type("e")
        screens.append(driven)
        driven.press(.escape)
        driven.type("?")
        screens.append(driven)
        for var driven in screens {
            for size in [
                Size(columns: 80, rows: 24), Size(columns: 81, rows: 25), Size(columns: 200, rows: 60),
                Size(columns: 1, rows: 1),
            ] {
                driven.send(.resized(size))
                let lines = driven.state.screen.lines
                expect(lines.count == size.rows && lines.allSatisfy { $0.width == size.columns }, "\(size)")
            }
        }
    }

    @Test func `a lost connection is told, and that it is there again`() {
        var driven = Driven()
        driven.send(.connected(7, log: "a"))
        expect(driven.lines[0].hasSuffix("position 7"))
        driven.send(.lost("nobody answers"))
        expect(driven.lines[0].hasSuffix("connection lost") && driven.lines[22] == " nobody answers")
        driven.send(.connected(8, log: "a"))
        expect(driven.lines[0].hasSuffix("position 8") && driven.lines[22] == " connected again")
        driven.press(.down)
        expect(driven.lines[22] == "")
        driven.send(.connected(9, log: nil))
        expect(driven.lines[22] == "")
        driven.send(.connected(5, log: "b"))
        expect(driven.lines[22].hasPrefix(" the store has another history now"))
    }

    @Test func `help is shown over everything until a key is pressed, and q quits`() {
        var driven = Driven()
        driven.type("?")
        expect(driven.lines[1] == "the keys")
        expect(
            driven.lines.contains { $0.hasSuffix("ends the browser") }, "the last key is shown on the smallest screen")
        driven.type("q")
        expect(driven.state.ending == nil && driven.lines[1] != "the keys")
        driven.type("q")
        expect(driven.state.ending == .quit)
        var other = Driven()
        other.type("n")
        other.type("q")
        expect(other.state.ending == nil, "in a form it is a letter")
        other.press(.control("c"))
        expect(other.state.ending == .interrupted)
    }

    @Test func `an answer for a screen that is not there any more is ignored, one below the top is taken`() throws {
        var driven = Driven()
        let request = try driven.takeListRequest()
        driven.type("n")
        let page = Page(rows: try Fixtures.stories([1]), next: nil, position: 1)
        driven.send(.screen(0, AnyMessage(.list(.loaded(request, page)), of: ModelRows("stories"))))
        driven.send(.screen(99, AnyMessage(.written("nobody"), of: ModelRows("stories"))))
        driven.send(.screen(0, AnyMessage(.written("another coordinator's"), of: Models())))
        expect(driven.state.notice == nil)
        driven.press(.escape)
        expect(try driven.list.window.rows.map(\.id) == ["s1"])
    }
}
