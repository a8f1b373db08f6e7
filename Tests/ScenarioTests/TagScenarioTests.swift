import TestSupport
import Testing

/// Events that are found by their tags, at a daemon, in its directory, and with the tool.
@Suite(.timeLimit(.minutes(5))) struct TagScenarioTests {
    /// Of 200 enrolments each has its course, its student, and every tenth is marked.
    private static let count = 200

    private static func tags(_ number: Int) -> [String] {
        ["course:c\(number % 12)", "student:s\(number % 7)"] + (number % 10 == 0 ? ["vip", "vip"] : [])
    }

    private static func append(_ numbers: Range<Int>, to client: LineSocket) throws {
        for number in numbers {
            let tags = tags(number).map { "\"\($0)\"" }.joined(separator: ",")
            try client.expect(
                #"APPEND enrolment-\#(number % 20) {"type":"T\#(number % 3)","data":\#(number),"tags":[\#(tags)]}"#)
        }
    }

    private func filled() throws -> RunningDaemon {
        let daemon = try RunningDaemon()
        try Self.append(0..<Self.count, to: daemon.client())
        return daemon
    }

    /// The positions of the events with all of these tags, as the tool exports them.
    private func exported(_ daemon: RunningDaemon, _ tags: String, offline: Bool = false) throws -> [String] {
        let run = try daemon.storectl(arguments: ["export", "--tags", tags], offline: offline)
        expect(run.exit == .code(0), "\(run.errors)")
        return run.output.split(separator: "\n").map {
            String($0.prefix { $0 != "," }.dropFirst(#"{"position":"#.count))
        }
    }

    private static func expected(_ tags: String, in numbers: Range<Int> = 0..<count) -> [String] {
        let wanted = tags.split(separator: ",").map(String.init)
        return numbers.filter { number in wanted.allSatisfy(Self.tags(number).contains) }.map { "\($0 + 1)" }
    }

    private static let queries = [
        "course:c1", "course:c11", "vip", "course:c1,student:s3", "vip,course:c0,student:s2", "none",
    ]

    @Test func `a kill, a checkpoint, a start and a fold of the directory leave them as they are`() throws {
        let daemon = try filled()
        for query in Self.queries { expect(try exported(daemon, query) == Self.expected(query), "\(query)") }
        try daemon.kill()
        try daemon.start()
        for query in Self.queries { expect(try exported(daemon, query) == Self.expected(query), "\(query)") }
        try daemon.client().expect("CHECKPOINT")
        let all = 0..<Self.count + 100
        try Self.append(Self.count..<all.upperBound, to: daemon.client())
        for query in Self.queries { expect(try exported(daemon, query) == Self.expected(query, in: all), "\(query)") }
        let proof = try daemon.storectl("replay", "--verify")
        expect(proof.exit == .code(0), "\(proof.output) \(proof.errors)")
        expect(proof.output.contains(#/tags +630 rows +[0-9a-f]{32}  as stored/#), "\(proof.output)")
        try daemon.kill()
        try daemon.start()
        expect(try daemon.client().ask("VERIFY").hasPrefix("+ "))
        expect(try daemon.storectl("replay", "--verify", "--model", "tags").exit == .code(0))
        expect(try daemon.stop() == .code(0))
        for query in Self.queries {
            expect(try exported(daemon, query, offline: true) == Self.expected(query, in: all), "\(query)")
        }
        let counted = try daemon.storectl("count", "enrolment-*", "--tags", "course:c1,student:s3", offline: true)
        expect(counted.output == "\(Self.expected("course:c1,student:s3", in: all).count)\n", "\(counted.errors)")
    }

    @Test func `entries that are stored otherwise are found by replay and by the page that is read`() throws {
        let daemon = try filled()
        try daemon.client().expect("CHECKPOINT")
        expect(try daemon.stop() == .code(0))
        // The first key of the table, which is whole.
        expect(try Files.replace("course:c0", by: "course:c~", in: daemon.data + "/models/data.mdb") > 0)
        let proof = try daemon.storectl("replay", "--verify", offline: true)
        expect(proof.exit != .code(0), "\(proof.output)")
        try daemon.start()
        for query in Self.queries + ["course:c0"] {
            try until("the models are replaced, and \(query) is whole") {
                try daemon.client().ask("PING").hasPrefix("+")
                    && (try? exported(daemon, query)) == Self.expected(query)
            }
        }
    }

    @Test func `the tool reads, counts and follows events by their tags`() throws {
        let daemon = try filled()
        let read = try daemon.storectl("--json", "read", "--tags", "course:c1,student:s3", "--order", "desc")
        expect(read.output.split(separator: "\n").count >= 2, "\(read.output)")
        for (words, query) in [
            (["events"], "course:c1"), (["events"], "vip"), (["enrolment-*"], "course:c1,student:s3"),
            (["events/enrolment-0"], "vip"), (["events"], "none"),
        ] {
            let run = try daemon.storectl(arguments: ["count"] + words + ["--tags", query])
            let numbers = Self.expected(query).filter {
                words != ["events/enrolment-0"] || Int($0).map { $0 % 20 == 1 } == true
            }
            expect(run.output == "\(numbers.count)\n", "\(words) \(query): \(run.output) \(run.errors)")
        }
        let tail = try daemon.storectl("--json", "tail", "--until-end", "--tags", "vip,course:c0")
        expect(
            tail.output.split(separator: "\n").count { $0.contains("\"stream\"") }
                == Self.expected("vip,course:c0").count)
        let wrong = try daemon.storectl("read", "--tags", "a b")
        expect(wrong.exit == .code(1) && wrong.errors.contains("printable ASCII"), "\(wrong.errors)")
        expect(try daemon.storectl("tail", "users", "--tags", "a").exit == .code(2))
        expect(try daemon.storectl("count", "users", "--tags", "a").exit == .code(2))
    }

    @Test func `a declared model may have a filter with the name of the option`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        try client.expect(#"DEFINE orders "from order; tags: text; index tags; on Placed { tags = data.t }""#)
        for number in 0..<6 {
            try client.expect(#"APPEND order-\#(number) {"type":"Placed","data":{"t":"t\#(number % 2)"}}"#)
        }
        try until("the model answers") { try client.ask("COUNT orders tags=t1").hasPrefix(#"+ {"count":3"#) }
        expect(try daemon.storectl("count", "orders", "--tags", "t1").output == "3\n")
        expect(try daemon.storectl("list", "orders", "--tags", "t0", "--csv").output.split(separator: "\n").count == 4)
        let tail = try daemon.storectl("--json", "tail", "orders", "--tags", "t1", "--limit", "3")
        expect(tail.output.split(separator: "\n").count { $0.contains(#""tags":"t1""#) } == 3, "\(tail)")
        for name in ["tags", "cursors"] {
            let refused = try client.ask(#"DEFINE \#(name) "from order; n: number; on * { n = 1 }""#)
            expect(refused.contains(#""field":"name","rule":"notSelected""#), "\(refused)")
        }
    }
}
