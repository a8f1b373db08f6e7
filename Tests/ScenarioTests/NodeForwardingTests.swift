import Glibc
import TestSupport
import Testing

extension MachineTests {
    /// Writes of clients of nodes that follow, as processes over a real etcd.
    @Suite struct NodeForwardingTests {
        private let etcd: RunningEtcd
        private let made: RunningDaemon
        /// The options of every node.
        private let options: [String]

        init() throws { try self.init([]) }

        private init(_ more: [String], lease: Int = 30) throws {
            etcd = try RunningEtcd()
            options =
                ["--cluster", "http://127.0.0.1:\(etcd.port)", "--lease", "\(lease)", "--patience", "60"] + more
            made = try RunningDaemon(options: options + ["--node", "n1", "--create"], isStarted: false)
            try made.launch()
            try require(try made.wait() == .code(0), "\(made.trace)")
        }

        /// Starts a node, and waits until it leads or reaches the node that does.
        private func node(_ name: String, _ more: [String] = []) throws -> RunningDaemon {
            let data = name == "n1" ? made.data : nil
            let node = try RunningDaemon(data: data, options: options + ["--node", name] + more, isStarted: false)
            try node.start()
            let isReady = name == "n1" ? " leading log=main" : " leader-reached "
            expect(try node.traces(isReady))
            return node
        }

        @Test func `a client of a follower writes, gets its receipt, and reads its own write at once`() throws {
            let (leader, follower) = (try node("n1"), try node("n2"))
            let client = try follower.client()
            for number in 1...100 {
                let event = #"@\#(number) APPEND note-\#(number) key=k\#(number) {"type":"Wrote","data":\#(number)}"#
                expect(client.send("\(event)\n@r READ events/note-\(number)"))
                let receipt = try client.line()
                expect(receipt.hasPrefix("+@\(number) ") && receipt.number("position") == UInt64(number))
                let row = try client.line()
                expect(row.hasPrefix("=@r ") && row.number("by") == UInt64(geteuid()), "\(row)")
                expect(try client.line().hasPrefix("+@r "))
                let again = try client.ask(event)
                expect(again.contains(#""repeated":true"#) && again.number("position") == UInt64(number))
            }
            let form = #"POST users {"id":"7","name":"Ana","email":"a@b.org","prefecture":1}"#
            expect(try client.ask(form).hasPrefix("+") && client.ask("GET users/7").text("name") == "Ana")
            expect(try client.ask(form).text("code") == "exists")
            expect(try client.ask(#"EDIT users/8 {"name":"Bo"}"#).text("code") == "notFound")
            let define = #"DEFINE notes "from note; count: number; on Wrote { count += 1 }""#
            expect(try client.ask(define).text("model") == "notes")
            try until("the model answers") { try client.ask("GET notes/7").number("count") == 1 }
            try NodeTests.expectEqual(leader, follower)
        }

        @Test func `the leader is killed under load of a follower's clients, and each write is there once`() throws {
            let (leader, follower) = (try node("n1"), try node("n2"))
            let writers = (0..<3).map { Writer("w\($0)", to: follower.socket, seed: UInt64($0)) }
            try until("writes are acknowledged") { writers.allSatisfy(\.hasReceipt) }
            try leader.kill()
            expect(try follower.traces(" leading log=main"))
            let before = try require(follower.client().ask("PING").number("position"))
            try until("writes go on") { try follower.client().ask("PING").number("position") ?? 0 > before + 50 }
            try leader.start()
            expect(try leader.traces(" leader-reached "))
            // The others are killed with their connections: what was sent last may be there, or not.
            try follower.kill()
            let writes = try writers.flatMap { try $0.join() }
            expect(try leader.traces(" leader-gone "))
            try until("the other node leads") { try NodeTests.state(leader) == "leading" }
            try NodeTests.expectOnce(writes, at: leader)
            try follower.start()
            try NodeTests.expectEqual(leader, follower)
        }

        @Test func `a leader that ends under load of a follower's clients costs them no write`() throws {
            let (leader, follower) = (try node("n1"), try node("n2"))
            let writers = (0..<3).map { Writer("w\($0)", to: follower.socket, seed: UInt64($0)) }
            try until("writes are acknowledged") { writers.allSatisfy(\.hasReceipt) }
            expect(try leader.stop() == .code(0), "\(leader.trace)")
            let before = try require(follower.client().ask("PING").number("position"))
            try until("writes go on") { try follower.client().ask("PING").number("position") ?? 0 > before + 50 }
            expect(try follower.stop() == .code(0), "\(follower.trace)")
            // A writer takes nothing but receipts.
            let writes = try writers.flatMap { try $0.join() }
            try leader.start()
            try until("the other node leads") { try NodeTests.state(leader) == "leading" }
            try NodeTests.expectOnce(writes, at: leader)
        }

        @Test func `a leader that is killed is replaced long before its lease ends`() throws {
            let (leader, follower) = (try node("n1"), try node("n2"))
            let client = try follower.client()
            let event = #"APPEND note-1 {"type":"Wrote","data":1}"#
            expect(try client.ask(event).hasPrefix("+"))
            let clock = ContinuousClock()
            let began = clock.now
            try leader.kill()
            expect(try client.ask(event.replacing("note-1", with: "note-1 key=k")).hasPrefix("+"))
            let took = clock.now - began
            expect(took < .seconds(30), "a lease; it took \(took)")
            expect(try follower.traces(" leader-gone "))
        }
    }
}
