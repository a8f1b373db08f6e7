import StoryCore
import TestSupport
import Testing

struct DefinitionFaultTests {
    private static let types =
        "; types are text, text(N), number, boolean and time, and list(T, N), set(T, N), last(T, N) and map(T, N) of these"

    @Test func `every public faulty text has its faults`() throws {
        let texts = try require(try DefinitionFixtures.json("faults.json") as? [[String: Any]])
        expect(texts.count == 28)
        for text in texts {
            let source = try require(text["text"] as? String)
            let have = DefinitionFixtures.faults(of: source).map { "[\($0.position.line), \($0.rule.rawValue)]" }
            let pairs = try require(text["faults"] as? [[Any]])
            let want = pairs.map { "[\($0[0]), \($0[1])]" }
            if text["first"] as? Bool == true {
                expect(have.first == want.first, "\(source)")
            } else {
                expect(Set(have) == Set(want), "\(source)")
            }
        }
    }

    @Test(arguments: DefinitionFixtures.examples) func `an example has no fault`(_ name: String) throws {
        expect(DefinitionFixtures.faults(of: try DefinitionFixtures.text("examples/\(name).model")) == [])
    }

    @Test(arguments: [
        ("\u{FEFF}from a", "1:1: malformed: U+FEFF means nothing here"),
        ("from a\u{A0}", "1:7: malformed: U+00A0 means nothing here"),
        ("from \u{200B}a", "1:6: malformed: U+200B means nothing here"),
        ("from a\u{2028}", "1:7: malformed: U+2028 means nothing here"),
        ("from a\u{301}", "1:7: malformed: U+0301 means nothing here"),
        ("from a\u{E000}", "1:7: malformed: U+E000 means nothing here"),
        ("from a\u{1F}", #"1:7: malformed: '\x1f' means nothing here"#),
        ("from a\u{2013}", "1:7: malformed: '–' (U+2013) means nothing here"),
        ("from a#", "1:7: malformed: '#' means nothing here"),
    ])
    func `a character that nobody sees is named by its number`(text: String, fault: String) {
        let faults = DefinitionFixtures.faults(of: text + "\nn: number = 0\non A { n += 1 }")
        expect(faults.first?.description == fault, "\(faults)")
    }

    @Test func `the faults of a text are told all at once, in its order`() {
        let faults = DefinitionFixtures.faults(of: "from a\nn: nmber\nindex m\non A { x = 1; n = y }")
        expect(
            faults.map(\.description) == [
                "2:4: notSelected: nmber is no type; the nearest is number" + DefinitionFaultTests.types,
                "3:7: noSuch: there is no field m",
                "4:8: noSuch: there is no field x", "4:19: noSuch: there is no field y",
            ])
    }

    @Test(arguments: [
        (
            "from order; total: number; on Placed { totl = data.total }",
            "1:40: noSuch: there is no field totl; the nearest is total"
        ),
        (
            "from order; total: number; on Placed { total = note.custmer }\nnote customer: text",
            "1:48: noSuch: there is no note custmer; the nearest is customer"
        ),
        (
            "from a; total: number; on A { let amount = 1; total = amuont }",
            "1:55: noSuch: there is no field amuont; the nearest is amount"
        ),
        ("from order; total: number; on Placed { total = data.total; n = 1 }", "1:60: noSuch: there is no field n"),
        ("from a; n: number; on A { n = dat.n }", "1:31: noSuch: there is no field dat; the nearest is data"),
        ("from a; n: number; on A { dat = 1 }", "1:27: noSuch: there is no field dat"),
        (
            "form a; n: number; on A { n = 1 }",
            "1:1: malformed: form begins no declaration; the nearest is from; a field is written NAME: TYPE"
        ),
        (
            "from a; n: number; on A { n = event.vresion }",
            "1:37: noSuch: event has no vresion; the nearest is version; it has id, stream, category, type, time, by, "
                + "position, version, tags"
        ),
        (
            "from a; n: number; on A { remvoe }",
            "1:34: malformed: a statement is NAME = value, NAME += value, if, for, row, let, merge or remove; "
                + "the nearest is remove"
        ),
        (
            "from a; n: list(nubmer, 3); on A { n = data.n }",
            "1:12: notSelected: list(nubmer,3) is no type; the nearest is number" + types
        ),
        (
            "from a; n: set(text, 3, dorp); on A { n = data.n }",
            "1:12: notSelected: set(text,3,dorp) is no type; the nearest is drop" + types
        ),
        ("from a; n: list; on A { n = data.n }", "1:12: notSelected: list is no type" + types),
        (
            "from a; n: set(text, 5000); on A { n += data.n }",
            "1:12: outOfRange: set(text,5000): N is 1 to 10240 in text(N), and 1 to 1000 elsewhere"
        ),
        (
            "from a; b: boolean = ture; on A { b = true }",
            "1:22: malformed: a number, a text, true or false is expected; the nearest is true"
        ),
    ])
    func `a misspelt name is told with the nearest one`(_ text: String, _ fault: String) {
        expect(DefinitionFixtures.faults(of: text).map(\.description) == [fault])
    }

    @Test func `a misspelt function is told with the nearest one and all others`() {
        let fault = DefinitionFixtures.faults(of: "from a; n: number; on A { n = roud(1) }").first?.sentence
        expect(fault?.hasPrefix("there is no function roud; the nearest is round; known: lower, upper,") == true)
    }

    @Test func `a text of 65,536 bytes is read, a longer one is refused`() {
        let text = "from a; on A { } //"
        let filled = text + String(repeating: "x", count: DefinitionLimits.text - text.utf8.count)
        expect(DefinitionFixtures.faults(of: filled) == [])
        expect(DefinitionFixtures.faults(of: filled + "x").map(\.rule) == [.tooLong])
        expect(DefinitionFixtures.faults(of: "//" + String(repeating: "é", count: 32_768)).map(\.rule) == [.tooLong])
    }

    @Test func `columns count Unicode scalars`() {
        let faults = DefinitionFixtures.faults(of: "from a; t: text; on A { t = '😀é' + x }")
        expect(faults.map { [$0.position.line, $0.position.column] } == [[1, 36]])
    }

    @Test func `an else may begin the next line, and what is not else stays`() {
        expect(
            DefinitionFixtures.faults(of: "from a\nn: number\non A { if data.a { n = 1 }\n\nelse { n = 2 }\nn = 3 }")
                == [])
        expect(DefinitionFixtures.faults(of: "from a\nn: number\non A { if data.a { n = 1 }\nn = 3 }") == [])
        expect(
            DefinitionFixtures.faults(of: "from a\nn: number\non A { if data.a { n = 1 }; else { n = 2 } }").isEmpty
                == false)
    }

    @Test(arguments: [
        "(", "[", "{", "@", "'", "\"", "\\", "-", "!", "a.", "a[", "a(", "if a {\n", "on A {", "}", "else if x {", "\n",
        ";",
        "n: number\n", "index n\n", "let x = 1\n", "if a { } else ", "// c\n", "1+", "a ?? ", "a ? b : ", "'\\", "😀",
        "\0",
        "on A { if a { if b { let x = y\n", "row a {", "for x in a {", "'\\u{110000}'", "on A { if a { }\n@\n",
        "key a,", "x == ",
    ])
    func `a hostile text of 64 KiB ends with faults`(_ part: String) {
        let count = DefinitionLimits.text / part.utf8.count
        for start in ["", "from a; n: number\non A {", "from a; n: number\non A { n = "] {
            let text = String((start + String(repeating: part, count: count)).prefix(DefinitionLimits.text))
            let bytes = Array(text.utf8.prefix(DefinitionLimits.text))
            expect(!DefinitionFixtures.faults(of: String(decoding: bytes, as: UTF8.self)).isEmpty)
        }
    }

    @Test(arguments: ["if data.a {", "if data.a { } else if data.a {", "row 'a' {", "for x in data.a {"])
    func `blocks nest as deep as a text is long, and are too many statements`(_ part: String) {
        let depth = 1_500
        let text =
            "from a; n: number\non A {" + String(repeating: part, count: depth) + String(repeating: "}", count: depth)
            + "}"
        let faults = DefinitionFixtures.faults(of: text)
        expect(faults.contains { $0.sentence == "a rule has at most 64 statements" })
    }
}
