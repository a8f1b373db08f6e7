import Glibc
import StoryCluster
import StoryCore
import TestSupport
import Testing

extension MachineTests {
    /// `stored --create` and the joining of nodes, with a real etcd.
    @Suite struct ClusterLogTests {
        private static let event = #"APPEND note-1 {"type":"Wrote","data":1}"#

        private static func url(_ etcd: RunningEtcd) -> String { "http://127.0.0.1:\(etcd.port)" }

        /// A daemon that is not started.
        private func daemon(
            _ etcd: RunningEtcd, data: String? = nil, patience: Int = 30, _ options: String...
        ) throws -> RunningDaemon {
            try RunningDaemon(
                data: data,
                options: ["--cluster", Self.url(etcd), "--node", "n1", "--patience", "\(patience)"] + options,
                isStarted: false)
        }

        private func expectEnd(_ daemon: RunningDaemon, _ code: Int32, _ text: String) throws {
            try daemon.launch()
            expect(try daemon.wait() == .code(code), "\(daemon.trace)")
            expect(daemon.trace.contains(text), "\(daemon.trace)")
        }

        /// Stops a store that has some events; returns it, the ID of its history and its position.
        private func store(events: Int) throws -> (daemon: RunningDaemon, log: String) {
            let store = try RunningDaemon()
            let log = try require(try LineSocket(store.socket).line().text("log"))
            let client = try store.client()
            for _ in 0..<events { expect(try client.ask(Self.event).hasPrefix("+")) }
            expect(try store.stop() == .code(0))
            return (store, log)
        }

        /// The identity of a log as etcd has it.
        private func record(_ etcd: RunningEtcd, _ log: String) throws -> LogRecord {
            let answer = try EtcdLink(etcd.port).call(.range(OrderingRange(from: LogKeys(log: log).identity)))
            guard case .ranged(let ranged, let header) = answer, let pair = ranged.keys.first else {
                throw TookTooLong(what: "the log \(log) in etcd: \(answer)")
            }
            let record = try LogRecord(pair.value)
            expect(record.cluster == header.cluster && header.cluster != 0)
            return record
        }

        @Test func `a log is made once out of a directory, which goes on to be a store's until a node begins`() throws {
            let etcd = try RunningEtcd()
            let (store, log) = try store(events: 3)
            let creating = try daemon(etcd, data: store.data, "--create")
            try expectEnd(creating, 0, "created log=main history=\(log) position=3\n")
            let record = try record(etcd, "main")
            expect(record.position.value == 3 && record.checksum != 0 && "\(record.identity.named.id)" == log)
            let again = try daemon(etcd, data: store.data, "--create")
            try expectEnd(again, 2, "is there already with the history \(log): start this node without --create")
            let other = try daemon(etcd, data: store.data, "--create", "--log=other")
            try expectEnd(other, 0, "created log=other history=\(log) position=3\n")
            try store.start()
            expect(try store.client().ask("PING").number("position") == 3)
            // No log is made of a directory that is served: it would go on meanwhile.
            let served = try daemon(etcd, data: store.data, "--create", "--log=served")
            try expectEnd(served, 2, "\(store.data) is held by")
            expect(try store.stop() == .code(0))
        }

        @Test func `a log is made out of a new directory, and not where keys of another one are left`() throws {
            let etcd = try RunningEtcd()
            let new = try daemon(etcd, "--create")
            try expectEnd(new, 0, "position=0\n")
            expect(try record(etcd, "main").checksum == 0)
            // The directory is that of a store, which has the history.
            let alone = try RunningDaemon(data: new.data)
            let log = try require(try LineSocket(alone.socket).line().text("log"))
            expect(new.trace.contains("history=\(log) "))
            expect(try alone.stop() == .code(0))
            _ = try etcd.control(["put", "/storykeep/left/live/log/00000000000000000001", "x"])
            let left = try daemon(etcd, "--create", "--log=left")
            try expectEnd(left, 2, "delete the keys below /storykeep/left/")
            expect(!Files.exists(left.data))
        }

        @Test func `without an etcd, and with one that is stopped, nothing is made, and the reason is said`() throws {
            let etcd = try RunningEtcd()
            let port = etcd.port
            try etcd.pause()
            let stopped = try daemon(etcd, patience: 1, "--create")
            try expectEnd(stopped, 2, "etcd at http://127.0.0.1:\(port) did not answer within 1 s: ")
            try etcd.kill()
            let refused = try daemon(etcd, patience: 1, "--create")
            try expectEnd(refused, 2, "did not answer within 1 s: http://127.0.0.1:\(port): Connection refused")
            let joining = try daemon(etcd, patience: 1)
            try expectEnd(joining, 2, "did not answer within 1 s: http://127.0.0.1:\(port): Connection refused")
            for daemon in [stopped, refused, joining] { expect(!Files.exists(daemon.data)) }
        }

        @Test func `a node joins a log that is there alone, and takes its history`() throws {
            let etcd = try RunningEtcd()
            let none = try daemon(etcd)
            try expectEnd(none, 2, "there is no log main in etcd at \(Self.url(etcd)): make it")
            expect(none.trace.contains("stored --create") && !Files.exists(none.data))
            let (store, log) = try store(events: 1)
            try expectEnd(try daemon(etcd, data: store.data, "--create"), 0, "created log=main ")
            let joining = try daemon(etcd)
            try joining.launch()
            expect(try joining.traces(" joined cluster=main log=\(log)\n"))
            try joining.kill()
            let (other, _) = try self.store(events: 1)
            try expectEnd(try daemon(etcd, data: other.data), 2, "and the log in etcd has \(log): name a new directory")
            try other.start()
            expect(try other.stop() == .code(0))
        }

        @Test func `the first node begins with the directory that the log was made of, which the tool reads`() throws {
            let etcd = try RunningEtcd()
            let (store, log) = try store(events: 2)
            let before = try store.storectl("export", offline: true).output
            try expectEnd(try daemon(etcd, data: store.data, "--create"), 0, "created log=main ")
            let first = try daemon(etcd, data: store.data)
            try first.launch()
            expect(try first.traces(" joined cluster=main log=\(log)\n"))
            try until("the directory is marked") {
                Files.text(store.data + "/FORMAT").hasPrefix("storykeep 4 node main n1\n")
            }
            try first.kill()
            let alone = try RunningDaemon(data: store.data, isStarted: false)
            try expectEnd(alone, 2, "is the node n1 of the log main")
            expect(try store.storectl("export", offline: true).output == before && !before.isEmpty)
            // A copy is a store of its own.
            let own = store.folder.place("own")
            expect(try store.shell("$S --data \(own) restore \(store.data)").exit == .code(0))
            let restored = try RunningDaemon(data: own)
            expect(try restored.client().ask(Self.event).number("position") == 3)
            expect(try restored.stop() == .code(0))
        }

        @Test func `where etcd wants a user, the right one makes the log, and the wrong one is refused`() throws {
            let etcd = try RunningEtcd.guarded()
            let folder = try Scratch()
            for (password, code, text) in [
                ("wrong", Int32(2), "check cluster-user, its password and its role"),
                ("secret", 0, "created log=main "),
            ] {
                try Files.write(password + "\n", to: folder.place(password))
                let user = ["--cluster-user=node", "--cluster-password-file=" + folder.place(password)]
                try expectEnd(try daemon(etcd, "--create", user[0], user[1]), code, text)
            }
            try expectEnd(try daemon(etcd, "--create", "--log=other"), 2, "check cluster-user")
        }
    }
}
