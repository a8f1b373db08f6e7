import TestSupport
import Testing

@testable import StoryBrowser

@Suite struct ScreenTests {
    private let size = Size(columns: 20, rows: 3)

    @Test func `a line is cut and filled to exactly its width, wide characters whole or not at all`() {
        for text in ["", "short", "exactly twenty chars", "日本語の長い文章はここで切れる", "a日本語の長い文章はここで切れる", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦"] {
            var line = Line(text, .bold)
            line.add(" and more")
            expect(line.fitted(to: 20).width == 20, "\(text)")
            expect(line.fitted(to: 21).width == 21, "\(text)")
        }
        expect(Screen([Line("日本語の長い文章はここで切れる")], size).text == ["日本語の長い文章は…", "", ""])
    }

    @Test func `what the store sends moves no cursor and changes no colour`() {
        let line = Line("a\u{1B}[2Jb\u{7}\n\u{9B}c\u{202E}d\u{200B}")
        expect(line.text == "a\u{FFFD}[2Jb\u{FFFD}⏎\u{FFFD}c\u{FFFD}d\u{FFFD}")
    }

    @Test func `a terminal shows each screen, and is sent only the lines that differ`() {
        var (encoder, terminal) = (ScreenEncoder(hasColours: true), VirtualScreen(columns: 20, rows: 3))
        func show(_ screen: Screen) -> Int {
            let bytes = encoder.bytes(for: screen)
            terminal.take(String(decoding: bytes, as: UTF8.self))
            expect(terminal.lines == screen.text)
            return bytes.count
        }
        let first = show(Screen([Line("日本語 éè", .reverse), Line("two"), Line("three", [.red, .bold])], size))
        let second = show(Screen([Line("日本語 éè", .reverse), Line("TWO"), Line("three", [.red, .bold])], size))
        expect(second < first / 2 && second > 0)
        expect(show(Screen([Line("日本語 éè", .reverse), Line("TWO"), Line("three", [.red, .bold])], size)) == 0)
        _ = show(Screen([Line("exactly twenty chars"), Line("日本語の長い文章は日本"), Line()], size))
        expect(terminal.lines[0].last == "s", "the last column is shown as well")
        expect(terminal.overruns == 0)
    }

    @Test func `without colours there is none, but the other looks stay`() {
        var (plain, coloured) = (ScreenEncoder(hasColours: false), ScreenEncoder(hasColours: true))
        let screen = Screen([Line("x", [.red, .bold])], size)
        expect(!String(decoding: plain.bytes(for: screen), as: UTF8.self).contains("31m"))
        expect(String(decoding: coloured.bytes(for: screen), as: UTF8.self).contains("\u{1B}[0;1;31mx"))
    }

    @Test func `characters are as wide as the system has them`() {
        // What terminals disagree about is left out: characters that a second one changes, and those of ambiguous width.
        let letters = "aé日本한글ｶﾅＦｕ、。「」😀🚀⭐✅⌚☕❌➕⬛🀄🃏㋿㍿𠀀𝄞ΩЖא"
        for scalar in letters.unicodeScalars {
            expect(
                Shown.width(String(scalar)) == VirtualScreen.width(scalar),
                "\(scalar) U+\(String(scalar.value, radix: 16))")
        }
        expect(Shown.width("e\u{301}") == 1 && Shown.width("❤️") == 2 && Shown.width("🇯🇵") == 2 && Shown.width("👨‍👩‍👧") == 2)
    }

    @Test func `a longer text is broken at spaces, or inside a word that is too long`() {
        expect(Wrapping.lines(of: "one two three\n\nfour", columns: 8, limit: 9) == ["one two", "three", "", "four"])
        expect(Wrapping.lines(of: "abcdefghij kl", columns: 4, limit: 9) == ["abcd", "efgh", "ij", "kl"])
        expect(Wrapping.lines(of: "日本語の話", columns: 5, limit: 9) == ["日本", "語の", "話"])
        expect(Wrapping.lines(of: "a\r\nb", columns: 5, limit: 1) == ["a"])
        for width in 2...30 {
            let text = String(repeating: "ein langer Satz mit 日本語 und nochmehrohnelücke\t", count: 5)
            let lines = Wrapping.lines(of: text, columns: width, limit: 1_000)
            expect(lines.allSatisfy { Shown.width($0) <= width }, "\(width): \(lines)")
            expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " && $0 != "\t" })
        }
    }
}
