import Glibc
import StoryCluster
import StoryCore
import TestSupport
import Testing

extension MachineTests {
    /// Nodes that lack events which etcd has no more: they get them from other nodes.
    @Suite struct SeedingTests {
        /// Three nodes whose etcd keeps little.
        private struct Nodes {
            let etcd: RunningEtcd
            let all: [RunningDaemon]
            /// The one that made the directory of the first one.
            let made: RunningDaemon

            var first: Position {
                get throws {
                    let keys = LogKeys(log: "main")
                    let range = OrderingRange.prefix(keys.entries, limit: 1, isKeysOnly: true)
                    guard case .ranged(let ranged, _) = try EtcdLink(etcd.port).call(.range(range)) else {
                        throw TookTooLong(what: "etcd answers")
                    }
                    return ranged.keys.first.flatMap { keys.first(ofKey: $0.key) } ?? .zero
                }
            }

            /// The last position that a node says it has stored.
            func stored(_ name: String) throws -> UInt64? {
                let range = OrderingRange(from: LogKeys(log: "main").node(name))
                guard case .ranged(let ranged, _) = try EtcdLink(etcd.port).call(.range(range)) else { return nil }
                let text = ranged.keys.first.map { String(decoding: $0.value, as: UTF8.self) } ?? ""
                return text.firstMatch(of: /stored=(\d+)/).flatMap { UInt64($0.1) }
            }

            /// A node that is killed loses its directory, and is removed from the log at another one.
            func wipe(_ index: Int, askedAt other: Int) throws {
                try all[index].kill()
                TemporaryFolder.remove(all[index].data)
                expect(try all[other].client().ask("CLUSTER remove n\(index + 1)").hasPrefix("+"))
            }

            func write(_ count: Int, at index: Int) throws {
                let client = try all[index].client()
                for _ in 0..<count {
                    expect(try client.ask(Load.append(to: "note-1", count: 50, size: 2_000)).hasPrefix("+"))
                }
            }
        }

        private static func options(_ name: String, _ etcd: RunningEtcd, patience: Int) -> [String] {
            [
                "--cluster", "http://127.0.0.1:\(etcd.port)", "--node", name, "--lease", "2", "--patience",
                "\(patience)", "--tail", "1048576",
            ]
        }

        private static func three(patience: Int = 30, _ more: (String) throws -> [String] = { _ in [] }) throws -> Nodes
        {
            let etcd = try RunningEtcd()
            let made = try RunningDaemon(
                options: options("n1", etcd, patience: patience) + ["--create"], isStarted: false)
            try made.launch()
            try require(try made.wait() == .code(0), "\(made.trace)")
            let all = try ["n1", "n2", "n3"].map { name in
                let node = try RunningDaemon(
                    data: name == "n1" ? made.data : nil, options: options(name, etcd, patience: patience) + more(name),
                    isStarted: false)
                try node.start()
                if name == "n1" { try until("n1 leads") { try NodeTests.state(node) == "leading" } }
                return node
            }
            for node in all[1...] { try until("it follows") { try NodeTests.state(node) == "following" } }
            return Nodes(etcd: etcd, all: all, made: made)
        }

        /// Compares the logs and the models of all nodes, and ends them.
        private static func expectEqual(_ nodes: [RunningDaemon]) throws {
            let head = try require(try nodes[0].client().ask("PING min=now").number("position"))
            for node in nodes { expect(try node.client().ask("PING min=\(head)").hasPrefix("+"), "\(node.trace)") }
            for node in nodes { expect(try node.stop() == .code(0), "\(node.trace)") }
            let exports = try nodes.map { try $0.storectl("export", offline: true).output }
            expect(exports.allSatisfy { $0 == exports[0] } && !exports[0].isEmpty)
            for node in nodes {
                let folds = try node.storectl("replay", "--verify", offline: true)
                expect(folds.exit == .code(0), "\(folds.output)\(folds.errors)")
            }
        }

        @Test func `nodes join a log that begins with events, which the first one sends them`() throws {
            let etcd = try RunningEtcd()
            let store = try RunningDaemon()
            let client = try store.client()
            expect(
                try client.ask(#"POST users {"id":"7","name":"A","email":"a@x.org","prefecture":1}"#).hasPrefix("+"))
            for _ in 0..<5 { expect(try client.ask(Load.append(to: "note-1", count: 200, size: 500)).hasPrefix("+")) }
            expect(try store.stop() == .code(0))
            let creating = try NodeTests.node("n1", [etcd], data: store.data, "--create")
            try creating.launch()
            expect(try creating.wait() == .code(0) && creating.trace.contains(" position=1001\n"), "\(creating.trace)")
            let others = try ["n2", "n3"].map { try NodeTests.node($0, [etcd]) }
            for node in others { try node.start() }
            // Nobody has the events yet.
            expect(
                try others[0].traces(" not-seeded position=0 reason=\"no node has stored the events through 1001\""))
            expect(try NodeTests.state(others[0]) == "catchingUp")
            let first = try NodeTests.node("n1", [etcd], data: store.data)
            try first.start()
            for node in others {
                try until("it follows: \(node.trace)") { try NodeTests.state(node) == "following" }
                expect(try node.traces(" position=1001 events=1001 ") && node.trace.contains(" seeded from="))
                expect(try node.client().ask("GET users/7") == first.client().ask("GET users/7"))
            }
            try until("n1 leads") { try NodeTests.state(first) == "leading" }
            expect(try first.client().ask(Load.append(to: "note-2", count: 1, size: 10)).number("position") == 1_002)
            try Self.expectEqual([first] + others)
        }

        @Test func `a node that was away past the tail, and one that was wiped, get the events from others`() throws {
            let nodes = try Self.three()
            let (one, two, three) = (nodes.all[0], nodes.all[1], nodes.all[2])
            try nodes.write(2, at: 0)
            expect(try three.stop() == .code(0), "\(three.trace)")
            try nodes.write(60, at: 0)
            try until("etcd has no more what n3 lacks") { try nodes.first > Position(101) }
            try three.start()
            try until("n3 follows: \(three.trace.suffix(500))") { try NodeTests.state(three) == "following" }
            expect(try three.traces(" seeded from="))
            // A node without its directory, under its name again, while one of those that have the events is gone, and one writes.
            try nodes.wipe(2, askedAt: 0)
            try two.kill()
            let writer = Writer("w", to: one.socket, seed: 1)
            try until("writes are acknowledged") { writer.hasReceipt }
            try three.start()
            try until("n3 follows: \(three.trace.suffix(500))") {
                try NodeTests.state(three) == "following"
            }
            try two.start()
            try one.kill()
            let writes = try writer.join()
            expect(!writes.isEmpty)
            try one.start()
            try Self.expectEqual(nodes.all)
        }

        @Test func `a node that does not answer is passed over`() throws {
            let nodes = try Self.three(patience: 3)
            let (one, two, three) = (nodes.all[0], nodes.all[1], nodes.all[2])
            try nodes.write(30, at: 0)
            try until("etcd has no more what n3 will lack, and knows that n1 and n2 have it") {
                try nodes.first > Position(1) && nodes.stored("n1") == 1_500 && nodes.stored("n2") == 1_500
            }
            try nodes.wipe(2, askedAt: 0)
            // The one that leads is asked last.
            try two.pause()
            try three.start()
            expect(try three.traces(" not-seeded from=\(two.socket) position=0 reason=\"it does not answer\""))
            try until("n3 follows: \(three.trace.suffix(500))") { try NodeTests.state(three) != "catchingUp" }
            expect(try three.traces(" seeded from=\(one.socket) "))
            try two.resume()
            try Self.expectEqual(nodes.all)
        }

        @Test func `nodes of several machines get events over TLS`() throws {
            let authority = try TestAuthority.shared()
            let nodes = try Self.three { name in
                let (signed, port) = (try authority.sign(name), try LoopbackPort.free())
                return [
                    "--listen", "127.0.0.1:\(port)", "--advertise", "127.0.0.1:\(port)", "--certificate",
                    signed.certificate, "--certificate-key", signed.key, "--authority", authority.file,
                ]
            }
            let three = nodes.all[2]
            try nodes.write(30, at: 0)
            try until("etcd has no more what n3 will lack") { try nodes.first > Position(1) }
            try nodes.wipe(2, askedAt: 0)
            try three.start()
            try until("n3 follows: \(three.trace.suffix(500))") { try NodeTests.state(three) != "catchingUp" }
            expect(try three.traces(" seeded from=127.0.0.1:"))
            try Self.expectEqual(nodes.all)
        }
    }
}
