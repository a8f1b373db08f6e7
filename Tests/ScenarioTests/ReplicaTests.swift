import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// A replica and its source as processes: `stored --follow`.
    @Suite struct ReplicaTests {
        /// An event that anybody may append.
        static let event = #"APPEND note-1 {"type":"Wrote","data":1}"#

        static func replica(
            of source: RunningDaemon, data: String? = nil, fileLimit: Int? = nil, isStarted: Bool = true
        ) throws -> RunningDaemon {
            try RunningDaemon(
                data: data, fileLimit: fileLimit, options: ["--follow", source.socket, "--patience", "1"],
                isStarted: isStarted)
        }

        /// Waits until a replica has everything that its source has.
        static func settle(_ replica: RunningDaemon, _ source: RunningDaemon) throws -> UInt64 {
            let head = try require(source.client().ask("PING").number("position"))
            let client = try replica.client()
            try until("the replica is at \(head): \(replica.trace.suffix(500))") {
                try client.ask("PING min=\(head)").hasPrefix("+")
            }
            return head
        }

        /// Compares seals, events, exports, and digests of the models; ends both.
        static func expectEqual(_ replica: RunningDaemon, _ source: RunningDaemon) throws {
            let head = try settle(replica, source)
            let (ours, theirs) = (try replica.client(), try source.client())
            for position in [1, max(1, head / 2), head] {
                expect(try ours.ask("SEAL at=\(position)") == theirs.ask("SEAL at=\(position)"))
            }
            expect(try ours.rows("READ events limit=10000") == theirs.rows("READ events limit=10000"))
            expect(try ours.ask("VERIFY") == theirs.ask("VERIFY"))
            expect(try replica.stop() == .code(0), "\(replica.trace)")
            expect(try source.stop() == .code(0), "\(source.trace)")
            let exports = try [replica, source].map { try $0.storectl("export", offline: true).output }
            expect(exports[0] == exports[1] && !exports[0].isEmpty)
            let folds = try [replica, source].map { try $0.storectl("--json", "replay", "--verify", offline: true) }
            expect(folds.allSatisfy { $0.exit == .code(0) }, "\(folds[0].output)\(folds[0].errors)")
            let digests = folds.map { $0.output.matches(of: /"digest":"[0-9a-f]+"/).map { String($0.0) } }
            expect(digests[0] == digests[1] && !digests[0].isEmpty, "\(folds[0].output)")
        }

        @Test func `a replica takes the history of its source, has the same log, and takes no writes`() throws {
            let source = try RunningDaemon()
            let client = try source.client()
            expect(
                try client.ask(#"POST users {"id":"7","name":"A","email":"a@x.org","prefecture":1}"#).hasPrefix("+"))
            expect(try client.ask(Load.append(to: "note-1", count: 200, size: 2_000)).hasPrefix("+"))
            expect(try client.ask("CHECKPOINT").hasPrefix("+"))
            let replica = try Self.replica(of: source)
            _ = try Self.settle(replica, source)
            let reader = try LineSocket(replica.socket)
            let greeting = try reader.line()
            expect(greeting.text("log") == (try LineSocket(source.socket).line().text("log")))
            expect(greeting.text("state") == "following" && greeting.text("address") == source.socket, "\(greeting)")
            expect(try reader.ask("GET users/7") == client.ask("GET users/7"))
            let refusal = try reader.ask(Self.event)
            expect(refusal.text("code") == "notLeader" && refusal.text("address") == source.socket, "\(refusal)")
            expect(try client.ask(Self.event).hasPrefix("+"))
            expect(try reader.ask("PING min=now").number("position") == 202)
            try Self.expectEqual(replica, source)
        }

        @Test func `a replica of a restored copy has its ancestors, and so the same seals and histories`() throws {
            let first = try RunningDaemon()
            for _ in 0..<3 { expect(try first.client().ask(Self.event).hasPrefix("+")) }
            let log = try require(try LineSocket(first.socket).line().text("log"))
            expect(try first.stop() == .code(0))
            let data = first.folder.place("copy")
            expect(try first.shell("$S --data \(data) restore \(first.data)").exit == .code(0))
            let source = try RunningDaemon(data: data)
            expect(try source.client().ask(Self.event).number("position") == 4)
            let replica = try Self.replica(of: source)
            _ = try Self.settle(replica, source)
            let client = try replica.client()
            for request in ["READ events from=3 log=\(log)", "READ events from=5 log=\(log)", "SEAL at=4"] {
                expect(try client.ask(request) == source.client().ask(request), "\(request)")
            }
            try Self.expectEqual(replica, source)
        }

        @Test(arguments: [1, 2] as [UInt64])
        func `a replica is equal byte for byte through kills of either at any moment`(seed: UInt64) throws {
            let source = try RunningDaemon()
            let replica = try Self.replica(of: source)
            var random = SplitMix64(seed: seed)
            var acknowledged = 0
            for round in 0..<6 {
                let writer = Writer("w\(round)", to: source.socket, seed: seed &+ UInt64(round))
                let client = try replica.client()
                let before = try require(client.ask("PING").number("position"))
                let more = UInt64.random(in: 1...400, using: &random)
                try until("the replica gets more") {
                    try client.ask("PING").number("position") ?? 0 >= before + more
                }
                if round % 3 != 0 {
                    try replica.kill()
                    if round % 3 == 2 { try until("the source goes on") { writer.hasReceipt } }
                    try replica.start()
                }
                if round % 2 == 0 { try source.kill() } else { expect(try source.stop() == .code(0)) }
                acknowledged += try writer.join().filter { $0.position != nil }.reduce(0) { $0 + $1.count }
                try source.start()
                let head = try Self.settle(replica, source)
                expect(head >= UInt64(acknowledged))
            }
            try Self.expectEqual(replica, source)
        }

        @Test func `a replica without room answers, and goes on from there at a larger disk`() throws {
            let source = try RunningDaemon()
            let replica = try Self.replica(of: source, fileLimit: 4 << 20)
            let client = try source.client()
            for _ in 0..<60 {
                expect(try client.ask(Load.append(to: "note-1", count: 50, size: 2_000)).hasPrefix("+"))
            }
            // Whether the commit or the flush meets the limit first depends on how the records arrive.
            try until("it has no room") { [" full ", " flush-failed "].contains { replica.trace.contains($0) } }
            let reader = try replica.client()
            let position = try require(try reader.ask("PING").number("position"))
            expect(try reader.rows("READ events order=desc limit=1").first?.number("position") ?? 0 >= position)
            expect(try replica.stop() == .code(0), "\(replica.trace)")
            try replica.start()
            try Self.expectEqual(replica, source)
        }

        @Test func `a replica that reads nothing costs its source no memory`() throws {
            let source = try RunningDaemon()
            let replica = try Self.replica(of: source)
            _ = try Self.settle(replica, source)
            try until("it follows") { replica.trace.contains(" following ") }
            try replica.pause()
            let client = try source.client()
            var waiting: UInt64 = 0
            for _ in 0..<100 {
                expect(try client.ask(Load.append(to: "note-1", count: 100, size: 2_000)).hasPrefix("+"))
                for row in try client.rows("CLIENTS") { waiting = max(waiting, row.number("waiting") ?? 0) }
            }
            expect(waiting > 0 && waiting < 1 << 20, "\(waiting) bytes")
            try replica.resume()
            try Self.expectEqual(replica, source)
        }

        @Test func `min=now is behind while the source does not answer, and the patience is that of the setting`()
            throws
        {
            let source = try RunningDaemon()
            let replica = try Self.replica(of: source)
            _ = try Self.settle(replica, source)
            try source.pause()
            let client = try replica.client()
            let behind = try client.ask("LIST users min=now")
            expect(behind.hasPrefix(#"- {"code":"behind","#) && behind.hasSuffix(#""position":0}"#), "\(behind)")
            try source.resume()
            try until("it answers again") { try client.ask("LIST users min=now").hasPrefix("+") }
            _ = try replica.stop()
            _ = try source.stop()
        }
    }
}
