import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// Files that may not grow past a limit stand in for a disk that is full.
    @Suite struct FullDiskTests {
        private static let limit = 4 << 20
        /// Ten events of two kilobytes, appended whole or not at all.
        private static let tenEvents = Load.append(to: "note-1", count: 10, size: 2_000)
        private static let user = #"POST users {"id":"007","name":"A","email":"a@example.org","prefecture":1}"#

        /// A daemon that has just refused a write for want of space, and how many events it acknowledged.
        private static func fullDaemon() throws -> (daemon: RunningDaemon, client: LineSocket, head: UInt64) {
            let daemon = try RunningDaemon(fileLimit: limit)
            let client = try daemon.client()
            var head = try require(client.ask(user).number("position"))
            for _ in 0..<1_000 {
                let reply = try client.ask(tenEvents)
                guard reply.hasPrefix("+") else {
                    expect(reply.text("code") == "full", "\(reply)")
                    expect(reply.text("retry") == "later")
                    return (daemon, client, head)
                }
                head = try require(reply.number("position"))
            }
            throw TookTooLong(what: "the disk never became full")
        }

        @Test func `a full disk refuses writes whole, reads go on, and the next start has all`() throws {
            let (daemon, client, first) = try Self.fullDaemon()
            var head = first
            expect(try client.ask("PING") == #"+ {"position":\#(head)}"#)
            expect(try client.ask("GET users/007").hasPrefix(#"+ {"id":"007","version":1,"position":1,"#))
            expect(try client.ask("STREAMS note-1").hasPrefix("+"))
            let last = try client.rows("READ events order=desc limit=1")
            expect(last.first?.number("position") == head)
            // What fills whole blocks may still find room, and with it a write.
            let refusals = try Self.refusals(client)
            expect(refusals > 0, "nothing else is tried while the disk is full")
            head += UInt64(5 - refusals) * 10
            expect(try client.ask("PING") == #"+ {"position":\#(head)}"#)
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")

            try daemon.start()
            let after = try daemon.client()
            expect(try after.ask(Self.tenEvents).number("position") == head + 10)
            let positions = try after.rows("READ events limit=10000").map { $0.number("position") }
            expect(positions == (1...head + 10).map { $0 })
            expect(try daemon.stop() == .code(0))
            let run = try daemon.storectl("replay", "--verify", offline: true)
            expect(run.exit == .code(0), "\(run.output)\(run.errors)")
        }

        /// How many of five writes, a while apart, are refused for want of space.
        private static func refusals(_ client: LineSocket) throws -> Int {
            try (0..<5).count { _ in
                usleep(300_000)
                return try client.ask(tenEvents).text("code") == "full"
            }
        }

        @Test func `a turn that is undone refuses what rested on it, and answers the rest in order`() throws {
            let (daemon, client, head) = try Self.fullDaemon()
            // By then writes are tried again, so that a commit fails with all this in its turn.
            usleep(1_500_000)
            client.send(
                [
                    "GET users/007", "@1 PING", "GET users/none", "GET users/007", "@2 \(Self.tenEvents)", "@3 PING",
                    "GET users/007", "@4 SUBSCRIBE events", "@5 nonsense", "GET users/007", "@6 CHECKPOINT",
                ]
                .map { $0 + "\n" }.joined().utf8.map { $0 })
            client.send("@7 PING")
            var heard: [String] = []
            while heard.last?.hasPrefix("+@7") != true {
                let line = try client.line()
                if !line.hasPrefix(">") { heard.append(line) }
            }
            let user = #"+ {"id":"007","version":1,"position":1,"#
            expect([heard[0], heard[3], heard[6], heard[9]].allSatisfy { $0.hasPrefix(user) }, "\(heard)")
            expect(heard[2].text("code") == "notFound")
            heard.removeAll { $0.hasPrefix("+ ") || $0.hasPrefix("- ") }
            expect(heard.map { String($0.prefix(3)) } == ["+@1", "-@2", "-@3", "+@4", "-@5", "-@6", "+@7"])
            expect(heard[1].text("code") == "full")
            expect(heard[2].text("code") == "full", "it told of what this connection wrote before it")
            expect(heard[3] == #"+@4 {"subscription":1,"position":\#(head)}"#)
            expect(heard[5].text("code") == "full", "models that are ahead of the log are not written")
            expect(try client.ask("PING") == #"+ {"position":\#(head)}"#, "no second reply to anything")
            expect(try daemon.stop() == .code(0))
        }

        @Test func `killed on a full disk, it starts there and serves all that it acknowledged`() throws {
            let (daemon, client, head) = try Self.fullDaemon()
            client.hangUp()
            for _ in 1...2 {
                try daemon.kill()
                try daemon.start(fileLimit: Self.limit)
                let client = try daemon.client()
                expect(try client.ask("PING") == #"+ {"position":\#(head)}"#)
                let positions = try client.rows("READ events limit=10000").map { $0.number("position") }
                expect(positions == (1...head).map { $0 })
                expect(try client.ask("VERIFY").number("verified") == head)
                expect(try client.ask(Self.tenEvents).text("code") == "full")
                expect(try client.ask("PING") == #"+ {"position":\#(head)}"#)
            }
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
            expect(daemon.trace.contains("flush-failed"), "\(daemon.trace)")
            try daemon.start()
            expect(try daemon.client().ask(Self.tenEvents).number("position") == head + 10)
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
            expect(try daemon.storectl("replay", "--verify", offline: true).exit == .code(0))
        }

        @Test func `large writes meet the full disk as small ones do`() throws {
            let daemon = try RunningDaemon(fileLimit: Self.limit)
            let client = try daemon.client()
            let large = Load.append(to: "note-1", count: 10, size: 90_000)
            var (head, refused): (UInt64, Int) = (0, 0)
            for _ in 0..<20 {
                let reply = try client.ask(large)
                if reply.hasPrefix("+") { head += 10 } else { refused += 1 }
                expect(reply.hasPrefix("+") || reply.text("code") == "full", "\(reply)")
            }
            expect(refused > 0)
            expect(try client.ask("PING") == #"+ {"position":\#(head)}"#)
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
        }
    }
}
