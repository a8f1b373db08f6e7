import TestSupport
import Testing

extension MachineTests {
    /// Nodes that run out of room, and copies of nodes, with a real etcd.
    @Suite struct FullNodeTests {
        private static let event = #"APPEND note-1 {"type":"Wrote","data":1}"#

        /// A log whose first node is not started.
        private static func made(_ etcd: RunningEtcd) throws -> RunningDaemon {
            let made = try NodeTests.node("n1", [etcd], patience: 5, "--create")
            try made.launch()
            try require(try made.wait() == .code(0), "\(made.trace)")
            return made
        }

        private static func awaitLead(of one: RunningDaemon, before other: RunningDaemon) throws {
            try until("one leads and the other follows") {
                try NodeTests.state(one) == "leading" && NodeTests.state(other) == "following"
            }
        }

        @Test func `a leader whose disk is full hands the lead over, and nothing that it acknowledged is lost`() throws
        {
            let etcd = try RunningEtcd()
            let made = try Self.made(etcd)
            let one = try NodeTests.node("n1", [etcd], data: made.data, patience: 2)
            try one.start(fileLimit: 4 << 20)
            let other = try NodeTests.node("n2", [etcd])
            try other.start()
            try Self.awaitLead(of: one, before: other)
            let client = try one.client()
            var acknowledged: UInt64 = 0
            // Either a write is refused, or n2 leads before the next one comes, which is then passed on.
            try until("the disk is full") {
                let answer = try client.ask(Load.append(to: "note-1", count: 50, size: 2_000))
                guard answer.hasPrefix("+") else { return true }
                acknowledged += 50
                return try NodeTests.state(other) == "leading"
            }
            try until("n2 leads: \(one.trace.suffix(500))") { try NodeTests.state(other) == "leading" }
            expect(one.trace.contains(" full "))
            let writer = try other.client()
            try until("n2 takes writes") { try writer.ask(Self.event).hasPrefix("+") }
            expect(try writer.ask("PING").number("position") ?? 0 > acknowledged)
            expect(try one.stop() == .code(0), "\(one.trace)")
            try one.start()
            try NodeTests.expectEqual(one, other)
            withExtendedLifetime(made) {}
        }

        @Test func `a follower whose disk is full follows on in memory, then is behind, and goes on at a larger disk`()
            throws
        {
            let etcd = try RunningEtcd()
            let made = try Self.made(etcd)
            let one = try NodeTests.node("n1", [etcd], data: made.data)
            try one.start()
            let other = try NodeTests.node("n2", [etcd], patience: 1)
            try other.start(fileLimit: 4 << 20)
            try Self.awaitLead(of: one, before: other)
            let client = try one.client()
            func write(_ count: Int) throws {
                for _ in 0..<count {
                    expect(try client.ask(Load.append(to: "note-1", count: 50, size: 2_000)).hasPrefix("+"))
                }
            }
            // 15 MB, and 25 more: memory may have 28 MiB.
            try write(150)
            try until("it has no room") { [" full ", " flush-failed "].contains { other.trace.contains($0) } }
            let reader = try other.client()
            try until("it has everything in memory") { try reader.ask("PING min=now").number("position") == 7_500 }
            try write(250)
            expect(try reader.ask("PING min=now").text("code") == "behind")
            expect(try reader.rows("READ events limit=1").count == 1)
            expect(try NodeTests.state(one) == "leading")
            expect(try other.stop() == .code(0), "\(other.trace)")
            try other.start()
            // Its patience is a second, and there are 35 MB to be fetched.
            try until("it has fetched the rest") { try other.client().ask("PING min=now").hasPrefix("+") }
            try NodeTests.expectEqual(one, other)
            withExtendedLifetime(made) {}
        }

        @Test func `writes are busy while etcd has four times the tail that no second node has stored`() throws {
            let etcd = try RunningEtcd()
            let made = try Self.made(etcd)
            let tail = ["--tail", "1048576"]
            let one = try NodeTests.node("n1", [etcd], data: made.data, patience: 2, tail[0], tail[1])
            try one.start()
            let other = try NodeTests.node("n2", [etcd], tail[0], tail[1])
            try other.start()
            try Self.awaitLead(of: one, before: other)
            expect(try other.stop() == .code(0))
            let client = try one.client()
            var refusal = ""
            for _ in 0..<60 where refusal.isEmpty {
                let answer = try client.ask(Load.append(to: "note-1", count: 50, size: 2_000))
                if !answer.hasPrefix("+") { refusal = answer }
            }
            expect(refusal.text("code") == "busy" && refusal.contains("no second node has stored"), "\(refusal)")
            expect(try client.rows("READ events limit=1").count == 1)
            try other.start()
            try until("writes are taken again") { try client.ask(Self.event).hasPrefix("+") }
            try NodeTests.expectEqual(one, other)
            withExtendedLifetime(made) {}
        }

        @Test func `a log is made anew out of a copy of a follower, and other nodes get it from there`() throws {
            let etcd = try RunningEtcd()
            let made = try Self.made(etcd)
            let one = try NodeTests.node("n1", [etcd], data: made.data)
            try one.start()
            let other = try NodeTests.node("n2", [etcd])
            try other.start()
            try Self.awaitLead(of: one, before: other)
            let client = try one.client()
            for _ in 0..<20 { expect(try client.ask(Load.append(to: "note-1", count: 50, size: 500)).hasPrefix("+")) }
            let (copy, restored) = (other.folder.place("copy"), other.folder.place("restored"))
            let answer = try other.client().ask("BACKUP \"\(copy)\"")
            expect(answer.number("position") == 1_000, "\(answer)")
            for node in [one, other] { expect(try node.stop() == .code(0), "\(node.trace)") }
            let before = try one.storectl("export", offline: true).output
            expect(try other.shell("$S --data \(restored) restore \(copy)").exit == .code(0))
            let creating = try NodeTests.node("n1", [etcd], data: restored, "--create", "--log", "new")
            try creating.launch()
            expect(try creating.wait() == .code(0) && creating.trace.contains("created log=new "), "\(creating.trace)")
            let first = try NodeTests.node("n1", [etcd], data: restored, "--log", "new")
            try first.start()
            let second = try NodeTests.node("n2", [etcd], "--log", "new")
            try second.start()
            try Self.awaitLead(of: first, before: second)
            expect(try second.traces(" seeded from=\(first.socket) position=1000 events=1000 "))
            expect(try second.storectl("export").output == before)
            expect(try first.client().ask(Self.event).number("position") == 1_001)
            try NodeTests.expectEqual(first, second)
            withExtendedLifetime(made) {}
        }
    }
}
