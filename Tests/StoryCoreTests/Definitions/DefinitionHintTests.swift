import StoryCore
import TestSupport
import Testing

struct DefinitionHintTests {
    @Test(arguments: [
        ("on A { n = 1 }; on B, C { n = 2 }; on * { v = event.version }", 102, "A, B, C leave v"),
        ("on A { v = 1 }; on B { merge data }; on * { v = 1; note.p = 1; n = 1 }", 104, "A leaves note.p, n"),
        ("on A { n = 1 }; on * { v += 1 }", 83, "A leaves v"),
        ("on A { n = 1; v = event.version }; on * { v = event.version }", 0, ""),
        ("on A { n = 1 }; on * { v = event.version }; every { v = event.version }", 0, ""),
        ("on * { v = event.version }", 0, ""), ("on A { n = 1 }; every { v = event.version }", 0, ""),
    ])
    func `a rule for all other types that looks like one for all is told`(
        _ rules: String, _ column: Int, _ sentence: String
    ) throws {
        let (start, end) = ("hint: on * is every type without a rule", "as it was; every { … } is for all events")
        expect(try Self.hints(rules) == (column == 0 ? [] : ["1:\(column): \(start): \(sentence) \(end)"]))
    }

    @Test(arguments: [
        ("on A { remove }; every { v = event.version }", true),
        ("on * { if n > 1 { remove } }; every { n += 1 }", true),
        ("on A { remove }; every { if row != none { v = event.version } }", false),
        ("on A { remove }; every { v = none; l -= 1; note.p = 1 }", false),
        ("on A { remove }; every { n -= 1 }", true),
        ("on A { row 'x' { remove } }; every { v = event.version }", false),
        ("on A { remove }; every { row 'x' { v = event.version } }", false),
    ])
    func `a row that every makes again after it was removed is told`(_ rules: String, _ isTold: Bool) throws {
        let hints = try Self.hints(rules)
        expect(hints.map { $0.contains("makes the row again") } == (isTold ? [true] : []), "\(hints)")
    }

    @Test(arguments: [
        ("from a, b; n: number; on A { n = 1 }", "1:1"), ("from *; n: number; on A { n = 1 }", "1:1"),
        ("from a; n: number; key data.k; on A { n = 1 }", "1:20"),
        ("from a; n: number; on A { n = 1; row data.k { n = 1 } }", "1:34"),
        ("from a, b; history; n: number; on A { n = 1 }", nil),
        ("from a; n: number; on A { n = 2 }", nil),
    ])
    func `a definition that takes the past of rows away says where`(_ text: String, _ place: String?) throws {
        let old = try Definition.read("from a; n: number; on A { n = 1 }")
        let hints = try Definition.read(text).hints(inPlaceOf: old).map(\.description)
        let start = "hint: rows are made of several streams now, so their past goes: GET with at=, "
        expect(hints.count == (place == nil ? 0 : 1))
        if let place { expect(hints.first?.hasPrefix("\(place): \(start)") == true, "\(hints)") }
        expect(try Definition.read(text).hints(inPlaceOf: nil).isEmpty)
    }

    @Test func `a past that was not there is not lost`() throws {
        let old = try Definition.read("from a, b; n: number; on A { n = 1 }")
        expect(try Definition.read("from a, c; n: number; on A { n = 1 }").hints(inPlaceOf: old).isEmpty)
    }

    private static func hints(_ rules: String) throws -> [String] {
        let fields = "from a; n: number; v: number; l: set(number, 9); note p: number?; "
        return try Definition.read(fields + rules).hints.map(\.description)
    }
}
