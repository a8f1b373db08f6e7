import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// Copies and checks while the daemon serves.
    @Suite struct CopyTests {
        private func greeting(_ daemon: RunningDaemon) throws -> String {
            try LineSocket(daemon.socket).nextLine() ?? ""
        }

        @Test func `a backup taken while writing starts as a store of its own`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for _ in 0..<50 { expect(try client.ask(Load.append(to: "note-1", count: 20, size: 500)).hasPrefix("+")) }
            let writer = Writer("w", to: daemon.socket, seed: 7)
            usleep(50_000)
            let place = daemon.folder.place("copy")
            let reply = try client.ask(#"BACKUP "\#(place)""#)
            let position = try require(reply.number("position"), "\(reply)")
            expect(position >= 1_000)
            expect(Files.mode(place) == 0o700)
            expect(Files.mode(place + "/log/data.mdb") == 0o600)
            expect(try client.ask(#"BACKUP "\#(place)""#).hasPrefix("-"), "a backup replaces nothing")
            expect(try client.ask("VERIFY").hasPrefix("+"))
            expect(try daemon.stop() == .code(0))
            let written = try writer.join().filter { $0.position ?? .max <= position }

            let copy = try RunningDaemon(data: place)
            let reader = try copy.client()
            expect(try reader.ask("PING") == #"+ {"position":\#(position)}"#)
            let verdict = try reader.ask("VERIFY")
            expect(verdict.number("verified") == position && verdict.number("position") == position, "\(verdict)")
            let keys = Set(try reader.rows("READ events from=1001 limit=10000").compactMap { $0.text("key") })
            expect(written.allSatisfy { keys.contains($0.key) })
            expect(try reader.ask("STREAMS note-1").hasPrefix("+"))
            expect(try copy.stop() == .code(0))
            expect(try copy.storectl("replay", "--verify", offline: true).exit == .code(0))
        }

        @Test func `a directory that was copied by other means has a name of its own, and says where it comes from`()
            throws
        {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for _ in 1...3 { expect(try client.ask(Load.append(to: "note-1", count: 1, size: 9)).hasPrefix("+")) }
            expect(try client.ask("CHECKPOINT").hasPrefix("+"))
            let log = try require(greeting(daemon).text("log"))
            expect(try daemon.stop() == .code(0))
            let copied = daemon.folder.place("copied")
            expect(
                try Program(["cp", "-a", daemon.data, copied], output: "/dev/null", errors: "/dev/null").wait()
                    == .code(0))

            let copy = try RunningDaemon(data: copied)
            let reader = try copy.client()
            let name = try require(greeting(copy).text("log"))
            expect(name != log)
            expect(copy.trace.contains("copied of=\(log) log=\(name) position=3"), "\(copy.trace)")
            expect(!copy.trace.contains("folding-anew"), "the models of the first three events are the same")
            expect(try reader.ask("SUBSCRIBE events from=4 log=\(log)").hasPrefix("+"), "both have the first three")
            let other = try copy.client()
            expect(try other.ask(Load.append(to: "note-1", count: 3, size: 9)).hasPrefix("+"))
            let refused = try other.ask("SUBSCRIBE events from=6 log=\(log)")
            expect(refused.hasPrefix(#"- {"code":"diverged""#) && refused.number("position") == 3, "\(refused)")
            expect(try copy.stop() == .code(0))
            expect(try copy.storectl("verify", offline: true).exit == .code(0))

            try daemon.start()
            expect(try greeting(daemon).text("log") == log, "the first one keeps its name")
        }

        @Test func `a place where no copy can be made is named, and is no fault of the store`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            let file = daemon.folder.place("file")
            try Files.write("x", to: file)
            let refused = try client.ask("BACKUP \"\(file)/copy/of\"")
            expect(
                refused.hasPrefix(#"- {"code":"invalid""#) && refused.contains(#""field":"directory""#), "\(refused)")
            expect(refused.contains("make nothing in \(file)"), "\(refused)")
            expect(try client.ask("BACKUP \"\(daemon.folder.place("a/b/copy"))\"").hasPrefix("+"))
        }

        @Test func `a copy may have the longest name, and a longer one is named as the wrong field`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            let name = String(repeating: "n", count: 255)
            let place = daemon.folder.place(name)
            let reply = try client.ask("BACKUP \"\(place)\"")
            expect(reply.hasPrefix("+"), "\(reply)")
            expect(try daemon.storectl("--data", place, "verify").exit == .code(0))
            let deep = daemon.folder.place(String(repeating: "a/", count: 2_100) + "copy")
            expect(symlink("nowhere", daemon.folder.place("dangling")) == 0)
            for wrong in [place + "n", daemon.folder.place("none/" + name + "n/copy"), deep] {
                let refused = try client.ask("BACKUP \"\(wrong)\"")
                expect(refused.hasPrefix(#"- {"code":"invalid""#), "\(refused.prefix(200))")
                expect(refused.contains(#""field":"directory","rule":"tooLong""#), "\(refused.prefix(200))")
            }
            for wrong in ["relative", daemon.folder.place("dangling/copy")] {
                let refused = try client.ask("BACKUP \"\(wrong)\"")
                expect(refused.contains(#""field":"directory","rule":"malformed""#), "\(refused)")
            }
            let refused = try client.ask("BACKUP \"\(daemon.folder.place("dangling"))\"")
            expect(refused.hasPrefix(#"- {"code":"exists""#), "\(refused)")
        }

        @Test func `no copy is made in the data directory, nor of two at once by one name`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            expect(symlink(daemon.data, daemon.folder.place("link")) == 0)
            for place in [daemon.data + "/log/copy", daemon.folder.place("link/copy")] {
                let refused = try client.ask("BACKUP \"\(place)\"")
                expect(refused.hasPrefix(#"- {"code":"invalid""#) && refused.contains("lies in the data directory"))
            }
            let upwards = try client.ask("BACKUP \"\(daemon.folder.path)/none/../copy\"")
            expect(upwards.contains("goes up again from a folder that is not there"), "\(upwards)")
            let place = daemon.folder.place("copy")
            let other = try daemon.client()
            client.send("BACKUP \"\(place)\"")
            other.send("BACKUP \"\(place)\"")
            let replies = [try client.line(), try other.line()]
            expect(replies.filter { $0.hasPrefix("+") }.count == 1, "\(replies)")
            expect(replies.filter { $0.hasPrefix(#"- {"code":"exists""#) }.count == 1, "\(replies)")
        }

        @Test func `what a checkpoint covers needs no fold after a kill`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            expect(try client.ask(Load.append(to: "note-1", count: 100, size: 10)).hasPrefix("+"))
            expect(try client.ask("CHECKPOINT") == #"+ {"position":100}"#)
            expect(try client.ask(Load.append(to: "note-1", count: 7, size: 10)).hasPrefix("+"))
            try daemon.kill()
            try daemon.start()
            expect(try daemon.client().ask("PING") == #"+ {"position":107}"#)
            expect(daemon.trace.contains("recovered events=7 "), "\(daemon.trace)")
            let run = try daemon.storectl("replay", "--verify")
            expect(run.exit == .code(0), "\(run.output)\(run.errors)")
            expect(run.output.contains("verified"))
        }

        @Test func `stopping while VERIFY and BACKUP are under way waits for both and exits 0`() throws {
            let daemon = try RunningDaemon()
            let clients = try (0..<4).map { _ in try daemon.client() }
            let line = Load.append(to: "note-1", count: 500, size: 500)
            for _ in 0..<40 { clients[0].send(line) }
            for _ in 0..<40 { expect(try clients[0].line().hasPrefix("+")) }
            clients[0].send("VERIFY")
            clients[1].send(#"BACKUP "\#(daemon.folder.place("copy"))""#)
            clients[2].send("VERIFY")
            expect(try clients[3].ask("PING") == #"+ {"position":20000}"#)
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
        }

        @Test func `VERIFY tells the seal at a position, which is the same in a copy and after every flush`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for count in [1, 70, 900, 3] {
                expect(try client.ask(Load.append(to: "note-1", count: count, size: 40)).hasPrefix("+"))
                expect(try client.ask("CHECKPOINT").hasPrefix("+"))
            }
            func seals(_ client: LineSocket) throws -> [String] {
                try ["1", "2", "71", "500", "971", "973", "974"].map { position in
                    let verdict = try client.ask("VERIFY at=\(position)")
                    expect(verdict.number("verified") == 974 && verdict.number("at") == UInt64(position), "\(verdict)")
                    let seal = try require(verdict.text("seal"), "\(verdict)")
                    expect(seal.count == 64)
                    return seal
                }
            }
            let before = try seals(client)
            expect(Set(before).count == before.count)
            let last = try client.ask("VERIFY")
            expect(last.text("seal") == before.last, "without at= it is that of the last event")
            expect(try client.ask(#"BACKUP "\#(daemon.folder.place("copy"))""#).hasPrefix("+"))
            expect(try client.ask("APPEND note-2 {\"type\":\"A\",\"data\":1}").hasPrefix("+"))
            let later = try client.ask("VERIFY at=974")
            expect(later.text("seal") == before.last && later.number("verified") == 975, "\(later)")
            for (at, rule) in [("0", "outOfRange"), ("976", "outOfRange"), ("x", "malformed"), ("-1", "outOfRange")] {
                let refusal = try client.ask("VERIFY at=\(at)")
                expect(refusal.contains(#""field":"at","rule":"\#(rule)""#), "\(refusal)")
            }
            let copy = try RunningDaemon(data: daemon.folder.place("copy"))
            expect(try seals(try copy.client()) == before)
            expect(try copy.stop() == .code(0) && daemon.stop() == .code(0))
        }

        @Test func `VERIFY and STATS tell how far the log is`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            expect(try client.ask("VERIFY").hasPrefix(#"+ {"verified":0,"position":0,"seal":""#))
            expect(try client.ask(Load.append(to: "note-1", count: 100, size: 10)).hasPrefix("+"))
            expect(try client.ask("VERIFY").hasPrefix(#"+ {"verified":100,"position":100,"seal":""#))
            let stats = try client.ask("STATS")
            expect(stats.number("position") == 100)
            expect(stats.number("connections") == 1)
            expect(stats.text("data") == daemon.data)
        }
    }
}
