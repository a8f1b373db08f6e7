import StoryCore
import Synchronization
import TestSupport
import Testing

/// `unless=` at a daemon with many clients, kills and damage: the log tells whether each answer was right.
@Suite(.timeLimit(.minutes(5))) struct PreconditionScenarioTests {
    /// A refusal, with the query that the write named.
    private struct Conflict {
        let tag: Int
        let after: UInt64
        let position: UInt64
    }

    /// The answers of all clients.
    private final class Answers: Sendable {
        let conflicts = Mutex([Conflict]())
        let written = Mutex(0)
        let others = Mutex([String]())
    }

    /// Writes until the connection ends: each write names one of eight tags, has it, and says so in its data.
    private static func write(_ name: Int, to socket: String, _ answers: Answers) {
        var random = SplitMix64(seed: UInt64(name))
        guard let client = try? LineSocket(socket), (try? client.line()) != nil else { return }
        var seen: UInt64 = 0
        for number in 0..<150 {
            let tag = Int.random(in: 0..<8, using: &random)
            let after = seen - min(seen, UInt64.random(in: 0...2, using: &random))
            let query = #"{"any":[{"tags":["t:\#(tag)"]},{"types":["Never"]}],"after":\#(after)}"#
            let event = #"{"type":"T","data":{"tag":\#(tag),"after":\#(after)},"tags":["t:\#(tag)"]}"#
            let isGuarded = !random.oneIn(3)
            let plain = event.replacing(#""after":\#(after)"#, with: #""after":null"#)
            let line = isGuarded ? "unless=\(query) \(event)" : plain
            guard client.send(Array("APPEND s-\(name) key=k\(name)-\(number) \(line)\n".utf8)),
                let answer = try? client.nextLine()
            else { return }
            if answer.hasPrefix("+"), let position = answer.number("position") {
                seen = max(seen, position)
                answers.written.withLock { $0 += 1 }
            } else if answer.text("code") == "conflict", let position = answer.number("position") {
                answers.conflicts.withLock { $0.append(Conflict(tag: tag, after: after, position: position)) }
                seen = max(seen, position)
            } else {
                answers.others.withLock { $0.append(answer) }
            }
        }
    }

    @Test func `each write that holds had no match, and each conflict names the lowest, also over kills`() throws {
        let daemon = try RunningDaemon()
        let answers = Answers()
        for life in 0..<3 {
            let socket = daemon.socket
            let writers = (0..<16).map { name in
                Background { Self.write(life * 16 + name, to: socket, answers) }
            }
            if life < 2 {
                let enough = (life + 1) * 300
                try until("some were written") { answers.written.withLock { $0 } > enough }
                try daemon.kill()
            }
            for writer in writers { try writer.join() }
            if life < 2 { try daemon.start() }
        }
        expect(answers.others.withLock { $0 } == [])
        let lines = try daemon.client().rows("READ events limit=10000")
        var positions: [Int: [UInt64]] = [:]
        for line in lines {
            let (position, tag) = try (require(line.number("position")), Int(require(line.number("tag"))))
            let before = positions[tag, default: []]
            if let after = line.number("after") {
                expect(before.last.map { $0 <= after } ?? true, "\(line) came after \(before.last as Any)")
            }
            positions[tag, default: []].append(position)
        }
        let conflicts = answers.conflicts.withLock { $0 }
        expect(conflicts.count > 100 && answers.written.withLock { $0 } > 600, "\(conflicts.count)")
        for conflict in conflicts {
            expect(positions[conflict.tag]?.first { $0 > conflict.after } == conflict.position, "\(conflict)")
        }
        expect(try daemon.storectl("replay", "--verify").exit == .code(0))
    }

    @Test func `of many clients one gets the name`() throws {
        let daemon = try RunningDaemon()
        let clients = try (0..<50).map { _ in try daemon.client() }
        let line = #"APPEND member-NUMBER unless={"tags":["name:ann"]} {"type":"Joined","data":1,"tags":["name:ann"]}"#
        for (number, client) in clients.enumerated() {
            let own = line.replacing("NUMBER", with: "\(number)") + "\n"
            client.send(Array((own + own).utf8))
        }
        let answers = try clients.flatMap { client in try (0..<2).map { _ in try require(try client.nextLine()) } }
        expect(answers.count { $0.hasPrefix("+") } == 1)
        expect(answers.count { $0.text("code") == "conflict" } == 99)
    }

    @Test func `a write never rests on damaged pages of the index`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        // A segment of the index has 64 keys and spells its first one only: where segments begin depends on the
        // checkpoints, and one begins within the 133 keys of a tag in any case.
        let lines = (0..<400).map { number in
            #"APPEND note-\#(number % 9) {"type":"T","data":\#(number),"tags":["course:c\#(number % 3)"]}"# + "\n"
        }
        client.send(Array(lines.joined().utf8))
        for line in lines { expect(try client.final().hasPrefix("+"), "\(line)") }
        try client.expect("CHECKPOINT")
        expect(try client.ask(#"APPEND a-1 unless={"tags":["course:c1"]} {"type":"T","data":1}"#).hasPrefix("-"))
        // The page changes after it was used.
        expect(try Files.replace("course:c1", by: "course:c~", in: daemon.data + "/models/data.mdb") > 0)
        var refusals: Set<String> = []
        var answer = ""
        // A build of new models that finds no room, or no memory, is tried again after a minute.
        try until("the models are replaced, and the conflict is found: \(answer) \(daemon.trace)", within: 150) {
            answer = try client.ask(#"APPEND a-1 unless={"tags":["course:c1"]} {"type":"T","data":1}"#)
            expect(answer.hasPrefix("-"), "\(answer)")
            refusals.insert(answer.text("code") ?? "")
            return answer.text("code") == "conflict"
        }
        expect(refusals.isSubset(of: ["internal", "busy", "conflict"]), "\(refusals)")
    }

    @Test func `the tool sends queries and preconditions`() throws {
        let daemon = try RunningDaemon()
        let first = try daemon.storectl(
            "append", "member-1", "--type", "Joined", "--body", "{}", "--tags", "name:ann", "--unless",
            #"{"tags":["name:ann"]}"#)
        expect(first.exit == .code(0), "\(first.errors)")
        let second = try daemon.storectl(
            "append", "member-2", "--type", "Joined", "--body", "{}", "--tags", "name:ann", "--unless",
            #"{"tags": ["name:ann"]}"#)
        expect(second.exit == .code(1) && second.errors.contains("Joined in member-1 at 1"), "\(second.errors)")
        let query = #"{"any":[{"tags":["name:ann"]},{"types":["Left"]}]}"#
        expect(try daemon.storectl("count", "events", "--query", query).output == "1\n")
        expect(try daemon.storectl("export", "--query", query).output.split(separator: "\n").count == 1)
        let read = try daemon.storectl("--json", "read", "--query", query, "--order", "desc")
        expect(read.output.contains(#""stream":"member-1""#), "\(read.output) \(read.errors)")
        let wrong = try daemon.storectl("read", "--query", #"{"tags":[]}"#)
        expect(wrong.exit == .code(1) && wrong.errors.contains("query.tags"), "\(wrong.errors)")
        expect(try daemon.storectl("tail", "users", "--query", query).exit == .code(2))
    }
}
