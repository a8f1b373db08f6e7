import Foundation
import StoryCore
import StoryWords
import TestSupport
import Testing

struct WordReaderTests {
    /// The words of a text; one of a script without spaces has a `~` before it.
    private func words(_ text: String) -> [String] {
        var words: [String] = []
        WordReader().read(text) { word in
            let scalars = word.characters.compactMap { Unicode.Scalar($0) }
            words.append((word.isRun ? "~" : "") + String(String.UnicodeScalarView(scalars)))
        }
        return words
    }

    private static let fixture = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures/words.tsv")

    @Test func `the words of texts in all scripts are those that another table of Unicode has`() throws {
        let path = ProcessInfo.processInfo.environment["WORD_CASES"].map { URL(filePath: $0) } ?? Self.fixture
        let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
        expect(lines.count > 1_500)
        for line in lines {
            let array = "[" + line.split(separator: "\t").joined(separator: ",") + "]"
            let parts = try require(JSONSerialization.jsonObject(with: Data(array.utf8)) as? [String])
            let found = words(parts[0])
            // Compared by characters: strings that are canonically the same are equal to Swift.
            expect(
                found.map { Array($0.unicodeScalars) } == parts.dropFirst().map { Array($0.unicodeScalars) },
                "\(line): \(found)")
        }
    }

    @Test func `a text of any length has the words of its parts`() {
        for part in ["日本語", "é", "ab ", "\u{0E48}", "e\u{301}", "👩"] {
            let text = String(repeating: part, count: 5_000)
            let expected = part == "ab " ? Array(repeating: "ab", count: 5_000) : nil
            let found = words(text)
            if let expected { expect(found == expected) }
            if part == "日本語" { expect(found == ["~" + text]) }
            if part == "é" || part == "e\u{301}" { expect(found == [String(repeating: "e", count: 64)]) }
            if part == "👩" { expect(found.isEmpty) }
        }
        // No allocation grows with it beyond the run's own characters.
        expect(words(String(repeating: "ﷺ", count: 100_000)).allSatisfy { $0.unicodeScalars.count <= 64 })
    }

    @Test func `bytes that are no UTF-8 have no words and stop nothing`() {
        var words: [Int] = []
        let bytes: [UInt8] = [0x61, 0xFF, 0x62, 0xC3, 0x28, 0xE3, 0x81]
        bytes.withUnsafeBytes { WordReader().read($0) { words.append($0.characters.count) } }
        expect(words == [1, 1])
    }
}

struct QuestionReaderTests {
    private func question(_ text: String) throws(FieldError) -> WordQuestion {
        let result = Array(text.utf8).withUnsafeBytes { bytes in
            Result { () throws(FieldError) in try WordQuestion(spelled: bytes) }
        }
        return try result.get()
    }

    /// The parts, with `-` before unwanted ones, `_` between words and `*` behind an open one.
    private func parts(_ text: String) throws -> [String] {
        let question = try question(text)
        func spelled(_ part: WordQuestion.Part) -> String {
            part.words.map { word in String(String.UnicodeScalarView(word.characters.compactMap { Unicode.Scalar($0) }))
            }
            .joined(separator: "_") + (part.isPrefix ? "*" : "")
        }
        return question.wanted.map(spelled) + question.unwanted.map { "-" + spelled($0) }
    }

    @Test(
        arguments: [
            ("spring cherry", ["spring", "cherry"]), ("  Spring\u{3000}-CHERRY\t", ["spring", "-cherry"]),
            ("ann@example.org -cancelled", ["ann_example_org", "-cancelled"]),
            (#""two words" two-words"#, ["two_words", "two_words"]), (#"a"b c"d"#, ["a", "b_c", "d"]),
            (#""open quote"#, ["open_quote"]), (#"-"no such" x"#, ["x", "-no_such"]), ("spr*", ["spr*"]),
            ("ann@exa*", ["ann_exa*"]), ("spr**", ["spr*"]), ("spring.*", ["spring"]), (#""sp*" x"#, ["sp", "x"]),
            ("… spring - ** \"\"", ["spring"]), ("日本 語", ["日本", "語"]), ("日本*", ["日本*"]), ("ﬁ*", ["fi*"]),
        ] as [(String, [String])])
    func `a question is cut into its parts`(_ text: String, _ expected: [String]) throws {
        expect(try parts(text) == expected)
    }

    @Test(
        arguments: [
            ("", .empty), (" … ", .empty), ("-spring", .empty), ("s*", .malformed), ("spring -s*", .malformed),
            (String(repeating: "a", count: 1_001), .tooLong),
            (Array(repeating: "ab", count: 17).joined(separator: " "), .tooLong),
        ] as [(String, FieldRule)])
    func `a wrong question names the field`(_ text: String, _ rule: FieldRule) {
        do throws(FieldError) {
            _ = try question(text)
            expect(false, "\(text) is a question")
        } catch {
            expect(error.field == "words" && error.rule == rule, "\(error)")
        }
    }

    @Test func `the longest question is taken`() throws {
        expect(try question(String(repeating: "a", count: 1_000)).wanted.count == 1)
        expect(try question(Array(repeating: "ab", count: 16).joined(separator: " ")).wanted.count == 16)
    }
}

struct WordMatcherTests {
    private func matches(_ question: String, _ texts: String...) throws -> Bool {
        let read = Array(question.utf8).withUnsafeBytes { bytes in
            Result { () throws(FieldError) in try WordQuestion(spelled: bytes) }
        }
        var matcher = WordMatcher(try read.get())
        for text in texts { Array(text.utf8).withUnsafeBytes { matcher.add($0) } }
        return matcher.isMatch
    }

    @Test(
        arguments: [
            ("cafe", "Un Café noir", true), ("straße", "STRASSE 7", true), ("spring cherry", "cherry spring", true),
            (#""spring cherry""#, "cherry spring", false), ("two-words", "two words", true),
            ("two-words", "two other words", false), ("spr*", "In spring", true), ("spr", "In spring", false),
            ("本語", "日本語のテキスト", true), ("語", "日本語のテキスト", true), ("日語", "日本語", false),
            ("か", "がぎ", false), (#""日本語 hello""#, "今日本語 hello", true), (#""日本 hello""#, "日本語 hello", false),
            (#""hello 日本""#, "hello 日本語", true), (#""hello 本語""#, "hello 日本語", false),
            ("spring -cherry", "spring", true), ("spring -cherry", "spring cherry", false), ("voilà", "voila", true),
        ] as [(String, String, Bool)])
    func `a text answers a question or does not`(_ question: String, _ text: String, _ expected: Bool) throws {
        expect(try matches(question, text) == expected)
    }

    @Test func `words may be in several texts, and a phrase is in one`() throws {
        expect(try matches("spring cherry", "spring", "cherry"))
        expect(try !matches(#""spring cherry""#, "spring", "cherry"))
        expect(try !matches("spring -cherry", "spring", "cherry"))
    }
}
