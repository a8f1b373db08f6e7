import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// The starts and the connections that a replica refuses.
    @Suite struct ReplicaRefusalTests {
        private typealias Pair = (replica: RunningDaemon, source: RunningDaemon)

        /// A replica that has some events of its source; both are stopped.
        private func stopped() throws -> Pair {
            let source = try RunningDaemon()
            let client = try source.client()
            for _ in 0..<3 { expect(try client.ask(ReplicaTests.event).hasPrefix("+")) }
            let replica = try ReplicaTests.replica(of: source)
            _ = try ReplicaTests.settle(replica, source)
            expect(try replica.stop() == .code(0) && source.stop() == .code(0))
            return (replica, source)
        }

        private func expectEnd(_ daemon: RunningDaemon, _ code: Int32, _ text: String) throws {
            expect(try daemon.wait() == .code(code), "\(daemon.trace)")
            expect(daemon.trace.contains(text), "\(daemon.trace)")
        }

        @Test func `a replica's directory is not served alone, is read by the tool, and makes a store of its own`()
            throws
        {
            let (replica, source) = try stopped()
            let alone = try RunningDaemon(data: replica.data, isStarted: false)
            try alone.launch()
            try expectEnd(alone, 2, "is a replica: alone it would diverge from its source")
            expect(Files.text(replica.data + "/FORMAT").hasPrefix("storykeep 4 replica\n"))
            let exports = try [replica, source].map { try $0.storectl("export", offline: true).output }
            expect(exports[0] == exports[1] && exports[0].split(separator: "\n").count == 3)
            let own = replica.folder.place("own")
            expect(try replica.shell("$S --data \(own) restore \(replica.data)").exit == .code(0))
            let daemon = try RunningDaemon(data: own)
            expect(try daemon.client().ask(ReplicaTests.event).number("position") == 4)
            expect(try daemon.stop() == .code(0))
        }

        @Test func `a store's own directory is no replica, and a replica follows no other history`() throws {
            let (replica, source) = try stopped()
            let other = try RunningDaemon()
            let own = try ReplicaTests.replica(of: other, data: source.data, isStarted: false)
            try own.launch()
            try expectEnd(own, 2, "is a store of its own, and no replica")
            let stray = try ReplicaTests.replica(of: other, data: replica.data, isStarted: false)
            try stray.launch()
            try expectEnd(stray, 2, "follow another store, or name a new directory")
            expect(try other.stop() == .code(0))
        }

        @Test func `without its source an empty replica ends and makes nothing, and one with events serves them`()
            throws
        {
            let (replica, source) = try stopped()
            let empty = try ReplicaTests.replica(of: source, isStarted: false)
            try empty.launch()
            try expectEnd(empty, 2, "no history could be taken from the store at \(source.socket)")
            expect(access(empty.data, F_OK) != 0)
            try replica.start()
            expect(try replica.client().rows("READ events").count == 3)
            expect(try replica.traces(" source-lost "))
            try source.start()
            expect(try replica.traces(" following "))
            expect(try replica.stop() == .code(0) && source.stop() == .code(0))
        }

        @Test(arguments: [false, true])
        func `a source that was set back is refused, also once it has other events`(hasOthers: Bool) throws {
            let source = try RunningDaemon()
            expect(try source.client().ask(ReplicaTests.event).hasPrefix("+"))
            expect(try source.stop() == .code(0))
            let files = ["log.journal", "log/data.mdb"].map { source.data + "/" + $0 }
            for (index, file) in files.enumerated() {
                expect(try source.shell("cp \(file) $D/old\(index)").exit == .code(0))
            }
            try source.start()
            expect(try source.client().ask(ReplicaTests.event).hasPrefix("+"))
            let replica = try ReplicaTests.replica(of: source)
            _ = try ReplicaTests.settle(replica, source)
            expect(try source.stop() == .code(0))
            // In place, since another file would be another history.
            for (index, file) in files.enumerated() {
                expect(try source.shell("cat $D/old\(index) > \(file)").exit == .code(0))
            }
            expect(try source.shell("rm -r \(source.data)/models").exit == .code(0))
            if hasOthers { try replica.kill() }
            try source.start()
            if hasOthers {
                for _ in 0..<3 {
                    expect(try source.client().ask(#"APPEND note-2 {"type":"B","data":2}"#).hasPrefix("+"))
                }
                try replica.launch()
            }
            try expectEnd(replica, 5, hasOthers ? "has another seal at position 2" : "ends at 1, and this replica at 2")
            expect(try replica.storectl("export", offline: true).output.split(separator: "\n").count == 2)
            expect(try source.stop() == .code(0))
        }

        @Test(arguments: [
            (
                "host:4000",
                "follow: host:4000 wants a certificate: say --certificate, --certificate-key and --authority"
            ),
            ("tls://host:4000", "follow takes HOST:PORT without tls://, such as host:4000"),
            ("", "--follow wants a value"),
        ])
        func `an address that cannot be followed is refused with the reason`(address: String, reason: String) throws {
            let daemon = try RunningDaemon(options: ["--follow=\(address)"], isStarted: false)
            try daemon.launch()
            try expectEnd(daemon, 2, reason)
        }

        @Test func `the tool ends with 3 where a replica is behind or takes no writes`() throws {
            let source = try RunningDaemon()
            let replica = try ReplicaTests.replica(of: source)
            _ = try ReplicaTests.settle(replica, source)
            let write = try replica.storectl("append", "note-1", "--type", "A", "--body", "1")
            expect(write.exit == .code(3) && write.errors.contains("send it to \(source.socket)"), "\(write)")
            // Of a list a write goes to the store that takes writes, in whatever order they are named.
            let writes = [
                "append note-1 --type A --body 1", "append note-1 --type A --body 2 --key k",
                "append note-1 < $D/events", "pipe < $D/requests", "model define notes $D/notes",
                "model undefine notes",
            ]
            let files = """
                set -e; echo '{"type":"A","data":3}' >$D/events
                echo 'APPEND note-1 {"type":"A","data":4}' >$D/requests
                echo 'from note; n: number; on A { n += 1 }' >$D/notes\n
                """
            for list in ["\(replica.socket),\(source.socket)", "\(source.socket),\(replica.socket)"] {
                let run = try source.shell(files + writes.map { "$S --socket \(list) \($0)\n" }.joined())
                expect(run.exit == .code(0), "\(list): \(run)")
            }
            expect(try source.client().ask("COUNT events/note-1").contains(#""count":7"#))
            expect(try source.stop() == .code(0))
            let alone = try replica.shell("$T,\(source.socket) append note-1 --type A --body 1")
            expect(alone.exit == .code(3) && alone.errors.contains("this store is a replica"), "\(alone)")
            let behind = try replica.storectl("pipe", input: "PING min=9999\n")
            expect(behind.exit == .code(3), "\(behind)")
            expect(try replica.stop() == .code(0))
        }
    }
}
