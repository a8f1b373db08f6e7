import Glibc
import TestSupport
import Testing

extension MachineTests {
    /// Nodes of a log in a real etcd, as processes: `stored --cluster`.
    @Suite struct NodeTests {
        static func node(
            _ name: String, _ etcd: [RunningEtcd], data: String? = nil, patience: Int = 30, _ options: String...
        ) throws -> RunningDaemon {
            let urls = etcd.map { "http://127.0.0.1:\($0.port)" }.joined(separator: ",")
            return try RunningDaemon(
                data: data,
                options: ["--cluster", urls, "--node", name, "--lease", "2", "--patience", "\(patience)"] + options,
                isStarted: false)
        }

        /// Makes a log, and starts its first node.
        static func first(_ etcd: [RunningEtcd]) throws -> (made: RunningDaemon, node: RunningDaemon) {
            let made = try node("n1", etcd, data: nil, patience: 5, "--create")
            try made.launch()
            try require(try made.wait() == .code(0), "\(made.trace)")
            let first = try node("n1", etcd, data: made.data)
            try first.start()
            return (made, first)
        }

        static func state(_ node: RunningDaemon) throws -> String? {
            try LineSocket(node.socket).line().text("state")
        }

        /// Sends each write again; each has its first receipt then, and the log has each once, and others.
        static func expectOnce(_ writes: [SentWrite], besides others: Int = 0, at node: RunningDaemon) throws {
            let client = try node.client()
            for write in writes {
                let answer = try client.ask(write.line)
                expect(
                    answer.hasPrefix("+") && (write.position ?? answer.number("position")) == answer.number("position"))
            }
            let count = writes.reduce(others) { $0 + $1.count }
            expect(try client.ask("PING").number("position") == UInt64(count))
        }

        /// Compares the logs of two nodes, and ends both.
        static func expectEqual(_ one: RunningDaemon, _ other: RunningDaemon) throws {
            for node in [one, other] { expect(try node.client().ask("PING min=now").hasPrefix("+"), "\(node.trace)") }
            for node in [one, other] { expect(try node.stop() == .code(0), "\(node.trace)") }
            let exports = try [one, other].map { try $0.storectl("export", offline: true).output }
            expect(exports[0] == exports[1] && !exports[0].isEmpty)
        }

        @Test(arguments: [1, 2] as [UInt64])
        func `kills of a node and of etcd at any moment lose nothing and double nothing`(seed: UInt64) throws {
            let etcd = try RunningEtcd()
            let (made, node) = try Self.first([etcd])
            defer { withExtendedLifetime(made) {} }
            var random = SplitMix64(seed: seed)
            var writes: [SentWrite] = []
            for round in 0..<5 {
                let writer = Writer("w\(round)", to: node.socket, seed: seed &+ UInt64(round))
                try until("writes are acknowledged") { writer.hasReceipt }
                usleep(UInt32.random(in: 1_000...300_000, using: &random))
                if round % 2 == 1 {
                    try etcd.kill()
                    usleep(UInt32.random(in: 1_000...300_000, using: &random))
                }
                try node.kill()
                writes += try writer.join()
                if round % 2 == 1 { try etcd.restart() }
                try node.start()
            }
            expect(writes.contains { $0.position != nil })
            try Self.expectOnce(writes, at: node)
            expect(try node.stop() == .code(0), "\(node.trace)")
            let folds = try node.storectl("--json", "replay", "--verify", offline: true)
            expect(folds.exit == .code(0), "\(folds.output)\(folds.errors)")
        }

        @Test func `a follower has the log, leads once the leader is killed, and hands the lead over at its end`()
            throws
        {
            let etcd = try RunningEtcd()
            let (made, one) = try Self.first([etcd])
            defer { withExtendedLifetime(made) {} }
            let other = try Self.node("n2", [etcd])
            try other.start()
            try until("n1 leads and n2 follows") {
                try Self.state(one) == "leading" && Self.state(other) == "following"
            }
            let (client, reader) = (try one.client(), try other.client())
            for number in 1...20 {
                let event = #"APPEND note-1 {"type":"Wrote","data":\#(number)}"#
                let receipt = try require(client.ask(event).number("position"))
                expect(try reader.ask("PING min=now").number("position") ?? 0 >= receipt)
            }
            let writer = Writer("w", to: one.socket, seed: 1)
            try until("writes are acknowledged") { writer.hasReceipt }
            try one.kill()
            var writes = try writer.join()
            try until("n2 leads") { try Self.state(other) == "leading" }
            try Self.expectOnce(writes, besides: 20, at: other)
            try one.start()
            try until("n1 follows") { try Self.state(one) == "following" }
            let further = Writer("x", to: other.socket, seed: 2)
            try until("writes are acknowledged") { further.hasReceipt }
            expect(try other.stop() == .code(0), "\(other.trace)")
            writes += try further.join()
            try until("n1 leads") { try Self.state(one) == "leading" }
            try Self.expectOnce(writes, besides: 20, at: one)
            try other.start()
            try Self.expectEqual(one, other)
        }

        @Test func `without etcd a node answers queries, and says of writes that none was made`() throws {
            let etcd = try RunningEtcd()
            let made = try Self.node("n1", [etcd], patience: 5, "--create")
            try made.launch()
            try require(try made.wait() == .code(0), "\(made.trace)")
            let node = try Self.node("n1", [etcd], data: made.data, patience: 1)
            try node.start()
            let client = try node.client()
            let event = #"APPEND note-1 {"type":"Wrote","data":1}"#
            try until("a write is acknowledged") { try client.ask(event).hasPrefix("+") }
            try etcd.kill()
            let refused = try client.ask(event)
            expect(refused.text("code") == "unavailable" && refused.text("outcome") == "unknown", "\(refused)")
            let none = try client.ask(event)
            expect(none.text("code") == "unavailable" && none.text("outcome") == "none", "\(none)")
            expect(try client.rows("READ events").count == 1)
            expect(try client.ask("PING min=now").text("code") == "behind")
            try etcd.restart()
            try until("a write is acknowledged") { try client.ask(event).hasPrefix("+") }
            expect(try node.stop() == .code(0), "\(node.trace)")
        }
    }
}
