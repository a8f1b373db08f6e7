import TestSupport
import Testing

/// `storectl model`, which needs no daemon.
@Suite struct ModelToolTests {
    private struct Run {
        let exit: Exit
        let output: String
        let errors: String
    }

    private let folder = try? Scratch()

    private func storectl(_ words: String..., input: String = "") throws -> Run {
        let folder = try require(folder)
        let (given, output, errors) = (folder.place("input"), folder.place("output"), folder.place("errors"))
        try Files.write(input, to: given)
        try Files.write("", to: output)
        try Files.write("", to: errors)
        let program = try Program([try Program.path("storectl")] + words, input: given, output: output, errors: errors)
        return Run(exit: try program.wait(), output: Files.text(output), errors: Files.text(errors))
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = try require(folder).place(name)
        try Files.write(text, to: path)
        return path
    }

    @Test func `check says in one line what a definition has and reads`() throws {
        let orders = DefinitionFixtures.path("examples/orders.model")
        let run = try storectl("model", "check", orders)
        expect(run.exit == .code(0) && run.errors.isEmpty, "\(run.errors)")
        expect(
            run.output
                == "\(orders): 6 fields, 2 indexes, 2 sorts; reads Cancelled, ItemAdded, Placed, Shipped of order\n")
        let json = try storectl("--json", "model", "check", orders)
        expect(json.exit == .code(0))
        expect(
            json.output
                == #"{"file":"\#(orders)","fields":["customer","total","status","placed","shipped","carrier"],"notes":[],"#
                + #""indexes":[["customer"],["status","placed"]],"sorts":["placed","total"],"history":false,"#
                + #""categories":["order"],"types":["Cancelled","ItemAdded","Placed","Shipped"],"hints":[]}"# + "\n")
        let all = try storectl(
            "model", "check", "-", input: "from *; history; n: number; on A { n = 1 }; on * { n = 2 }")
        expect(all.output == "-: 1 field, history; reads A and all other types of all categories\n")
    }

    @Test func `check hints at a rule for the other types that looks like one for all`() throws {
        let text = "from a\nv: number\nn: number\non A { n = 1 }\non * { v = event.version }\n"
        let run = try storectl("model", "check", "-", input: text)
        let hint = "on * is every type without a rule: A leaves v as it was; every { … } is for all events"
        expect(run.exit == .code(0) && run.output.hasSuffix("\n-:5:1: hint: \(hint)\n"), "\(run.output)")
        let json = try storectl("--json", "model", "check", "-", input: text)
        let hints = #","hints":[{"line":5,"column":1,"message":"\#(hint)"}]}"# + "\n"
        expect(json.output.hasSuffix(hints), "\(json.output)")
        let right = try storectl("model", "check", "-", input: text.replacing("on *", with: "every"))
        expect(right.output == "-: 2 fields; reads A and all other types of a\n")
    }

    @Test func `check prints every fault with file, line and column, and exits with 1`() throws {
        let types =
            "; types are text, text(N), number, boolean and time, and list(T, N), set(T, N), last(T, N) and map(T, N) of "
            + "these"
        let path = try file("bad.model", "from a\nn: nmber\non A { m = 1 }\n")
        let run = try storectl("model", "check", path)
        expect(run.exit == .code(1) && run.errors.isEmpty)
        expect(
            run.output
                == "\(path):2:4: notSelected: nmber is no type; the nearest is number\(types)\n"
                + "\(path):3:8: noSuch: there is no field m\n")
        let json = try storectl("--json", "model", "check", path)
        expect(json.exit == .code(1))
        let fault =
            #"{"file":"\#(path)","line":2,"column":4,"rule":"notSelected","message":"nmber is no type; the nearest is number"#
            + "\(types)\"}"
        expect(json.output.hasPrefix(fault + "\n"), "\(json.output)")
    }

    @Test func `test folds cases in memory, and prints what differs`() throws {
        let good = try storectl("model", "test", DefinitionFixtures.path("cases.json"))
        expect(good.exit == .code(0) && good.output == "18 cases, 0 differences\n", "\(good.output)\(good.errors)")
        let cases = """
            [{"name":"one","definition":"from a; n: number; on A { n = 1 }","events":[{"position":1,"stream":"a-1",\
            "version":1,"type":"A","time":"2026-11-20T00:00:00Z","data":{}}],"rows":{},"misfits":[]}]
            """
        let bad = try storectl("model", "test", "-", input: cases)
        expect(bad.exit == .code(1))
        let result = #"{"1":{"changes":1,"position":1,"n":1}}"#
        expect(bad.output == "one: rows\n  is  \(result)\n  not {}\n1 case, 1 difference\n")
        let json = try storectl("--json", "model", "test", "-", input: cases)
        expect(json.output.hasPrefix(#"{"case":"one","subject":"rows","is":"{\"1\":"#))
        expect(json.output.hasSuffix("\n" + #"{"cases":1,"differences":1}"# + "\n"))
    }

    @Test func `a case names the file of its definition, relative to the cases`() throws {
        _ = try file("a.model", "from a; n: number; on A { n = 1 }")
        _ = try file("bad.model", "from a; n: nmber")
        let event = #"{"position":1,"stream":"a-1","version":1,"type":"A","time":"2026-11-20T00:00:00Z","data":{}}"#
        func run(_ name: String) throws -> Run {
            let rows = #"{"1":{"changes":1,"position":1,"n":1}}"#
            let cases = try file("cases.json", #"[{"file":"\#(name)","events":[\#(event)],"rows":\#(rows)}]"#)
            return try storectl("model", "test", cases)
        }
        expect(try run("a.model").output == "1 case, 0 differences\n")
        expect(try run("bad.model").output.contains("\n  is  bad.model:1:1: missing: on is missing\n"))
        let none = try run("none.model")
        expect(none.exit == .code(2))
        expect(none.errors.contains("/none.model cannot be read: No such file"), "\(none.errors)")
    }

    @Test(arguments: [
        (["model"], "model needs one of define, undefine, list, show, misfits, check, test"),
        (["model", "chek", "x"], "the nearest is check"),
        (["model", "check"], "model check needs a FILE"),
        (["model", "test", "a", "b"], #"model test does not take "b""#),
        (["model", "test", "--record", "orders"], "model test needs a NAME and an ID"),
        (["model", "check", "/nowhere/x"], "/nowhere/x cannot be read: No such file or directory"),
        (["model", "test", "/dev/null"], "/dev/null: "), (["model", "check", "x", "--at", "1"], "no option --at"),
    ])
    func `a wrong command line says what to do`(_ words: [String], _ sentence: String) throws {
        let folder = try require(folder)
        let (output, errors) = (folder.place("output"), folder.place("errors"))
        let run = try Program([try Program.path("storectl")] + words, output: output, errors: errors)
        expect(try run.wait() == .code(2))
        expect(Files.text(errors).contains(sentence), "\(Files.text(errors))")
        expect(Files.text(output).isEmpty)
    }
}
