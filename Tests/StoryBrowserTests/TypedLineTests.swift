import TestSupport
import Testing

@testable import StoryBrowser

/// The prompt's line, without a terminal.
struct TypedLineTests {
    private func typed(_ text: String, into line: TypedLine = TypedLine()) -> TypedLine {
        var line = line
        for scalar in text.unicodeScalars { _ = line.press(.character(Character(scalar))) }
        return line
    }

    private func pressed(_ keys: Key..., on line: TypedLine) -> TypedLine {
        var line = line
        for key in keys { _ = line.press(key) }
        return line
    }

    @Test func `every character is kept, scalar by scalar`() {
        let text = "José e\u{301} あ 👩‍👩‍👧 🇯🇵 \u{FEFF}x محمد"
        var line = typed(text)
        expect(Array(line.text.unicodeScalars) == Array(text.unicodeScalars))
        expect(line.press(.enter) == .entered(text))
    }

    @Test func `a key changes a whole character`() {
        var line = pressed(.backspace, .backspace, on: typed("ae\u{301}👩‍👩‍👧"))
        expect((line.text, line.cursor) == ("a", 1))
        line = pressed(.left, on: typed("あい"))
        expect(typed("x", into: line).text == "あxい")
        expect(pressed(.delete, on: line).text == "あ")
        line = pressed(.home, .control("k"), on: typed("one two"))
        expect((line.text, line.cursor) == ("", 0))
        expect(pressed(.control("y"), on: line).text == "one two")
        expect(pressed(.control("w"), on: typed("one two")).text == "one ")
        expect(pressed(.left, .control("u"), on: typed("one")).text == "e")
        expect(pressed(.escape, .character("b"), on: typed("one two")).cursor == 4)
    }

    @Test func `earlier lines come back, and the new one behind them`() {
        var line = TypedLine(history: ["PING", "GET users/1"])
        line = pressed(.up, .up, .up, on: typed("new", into: line))
        expect(line.text == "PING")
        expect(pressed(.down, .down, on: line).text == "new")
        line.begin(keeping: "QUIT")
        expect((line.text, line.history) == ("", ["PING", "GET users/1", "QUIT"]))
        line.begin(keeping: "QUIT")
        expect(line.history.count == 3)
        line = typed("users", into: pressed(.control("r"), on: line))
        expect((line.text, line.searched) == ("GET users/1", "users"))
        expect(line.press(.enter) == .entered("GET users/1"))
    }

    @Test func `bytes that are no text spoil the line until another begins`() {
        var decoder = KeyDecoder()
        var line = TypedLine()
        for key in decoder.keys([0x50, 0xE9, 0x4E]) { _ = line.press(key) }
        expect(line.press(.enter) == .refused)
        line.begin()
        line = typed("PING", into: line)
        expect(line.press(.enter) == .entered("PING"))
    }

    @Test func `Ctrl-D ends an empty line only`() {
        var line = TypedLine()
        expect(line.press(.control("d")) == .end)
        line = typed("ab", into: line)
        expect(line.press(.control("d")) == .editing)
        expect(line.press(.tab) == .completion)
    }

    @Test func `a line goes on in the next row where one is full`() {
        let layout = LineLayout("> ", typed("12345678"), width: 10)
        expect(layout.end == LineLayout.Cell(row: 1, column: 0))
        let wide = LineLayout("> ", pressed(.left, on: typed("1234567あ")), width: 10)
        expect((wide.cursor, wide.end) == (LineLayout.Cell(row: 0, column: 9), LineLayout.Cell(row: 1, column: 2)))
        expect(LineLayout("> ", TypedLine(), width: 10).cursor == LineLayout.Cell(row: 0, column: 2))
    }
}
