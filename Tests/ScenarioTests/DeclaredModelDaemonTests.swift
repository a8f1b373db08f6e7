import Foundation
import TestSupport
import Testing

/// Declared models in a daemon on a disk: starts, kills, damage, export and import, and the tool.
@Suite(.timeLimit(.minutes(3))) struct DeclaredModelDaemonTests {
    private static let orders = """
        from order
        customer: text
        total: number = 0
        index customer
        sort total
        on Placed { customer = data.customer; total = data.total }
        on ItemAdded { total += data.price }
        """

    private func placed(_ number: Int) -> String {
        #"APPEND order-\#(number) {"type":"Placed","data":{"customer":"c\#(number % 7)","total":\#(number)}}"#
    }

    /// Appends orders, many at once.
    private func append(_ numbers: Range<Int>, _ client: LineSocket) throws {
        for number in numbers { client.send(placed(number)) }
        for _ in numbers { expect(try client.final().hasPrefix("+")) }
    }

    private func define(_ daemon: RunningDaemon, _ text: String = orders) throws -> RunningDaemon.Run {
        try daemon.storectl("model", "define", "orders", "-", input: text)
    }

    private func rows(_ daemon: RunningDaemon) throws -> String {
        let run = try daemon.storectl("--json", "list", "orders", "--all", "--sort", "total", "--order", "asc")
        expect(run.exit == .code(0), "\(run.errors)")
        return run.output
    }

    /// Returns the rows; nothing while they are being built.
    private func builtRows(_ daemon: RunningDaemon) throws -> String {
        try daemon.storectl("--json", "list", "orders", "--all", "--sort", "total", "--order", "asc").output
    }

    @Test func `rows are the same after a kill, a stop and a start without their store`() throws {
        let daemon = try RunningDaemon()
        try append(1..<400, daemon.client())
        let defined = try define(daemon)
        expect(defined.output.hasPrefix("orders: definition 1, 40"), "\(defined.output) \(defined.errors)")
        expect(defined.output.hasSuffix(" s: 399 rows, 0 misfits\n"), "\(defined.output)")
        try append(400..<500, daemon.client())
        let before = try rows(daemon)
        expect(before.split(separator: "\n").count == 499)
        expect(try daemon.client().ask("CHECKPOINT") == #"+ {"position":501}"#)
        let proof = try daemon.storectl("replay", "--verify", "--model", "orders")
        let lines = proof.output.split(separator: "\n")
        expect(proof.exit == .code(0), "\(proof.output) \(proof.errors)")
        expect(
            lines.contains { $0.hasPrefix("orders ") && $0.contains(" 499 rows ") && $0.hasSuffix("  as stored") },
            "\(proof.output)")
        expect(try daemon.storectl("replay", "--verify", "--model", "ordres").exit == .code(2))
        expect(try daemon.storectl("replay", "--model", "ordres").exit == .code(2))
        let out = daemon.folder.place("past")
        let past = try daemon.storectl("replay", "--to", "450", "--model", "orders", "--out", out)
        expect(past.exit == .code(0) && past.output.contains("orders 448 rows"), "\(past.output) \(past.errors)")
        expect(Files.text(out + "/orders.ndjson").split(separator: "\n").count == 448)
        try daemon.kill()
        try daemon.start()
        expect(try rows(daemon) == before)
        expect(try daemon.stop() == .code(0))
        // The data directory answers as the daemon did.
        let list = "$S --data $D/data --json list orders --all --sort total --order asc"
        let offline = try daemon.shell("\(list) && $S --data $D/data count orders --customer c3")
        expect(offline.output == before + "71\n", "\(offline.errors)")
        try daemon.start()
        expect(try rows(daemon) == before)
        try daemon.kill()
        try FileManager.default.removeItem(atPath: daemon.data + "/own")
        try daemon.start()
        try until("the rows are built again") { try builtRows(daemon) == before }
    }

    @Test func `killed at any moment of a build, a change-over or an end, the log says what is meant`() throws {
        let daemon = try RunningDaemon()
        try append(1..<2_000, daemon.client())
        for delay in [0, 500, 2_000, 5_000, 10_000, 20_000, 40_000] {
            let client = try daemon.client()
            client.send(
                #"DEFINE orders "\#(DeclaredModelDaemonTests.orders.replacing("\n", with: "\\n"))\n// \#(delay)\nsort customer""#
            )
            usleep(UInt32(delay))
            try daemon.kill()
            try daemon.start()
            // The definition may not have been acknowledged.
            _ = try define(daemon)
            expect(try daemon.client().ask("COUNT orders customer=c3").contains(#""count":286,"#))
            client.send("UNDEFINE orders")
            let ending = try daemon.client()
            ending.send("UNDEFINE orders")
            usleep(UInt32(delay / 4))
            try daemon.kill()
            try daemon.start()
        }
        expect(try define(daemon).exit == .code(0))
        expect(try rows(daemon).split(separator: "\n").count == 1_999)
    }

    @Test func `a damaged store of a model is built again, and nothing else is touched`() throws {
        let daemon = try RunningDaemon()
        try append(1..<3_000, daemon.client())
        _ = try define(daemon)
        expect(try daemon.storectl("model", "list").output.contains("ready"))
        let before = try rows(daemon)
        expect(try daemon.stop() == .code(0))
        let file = URL(filePath: daemon.data + "/own/orders.1/data.mdb")
        var bytes = try Data(contentsOf: file)
        for index in stride(from: 8_192, to: bytes.count, by: 512) { bytes[index] ^= 0x55 }
        try bytes.write(to: file)
        try daemon.start()
        try until("the rows are built again") { try builtRows(daemon) == before }
        expect(daemon.exit == nil)
    }

    @Test func `files that are none of the store's own stay where the stores of models are`() throws {
        let daemon = try RunningDaemon()
        try append(1..<400, daemon.client())
        _ = try define(daemon)
        let before = try rows(daemon)
        expect(try daemon.stop() == .code(0))
        let own = daemon.data + "/own"
        try Data("mine".utf8).write(to: URL(filePath: own + "/notes.txt"))
        try FileManager.default.createDirectory(atPath: own + "/orders.bak", withIntermediateDirectories: false)
        // The store of the model must be made again, and so must one that the log does not know be removed.
        try Data("mine".utf8).write(to: URL(filePath: own + "/orders.1/notes.txt"))
        try Data().write(to: URL(filePath: own + "/orders.1/data.mdb"))
        try FileManager.default.createDirectory(atPath: own + "/orders.7", withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(filePath: own + "/orders.7/notes.txt"))
        try Data("mine".utf8).write(to: URL(filePath: own + "/carts.1"))
        try daemon.start()
        try until("the rows are built again") { try builtRows(daemon) == before }
        let names = try FileManager.default.contentsOfDirectory(atPath: own).sorted()
        expect(names == ["carts.1.1", "notes.txt", "orders.1", "orders.1.1", "orders.7.1", "orders.bak"])
        expect(FileManager.default.fileExists(atPath: own + "/orders.1.1/notes.txt"))
    }

    @Test func `another definition takes over while events are written, and none is lost`() throws {
        let daemon = try RunningDaemon()
        try append(1..<1_000, daemon.client())
        _ = try define(daemon)
        let writer = try daemon.client()
        let writing = writer.sendBeside(Array((1_000..<6_000).map { placed($0) + "\n" }.joined().utf8))
        let second = try define(
            daemon, DeclaredModelDaemonTests.orders + "\nnote seen: number\non Seen { note.seen = 1 }")
        expect(second.output.hasPrefix("orders: definition 2"), "\(second.output) \(second.errors)")
        for _ in 1_000..<6_000 { expect(try writer.final().hasPrefix("+")) }
        _ = writing
        expect(try daemon.client().ask("COUNT orders").contains(#""count":5999,"#))
        expect(try rows(daemon).split(separator: "\n").count == 5_999)
        let third = try define(
            daemon,
            "// sorted\nsort customer\n" + DeclaredModelDaemonTests.orders
                + "\nnote seen: number\non Seen { note.seen = 1 }")
        expect(
            third.output.hasPrefix("orders: definition 3, its rows taken over in "), "\(third.output) \(third.errors)")
        expect(third.output.hasSuffix(" s: 5,999 rows, 0 misfits\n"), "\(third.output)")
        expect(try daemon.client().ask("CHECKPOINT").hasPrefix("+"))
        let proof = try daemon.storectl("replay", "--verify", "--model", "orders")
        expect(proof.exit == .code(0) && proof.output.contains("  as stored"), "\(proof.output) \(proof.errors)")
    }

    @Test func `an export and an import carry the definitions`() throws {
        let daemon = try RunningDaemon()
        try append(1..<50, daemon.client())
        _ = try define(daemon)
        let before = try rows(daemon)
        let run = try daemon.shell("$T export > $D/lines && $S import --data $D/copy < $D/lines")
        expect(run.exit == .code(0), "\(run.errors)")
        let copy = try RunningDaemon(data: daemon.folder.place("copy"))
        try until("the rows are built") { try builtRows(copy) == before }
    }

    @Test func `HELP of a declared model names the options that its requests take, and no others`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        try client.expect(#"DEFINE orders "from order; total: number; sort total; on Placed { total = data }""#)
        try until("the model answers") { try client.ask("COUNT orders").hasPrefix("+") }
        let names = [
            "at", "sort", "order", "limit", "after", "from", "to", "types", "tags", "query", "unless", "log", "key",
            "version", "meta", "total",
            "since", "until", "min", "colour",
        ]
        for verb in ["LIST", "COUNT"] {
            let help = try require(client.rows("HELP \(verb)").first)
            // The options in common are those of events for COUNT, but for `min`.
            let common = try Self.listed(#/"options":\[(.*?)\]/#, in: help).filter { verb != "COUNT" || $0 == "min" }
            let told = Set(common + (try Self.listed(#/"orders":\[(.*?)\]/#, in: help)))
            let taken = try names.filter { try !client.ask("\(verb) orders \($0)=1").contains("has no option") }
            expect(told == Set(taken), "\(verb): \(help)")
            expect(told.isSuperset(of: ["sort", "order", "total", "since", "until"]) && !told.contains("types"))
        }
    }

    /// Returns the names of the options that a part of a page of HELP lists.
    private static func listed(_ part: Regex<(Substring, Substring)>, in help: String) throws -> [String] {
        let options = try require(help.firstMatch(of: part)).output.1
        return options.matches(of: #/"name":"([^"]*)"/#).map { String($0.output.1) }
    }

    @Test(arguments: [
        (orders, "1", 2),
        (
            "from order\nkey note.customer ?? data.customer\nn: number = 0\nnote customer: text\n"
                + "on Placed { note.customer = data.customer; n += 1 }\non ItemAdded { n += 1 }", "c1", 3
        ),
    ])
    func `a case is recorded of a row that is served, and comes out`(
        _ text: String, _ id: String, _ count: Int
    ) throws {
        let daemon = try RunningDaemon()
        for number in [1, 2, 8] { expect(try daemon.client().ask(placed(number)).hasPrefix("+")) }
        _ = try daemon.client().ask(#"APPEND order-1 {"type":"ItemAdded","data":{"price":2.5}}"#)
        expect(try define(daemon, text).output.contains("definition 1, "))
        let recorded = try daemon.storectl("model", "test", "--record", "orders", id)
        let head = #"[{"name":"orders/\#(id)","definition":"from order\n"#
        expect(recorded.output.hasPrefix(head), "\(recorded.output) \(recorded.errors)")
        expect(recorded.output.components(separatedBy: #","stream":"order-"#).count == count + 1, "\(recorded.output)")
        let run = try daemon.storectl("model", "test", "-", input: recorded.output)
        expect(run.exit == .code(0) && run.output == "1 case, 0 differences\n", "\(run.output) \(run.errors)")
        let none = try daemon.storectl("model", "test", "--record", "orders", "77")
        expect(none.exit == .code(2) || none.exit == .code(1), "\(none.errors)")
    }

    @Test func `the tool names faults with their file, and misfits with their line`() throws {
        let daemon = try RunningDaemon()
        let wrong = try daemon.storectl(
            "model", "define", "orders", "-", input: "from order\nn: nmber\non A { m = 1 }\n")
        expect(wrong.exit == .code(1))
        expect(wrong.errors.contains("-:2:4: notSelected: nmber is no type"), "\(wrong.errors)")
        _ = try define(daemon)
        expect(try daemon.client().ask(placed(1)).hasPrefix("+"))
        _ = try daemon.client().ask(#"APPEND order-1 {"type":"ItemAdded","data":{"price":"x"}}"#)
        let misfits = try daemon.storectl("model", "misfits", "orders")
        expect(misfits.output == "position 4, line 7: on ItemAdded { total += data.price }: wrongType\n")
        expect(try daemon.storectl("get", "orders/1").output.contains("c1"))
        let stream = try daemon.storectl("get", "order-1")
        expect(stream.exit == .code(2) && stream.errors.contains("did you mean orders/1?"), "\(stream)")
        expect(try daemon.storectl("count", "orders", "--customer", "c1").output == "1\n")
        expect(try daemon.storectl("list", "orders", "--customer", "c1").output.contains("c1"))
        let shown = try daemon.storectl("model", "show", "orders")
        expect(shown.output == DeclaredModelDaemonTests.orders + "\n" && !shown.errors.contains("no event has"))
        let next = "from order\ntotal: number\non Placed { total = data.totl ?? 0 }\n"
        let check = try daemon.storectl("model", "check", "-", "orders", input: next)
        expect(
            check.output == """
                -: 1 field; reads Placed of order
                1
                  - {"customer":"c1","total":1}
                  + {"total":0}
                orders: 1 row: 0 the same, 1 changed, 0 added; 0 removed
                line 3: no event has data.totl; the nearest is total

                """, "\(check.output) \(check.errors)")
        let gathering = "from order, customer\nn: number = 0\nkey data.customer\non Placed { n += 1 }\n"
        let lost = "-:1:1: hint: rows are made of several streams now, so their past goes: "
        let before = try daemon.storectl("model", "check", "-", "orders", input: gathering)
        expect(before.output.split(separator: "\n").dropFirst().first?.hasPrefix(lost) == true, "\(before.output)")
        let kept = try daemon.storectl("model", "check", "-", "orders", input: gathering + "history\n")
        expect(!kept.output.contains(lost), "\(kept.output)")
        _ = try define(daemon, next)
        let unseen = try daemon.storectl("model", "show", "orders").errors
        expect(unseen.hasSuffix("1 row, 0 misfits\nline 3: no event has data.totl\n"), "\(unseen)")
        expect(try daemon.storectl("model", "undefine", "orders").exit == .code(0))
        expect(try daemon.storectl("get", "orders/1").exit == .code(2))
    }
}
