import TestSupport
import Testing

extension DaemonTests {
    /// Workers of a real daemon, which are killed as the daemon is, and `storectl cursors`.
    @Suite struct WorkerScenarioTests {
        private static let count = 150

        @Test(arguments: [1, 2] as [UInt64])
        func `each input has one output, however often worker and daemon are killed`(seed: UInt64) throws {
            var random = SplitMix64(seed: seed)
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for number in 1...Self.count {
                try client.expect(#"APPEND order-\#(number % 7) {"type":"Placed","data":{"n":\#(number)}}"#)
            }
            try client.expect(#"CURSOR billing {"on":"events/order-*","window":9,"attempts":0}"#)
            var kills = 0
            while try work(daemon, &random, &kills) < Self.count {}
            expect(kills > 3)
            let outputs = try daemon.client().rows("READ events/invoice-* limit=1000")
            expect(outputs.map { $0.number("of") ?? 0 }.sorted() == (1...UInt64(Self.count)).map { $0 })
            let moves = outputs.compactMap { $0.text("cursor") }
            expect(Set(moves).count == Self.count && moves.allSatisfy { $0.hasPrefix("billing/1@") })
            expect(try daemon.client().ask("VERIFY").hasPrefix("+"))
            expect(try daemon.client().rows("CURSORS").first?.contains(#""at":\#(Self.count),"#) == true)
            expect(try daemon.stop() == .code(0))
            let replay = try daemon.storectl("replay", "--verify", offline: true)
            expect(replay.exit == .code(0) && replay.output.contains("cursors"), "\(replay)")
            let offline = try daemon.storectl("cursors", offline: true)
            expect(offline.output.contains("billing"), "\(offline)")
        }

        /// Returns the write of the output of an input, which moves the cursor.
        private static func output(of position: UInt64) -> String {
            #"APPEND invoice-\#(position % 3) cursor=billing@\#(position) "#
                + #"{"type":"Billed","data":{"of":\#(position)}}"#
        }

        /// Works until the connection ends, which it does at random; returns the position that everything is done at.
        private func work(_ daemon: RunningDaemon, _ random: inout SplitMix64, _ kills: inout Int) throws -> UInt64 {
            let worker = WorkerSocket(try daemon.client())
            let begun = try worker.ask("WORK billing")
            var done = try require(begun.number("at"), "\(begun)")
            while done < Self.count {
                let push = try worker.push()
                guard let position = push.number("position"), push.text("stream")?.hasPrefix("order-") == true else {
                    continue
                }
                // Each comes once on a connection, and in its order.
                expect(position == done + 1, "\(push)")
                if random.oneIn(20) { return done }
                let write = Self.output(of: position)
                if random.oneIn(20) {
                    kills += 1
                    worker.socket.send(write)
                    try daemon.kill()
                    try daemon.start()
                    return done
                }
                let receipt = try worker.ask(write)
                expect(receipt.number("at") == position, "\(receipt)")
                done = position
            }
            return done
        }

        @Test(arguments: [3, 4] as [UInt64])
        func `each input has one output where a cursor has shares, however often they are killed`(seed: UInt64) throws {
            var random = SplitMix64(seed: seed)
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for number in 1...Self.count {
                try client.expect(#"APPEND order-\#(number % 29) {"type":"Placed","data":{"n":\#(number)}}"#)
            }
            try client.expect(#"CURSOR billing {"on":"events/order-*","shares":3,"window":9,"attempts":0}"#)
            var (kills, ended) = (0, Set<Int>())
            while ended.count < 3 {
                let share = Int.random(in: 1...3, using: &random)
                if try work(share, daemon, &random, &kills) { ended.insert(share) }
            }
            expect(kills > 2)
            let outputs = try daemon.client().rows("READ events/invoice-* limit=1000")
            expect(outputs.map { $0.number("of") ?? 0 }.sorted() == (1...UInt64(Self.count)).map { $0 })
            expect(Set(outputs.compactMap { $0.text("cursor") }).count == Self.count)
            let shares = Dictionary(grouping: outputs) { $0.text("cursor")?.split(separator: "@").first }
            expect(shares.count == 3, "each share has some of the streams")
            // The events of a stream were done in their order.
            for stream in UInt64(0)..<29 {
                let done = outputs.compactMap { $0.number("of") }.filter { $0 % 29 == stream }
                expect(done == done.sorted(), "\(stream)")
            }
            expect(try daemon.stop() == .code(0))
            let replay = try daemon.storectl("replay", "--verify", offline: true)
            expect(replay.exit == .code(0), "\(replay)")
        }

        /// Works at a share until its connection ends, which it does at random; returns true once all of it is done.
        private func work(
            _ share: Int, _ daemon: RunningDaemon, _ random: inout SplitMix64, _ kills: inout Int
        ) throws -> Bool {
            let worker = WorkerSocket(try daemon.client())
            let begun = try worker.ask("WORK billing share=\(share) wait=true")
            var done = try require(begun.number("at"), "\(begun)")
            while true {
                let push = try worker.push()
                if push.contains(#"{"caughtUp":"#) { return true }
                guard let position = push.number("position") else { continue }
                expect(position > done, "\(push)")
                if random.oneIn(30) { return false }
                let write = Self.output(of: position)
                if random.oneIn(30) {
                    kills += 1
                    worker.socket.send(write)
                    try daemon.kill()
                    try daemon.start()
                    return false
                }
                let receipt = try worker.ask(write)
                expect(receipt.contains(#""cursor":{"share":\#(share),"at":\#(position)}"#), "\(receipt)")
                done = position
            }
        }

        @Test func `the tool shows cursors and parked events, and changes what is parked`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for number in 1...3 { try client.expect(#"APPEND order-7 {"type":"Placed","data":{"n":\#(number)}}"#) }
            try client.expect(#"CURSOR billing {"on":"events/order-*"}"#)
            expect(try daemon.storectl("cursors", "--max-lag", "10").exit == .code(0))
            expect(try daemon.storectl("cursors", "--max-lag", "1").exit == .code(1))
            try client.expect("WORK billing")
            expect(try client.ask(#"FAIL billing@1 park=true error="no such customer""#).hasPrefix("+"))
            let shown = try daemon.storectl("cursors")
            expect(shown.output.contains("billing") && shown.output.contains("working"), "\(shown)")
            expect(try daemon.storectl("cursors", "--max-lag", "99").exit == .code(1), "one is parked")
            expect(try daemon.storectl("stats").output.contains(#/\nset aside +1 parked event\n/#))
            let parked = try daemon.storectl("cursors", "billing", "--parked")
            expect(parked.output.contains("order-7") && parked.output.contains("no such customer"), "\(parked)")
            let json = try daemon.storectl("--json", "cursors", "billing", "--parked")
            expect(json.output.hasPrefix(#"{"event":1,"share":1,"stream":"order-7","type":"Placed","attempts":1,"#))
            let again = try daemon.storectl("cursors", "billing", "--retry", "all")
            expect(again.output.hasPrefix("1 event to be delivered again, position "), "\(again)")
            let gone = try daemon.storectl("cursors", "billing", "--discard", "1", "--reason", "a test order")
            expect(gone.output.hasPrefix("event 1 is given up, position "), "\(gone)")
            expect(try daemon.storectl("cursors", "billing", "--discard", "1", "--reason", "again").exit == .code(1))
            for words in [["--parked"], ["billing", "--retry", "1", "--parked"], ["billing", "--discard", "1"]] {
                let wrong = try daemon.storectl(arguments: ["cursors"] + words)
                expect(wrong.exit == .code(2), "\(wrong)")
            }
            let check = try daemon.storectl("check", "--warning", "parked=0", "--warning", "cursors=1")
            expect(check.exit == .code(1) && check.output.contains("cursors ") && check.output.contains("parked=0;0"))
        }

        @Test func `a copy delivers nothing before its worker confirms the new history`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for number in 1...3 { try client.expect(#"APPEND order-7 {"type":"Placed","data":{"n":\#(number)}}"#) }
            try client.expect(#"CURSOR billing {"on":"events/order-*"}"#)
            try client.expect("WORK billing")
            try client.expect("ACK billing@2")
            let copy = daemon.folder.place("copy")
            try client.expect(#"BACKUP "\#(copy)""#)
            let other = try RunningDaemon(data: copy)
            let worker = try other.client()
            let refused = try worker.ask("WORK billing")
            expect(refused.text("code") == "diverged" && refused.number("at") == 2, "\(refused)")
            expect(try worker.rows("CURSORS").first?.text("state") == "diverged")
            let log = try require(refused.text("log"))
            let begun = try worker.ask("WORK billing log=\(log)")
            expect(begun.number("at") == 2, "\(begun)")
            let push = try worker.line()
            expect(push.number("position") == 3, "\(push)")
        }
    }
}
