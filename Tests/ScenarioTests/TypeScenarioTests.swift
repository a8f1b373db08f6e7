import TestSupport
import Testing

/// The types of events and the number of events, of a daemon and of its directory.
@Suite(.timeLimit(.minutes(3))) struct TypeScenarioTests {
    /// Ten orders, two of which are shipped, one by a type that is misspelt.
    private func filled() throws -> RunningDaemon {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        for number in 1...10 { try client.expect(#"APPEND order-\#(number) {"type":"Placed","data":\#(number)}"#) }
        try client.expect(#"APPEND order-3 {"type":"Shipped","data":{}}"#)
        try client.expect(#"APPEND order-4 {"type":"Shiped","data":{}}"#)
        try client.expect(#"APPEND cart-1 {"type":"Placed","data":{}}"#)
        return daemon
    }

    private static let all = """
        {"type":"Placed","count":11,"first":1,"last":13}
        {"type":"Shiped","count":1,"first":12,"last":12}
        {"type":"Shipped","count":1,"first":11,"last":11}

        """

    @Test func `a kill, a checkpoint and a fold of the directory leave them as they are`() throws {
        let daemon = try filled()
        expect(try daemon.storectl("--json", "types").output == Self.all)
        try daemon.kill()
        try daemon.start()
        expect(try daemon.storectl("--json", "types").output == Self.all)
        expect(try daemon.client().ask("CHECKPOINT") == #"+ {"position":13}"#)
        try daemon.client().expect(#"APPEND order-5 {"type":"Placed","data":{}}"#)
        let more = Self.all.replacing(#""count":11,"first":1,"last":13"#, with: #""count":12,"first":1,"last":14"#)
        expect(try daemon.storectl("--json", "types").output == more)
        let proof = try daemon.storectl("replay", "--verify")
        expect(proof.exit == .code(0), "\(proof.output) \(proof.errors)")
        expect(proof.output.contains(#/types +7 rows +[0-9a-f]{32}  as stored/#), "\(proof.output)")
        expect(try daemon.stop() == .code(0))
        expect(try daemon.storectl("--json", "types", offline: true).output == more)
        expect(try daemon.storectl("count", "events", "--types", "Placed", offline: true).output == "12\n")
    }

    @Test func `the tool lists types as a table, of a category by its bare name, and page by page`() throws {
        let daemon = try filled()
        let rows = "Placed   10     1      10\nShiped   1      12     12\nShipped  1      11     11\n"
        for category in ["order", "order-*"] {
            expect(try daemon.storectl("types", category).output == "type     count  first  last\n" + rows)
        }
        let page = try daemon.storectl("types", "--limit", "1", "--csv")
        expect(page.output == "type,count,first,last\nPlaced,11,1,13\n")
        expect(page.errors.contains("repeat with --after Placed, or use --all"), "\(page.errors)")
        expect(try daemon.storectl("types", "--after", "Placed", "--csv").output.hasSuffix("12\nShipped,1,11,11\n"))
        expect(try daemon.storectl("types", "none").exit == .code(0))
        let wrong = try daemon.storectl("types", "order-1")
        expect(wrong.exit == .code(1) && wrong.errors.contains("such as order-*"), "\(wrong.errors)")
    }

    @Test func `the tool counts events of the log, of a category and of a stream`() throws {
        let daemon = try filled()
        for (words, count) in [
            (["events"], 13), (["events", "--types", "Placed"], 11), (["order-*"], 12), (["events/order-*"], 12),
            (["events/order-3"], 2), (["events/order-3", "--types", "Shipped"], 1), (["events/none-1"], 0),
            (["order-*", "--types", "Placed,Shiped", "--from", "9"], 3), (["events", "--from", "2", "--to", "5"], 4),
            (["events", "--types", "Plcaed"], 0), (["users"], 0),
        ] {
            let run = try daemon.storectl(arguments: ["count"] + words)
            expect(run.output == "\(count)\n", "\(words) \(run.output) \(run.errors)")
        }
        expect(try daemon.storectl("count", "users", "--types", "A").exit == .code(2))
        expect(try daemon.storectl("count", "order-3").exit == .code(2))
    }

    @Test func `events that were just appended on the connection are counted, in one pipeline`() throws {
        let daemon = try filled()
        let client = try daemon.client()
        let lines = (0..<50).flatMap { number in
            [
                #"APPEND pipe-1 {"type":"T\#(number % 2)","data":1}"#, "COUNT events/pipe-1",
                "COUNT events/pipe-1 types=T0",
            ]
        }
        _ = client.sendBeside(Array((lines.joined(separator: "\n") + "\n").utf8))
        for number in 1...50 {
            expect(try client.final().hasPrefix("+ {\"stream\""))
            for count in [number, (number + 1) / 2] {
                let answer = try client.final()
                expect(answer == #"+ {"count":\#(count),"position":\#(13 + number)}"#)
            }
        }
    }
}
