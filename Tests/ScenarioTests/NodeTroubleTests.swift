import TestSupport
import Testing

extension MachineTests {
    /// Nodes whose etcd refuses them, is emptied or set back, and processes under the name of a node.
    @Suite struct NodeTroubleTests {
        private let append = #"APPEND note-1 {"type":"Wrote","data":1}"#

        @Test func `a new password of etcd's user is read from its file, and until then nodes wait`() throws {
            let etcd = try RunningEtcd.guarded()
            let folder = try Scratch()
            let file = folder.place("password")
            func put(_ password: String) throws { try Files.write(password + "\n", to: file) }
            func change(_ password: String) throws {
                let words = ["--user", "root:root", "user", "passwd", "node", "--interactive=false"]
                _ = try etcd.control(words, input: password)
            }
            try put("secret")
            let user = ["--cluster-user", "node", "--cluster-password-file", file]
            let made = try NodeTests.node("n1", [etcd], "--create", user[0], user[1], user[2], user[3])
            try made.launch()
            try require(try made.wait() == .code(0), "\(made.trace)")
            let node = try NodeTests.node("n1", [etcd], data: made.data, user[0], user[1], user[2], user[3])
            try node.start()
            let client = try node.client()
            expect(try client.ask(append).number("position") == 1)
            // The file has the new one first.
            try put("second")
            try change("second")
            expect(try client.ask(append).number("position") == 2)
            // etcd has it first: writes wait.
            try change("third")
            client.send(append)
            expect(try node.traces(" engine-refuses log=main reason="))
            try put("third")
            expect(try client.line().number("position") == 3)
            expect(try node.stop() == .code(0), "\(node.trace)")
        }

        @Test func `a second process under a node's name ends with a sentence, and the first goes on`() throws {
            let cluster = try RunningNodes(1)
            let first = cluster["n1"]
            let client = try first.client()
            expect(try client.ask(append).hasPrefix("+"))
            try until("n1 has reported it") { try client.rows("CLUSTER").first?.number("stored") == 1 }
            try until("an empty directory is refused") {
                // The report may be on its way to etcd.
                let second = try NodeTests.node("n1", [cluster.etcd])
                try second.launch()
                expect(try second.wait() == .code(2), "\(second.trace)")
                let sentence = "the node n1 has stored the events through 1, and this data directory ends at 0"
                return second.trace.contains(sentence) && !Files.exists(second.data)
            }
            expect(try client.ask(append).number("position") == 2)
            try first.kill()
            try first.start()
            expect(try first.client().ask(append).number("position") == 3)
            expect(try first.stop() == .code(0), "\(first.trace)")
        }

        @Test func `nodes whose etcd comes back with an empty directory end with 5, and say what to do`() throws {
            let cluster = try RunningNodes(2)
            expect(try cluster["n1"].client().ask(append).hasPrefix("+"))
            try cluster.etcd.setBack()
            for name in ["n1", "n2"] {
                let node = cluster[name]
                expect(try node.wait() == .code(5), "\(node.trace)")
                expect(node.trace.contains("etcd has no log main any more: it was emptied"))
                expect(node.trace.contains("take the directory that has most (storectl --data DIR verify)"))
            }
        }

        @Test func `nodes whose etcd is set back say so, and go on where all have its events`() throws {
            let cluster = try RunningNodes(2)
            let client = try cluster["n1"].client()
            for _ in 1...5 { expect(try client.ask(append).hasPrefix("+")) }
            try cluster.etcd.keepState()
            try until("a write is acknowledged") { try client.ask(append).hasPrefix("+") }
            for _ in 1...30 { expect(try client.ask(append).hasPrefix("+")) }
            let end = try require(try client.ask("PING min=now").number("position"))
            expect(try cluster["n2"].client().ask("PING min=\(end)").number("position") == end)
            try cluster.etcd.setBack()
            for name in ["n1", "n2"] { expect(try cluster[name].traces(" engine-set-back log=main revision=")) }
            try until("a write is acknowledged") { try client.ask(append).hasPrefix("+") }
            let last = try require(try client.ask("PING min=now").number("position"))
            expect(last > end)
            expect(try cluster["n2"].client().ask("PING min=\(last)").number("position") == last)
            try NodeTests.expectEqual(cluster["n2"], cluster["n1"])
        }
    }
}
