import StoryCore
import StoryFold
import TestSupport
import Testing

struct ProgramTests {
    @Test func `a program lists the paths of the event that it uses, each once`() throws {
        let program = try Definition.read(
            """
            from a
            key data.k ?? meta.user.name
            n: number
            on A { n += data.n + data.n; for x in data.o['odd name'] { n += x.y + data.l[0] } }
            on B { merge data; n = count(event.tags) }
            """
        ).program
        let paths = program.paths.map { path in
            path.root.rawValue + path.steps.map { $0.isBracketed ? "['\($0.name)']" : ".\($0.name)" }.joined()
        }
        expect(program.pathLines == [2, 2, 4, 4, 4, 5, 5])
        expect(paths == ["data.k", "meta.user.name", "data.n", "data.o['odd name']", "data.l", "data", "tags"])
    }

    @Test(arguments: [
        ("from a; n: number; on A { n = note.p }; note p: number", true),
        ("from a, b; n: number; on A { n = 1 }", false),
        ("from *; n: number; on A { n = 1 }", false), ("from a; key data.k; n: number; on A { n = 1 }", false),
        ("from a; n: number; on A { row 'x' { n = 1 } }", false),
        ("from a; n: number; on A { n = note['x'].p }; note p: number", false),
    ])
    func `rows of one stream have one category, the default key, no row and no note of a key`(
        _ text: String, _ isOne: Bool
    ) throws { expect(try Definition.read(text).hasRowsOfOneStream == isOne) }

    @Test func `a program reads its categories, and star reads all but the store's own`() throws {
        let some = try Definition.read("from order, item; n: number; on A { n = 1 }").program
        let all = try Definition.read("from *; n: number; on * { n = 1 }").program
        func reads(_ program: StoryCore.Program, _ category: String) -> Bool {
            Array(category.utf8).withUnsafeBytes { program.reads(category: $0) }
        }
        expect(["order", "item", "ord", "model"].map { reads(some, $0) } == [true, true, false, false])
        expect(
            ["order", "model", "cursor", "erasure", "system"].map { reads(all, $0) } == [true]
                + Array(repeating: false, count: 4))
    }

    @Test func `every runs after the rule of an event, and where there is none`() throws {
        let harness = try ModelHarness(
            "from a; n: number = 0; v: number; every { v = n; if data.x == 1 { let y = n; v = y + 100 } }"
                + "; on A { let x = 5; if data.x == 1 { n = x } else { n += 1 } }; on B { for z in data.l { n += z } }")
        harness.fold(#"{"x":1}"#)
        expect(harness.rows == [#"{"id":"1","changes":1,"position":1,"n":5,"v":105}"#])
        harness.fold(#"{"l":[1,2]}"#, type: "B")
        expect(harness.rows == [#"{"id":"1","changes":2,"position":2,"n":8,"v":8}"#])
        harness.fold("{}", type: "C")
        expect(harness.rows == [#"{"id":"1","changes":2,"position":2,"n":8,"v":8}"#])
        harness.fold(#"{"x":1}"#, type: "C")
        expect(harness.rows == [#"{"id":"1","changes":3,"position":4,"n":8,"v":108}"#])
    }

    @Test func `a misfit of every undoes the event, and a rule for other types runs before it`() throws {
        let harness = try ModelHarness("from a; n: number = 0; on * { n += 1 }; every { n += data.v }")
        harness.fold(#"{"v":1}"#)
        harness.fold(#"{"v":"x"}"#)
        expect(harness.rows == [#"{"id":"1","changes":1,"position":1,"n":2}"#])
        expect(harness.model.misfits.map(\.misfit.rule) == [.wrongType])
    }

    @Test func `every alone is a definition, stands once, and takes a part of an event's steps`() throws {
        let program = try Definition.read("from a; n: number = 0; every { n += 1 }").program
        expect(program.types.named.isEmpty && program.types.hasOthers)
        let twice = DefinitionFixtures.faults(of: "from a; n: number = 0; every { n += 1 }; every { n += 1 }")
        expect(twice.map(\.description) == ["1:42: repeated: every stands once"])
        let loop = "for x in data.l { " + String(repeating: "n += x; ", count: 50) + "}"
        let text = "from a; n: number = 0\nevery { \(loop) }\non A { \(loop) }"
        expect(DefinitionFixtures.faults(of: text).map(\.position.line) == [3])
        let field = try Definition.read("from a; every: number = 0; every { every += 1 }")
        expect(field.fields.map(\.name) == ["every"])
    }

    @Test func `equal scalars are equal texts, others are not`() throws {
        let harness = try ModelHarness("from a; n: number = 0; key data.k; on A { n += 1 }")
        harness.fold(#"{"k":"\u00e9"}"#)
        harness.fold(#"{"k":"e\u0301"}"#)
        harness.fold(#"{"k":"é"}"#)
        expect(harness.model.rows.map(\.changes) == [2, 1])
    }

    @Test func `an event takes effect whole or not at all`() throws {
        let harness = try ModelHarness(
            "from a; n: number = 0; note p: number; on A { n += 1; note.p = n; n = data.v + 1 }")
        harness.fold(#"{"v":1}"#)
        harness.fold(#"{"v":"x"}"#)
        expect(harness.rows == [#"{"id":"1","changes":1,"position":1,"n":2}"#])
        expect(harness.misfits == ["2:1:wrongType"])
    }

    @Test func `an event that leaves a row as it was changes nothing`() throws {
        let harness = try ModelHarness("from a; n: number = 0; on A { n += data.v; n -= data.v }")
        for _ in 0..<3 { harness.fold(#"{"v":1}"#) }
        expect(harness.rows == [#"{"id":"1","changes":1,"position":1,"n":0}"#])
    }

    @Test(arguments: [(100, 0), (101, 1)])
    func `an event touches at most 100 rows`(_ count: Int, _ misfits: Int) throws {
        let harness = try ModelHarness(
            "from a; n: number; on A { for i, x in data.a { row 'r', i { n = 1 } }; row 'z' { if data.z { n = 1 } } }")
        harness.fold(#"{"a":[\#(Array(repeating: "1", count: count).joined(separator: ","))]}"#)
        expect(harness.model.misfitCount == misfits)
        harness.fold(#"{"z":true,"a":[\#(Array(repeating: "1", count: 100).joined(separator: ","))]}"#)
        expect(harness.model.misfitCount == misfits + 1)
    }

    @Test func `a row ID is percent-encoded, with slashes between the parts`() throws {
        let harness = try ModelHarness("from a; key data.k, event.id; n: number; on A { n = 1 }")
        harness.fold(#"{"k":"a/b é%~"}"#)
        expect(harness.rows == [#"{"id":"a%2Fb%20%C3%A9%25~/1","changes":1,"position":1,"n":1}"#])
    }

    @Test func `a set keeps each element once, however many come at a time`() throws {
        let harness = try ModelHarness("from a; s: set(number, 40); on A { s += data.s }; on B { s -= data.s }")
        harness.fold(#"{"s":[3,1,3.0,2,1]}"#)
        harness.fold(#"{"s":2}"#)
        harness.fold(#"{"s":[\#((0..<40).map(String.init).joined(separator: ","))]}"#)
        harness.fold(#"{"s":40}"#)
        harness.fold(#"{"s":[\#((1..<39).map(String.init).joined(separator: ","))]}"#, type: "B")
        expect(harness.misfits == ["4:1:full"])
        expect(harness.rows == [#"{"id":"1","changes":3,"position":5,"s":[0,39]}"#])
    }

    @Test func `a map is in the order of its keys' bytes`() throws {
        let harness = try ModelHarness(
            "from a; m: map(number, 3); on A { m[data.k] += data.n }; on B { m[data.k] = none }; on C { m -= data.k }")
        for key in ["b", "a", "é", "c"] { harness.fold(#"{"k":"\#(key)","n":1.5}"#) }
        harness.fold(#"{"k":"a","n":1}"#)
        expect(harness.misfits == ["4:1:full"])
        expect(harness.rows == [#"{"id":"1","changes":4,"position":5,"m":{"a":2.5,"b":1.5,"é":1.5}}"#])
        harness.fold(#"{"k":"a"}"#, type: "B")
        harness.fold(#"{"k":["é","b","x"]}"#, type: "C")
        expect(harness.rows == [#"{"id":"1","changes":6,"position":7}"#])
    }

    @Test func `a rule whose texts need more memory than is kept folds as any other`() throws {
        let harness = try ModelHarness(
            """
            from a; t: text(10240); c: text(10240); l: list(text(10240), 3); n: number = 0; note p: text(10240)
            on A {
              l += data.t
              note.p = data.t
              let kept = lower(data.t)
              for x in data.a { t = upper(data.t) + x; c = lower(t) + x; n += 1 }
              row 'other' { t = kept }
              for x in l { n += count(x) }
              c = note.p
            }
            """)
        let text = String(repeating: "aB", count: 2_000)
        harness.fold(#"{"t":"\#(text)","a":[\#((0..<100).map { "\"\($0)\"" }.joined(separator: ","))]}"#)
        expect(harness.misfits == [])
        let upper = text.uppercased() + "99"
        expect(
            harness.rows == [
                #"{"id":"1","changes":1,"position":1,"t":"\#(upper)","c":"\#(text)","l":["\#(text)"],"n":4100}"#,
                #"{"id":"other","changes":1,"position":1,"t":"\#(text.lowercased())","n":0}"#,
            ])
    }

    @Test func `meta and tags are looked into, and what an event has not is missing`() throws {
        let harness = try ModelHarness(
            """
            from a; key 'k'; u: text?; f: text?; n: number?
            on A { u = meta.user.name; f = event.tags[1]; n = count(event.tags) }
            """)
        harness.fold("5", meta: #"{"user":{"name":"x"}}"#, tags: #"["p","q:1"]"#)
        harness.fold("[]")
        expect(harness.rows == [#"{"id":"k","changes":1,"position":1,"u":"x","f":"q:1","n":2}"#])
        expect(harness.misfits == [])
    }
}
