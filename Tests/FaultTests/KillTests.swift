import Foundation
import Glibc
import TestSupport
import Testing

extension HarmTests {
    /// Ends in the middle of writing. `CYCLES=1000` is the long form; `SEED` repeats a run.
    @Suite struct KillTests {
        private static func number(_ name: String) -> Int? {
            ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
        }

        private let cycles = number("CYCLES") ?? 12
        private let seed = UInt64(number("SEED") ?? Int.random(in: 1...999_999))

        @Test func `killed at any moment, it loses nothing acknowledged and told nobody of what it lost`() throws {
            var random = SplitMix64(seed: seed)
            var audit = Audit(seed: seed)
            var restarts: [Duration] = []
            var (heard, slowest) = (0, Duration.zero)
            let usual = try Yardstick { _ = try RunningDaemon() }
            let daemon = try RunningDaemon()
            expect(try daemon.client().ask(DeclaredLoad.request).hasPrefix("+"))
            for cycle in 1...cycles {
                let head = audit.head
                let writers = Self.writers(cycle, daemon, &random)
                let listeners = Self.listeners(daemon, after: head)
                // In every other cycle something is acknowledged, however busy the machine.
                if cycle % 2 == 1 { try Self.waitForReceipt(writers) }
                usleep(.random(in: 2_000...150_000, using: &random))
                try daemon.kill()
                let writes = try writers.flatMap { try $0.join() }
                let ledger = Ledger(heard: try listeners.flatMap { try $0.join() })
                heard += ledger.heard.count
                restarts.append(try ContinuousClock().measure { try daemon.start() })
                slowest = max(slowest, daemon.processorTime)
                let complaints = try ledger.complaints(daemon.client(), after: head)
                expect(
                    complaints.isEmpty, "seed \(seed), cycle \(cycle): \(complaints.prefix(3).joined(separator: "\n"))")
                try audit.check(writes, daemon.client())
                try DeclaredLoad.check(daemon.client(), events: audit.events)
            }
            try Self.end(daemon)
            expect(audit.acknowledged > cycles / 2, "the writers got nowhere; seed \(seed)")
            let median = restarts.sorted()[restarts.count / 2]
            print(
                "kills: \(cycles), \(audit.acknowledged) writes acknowledged, \(audit.storedUnheard) stored unheard, "
                    + "\(heard) other lines, median start \(median), longest \(slowest) of a processor")
            expect(median < usual.limit(10, atLeast: .seconds(1)), "a restart after a kill takes \(median)")
            expect(slowest < .seconds(1), "a restart after a kill takes \(slowest) of a processor")
        }

        @Test func `SIGTERM while writing exits 0 and loses nothing acknowledged`() throws {
            var random = SplitMix64(seed: seed)
            var audit = Audit(seed: seed)
            let daemon = try RunningDaemon()
            for cycle in 1...3 {
                let writers = Self.writers(cycle, daemon, &random)
                try Self.waitForReceipt(writers)
                usleep(.random(in: 1_000...150_000, using: &random))
                expect(try daemon.stop() == .code(0))
                let writes = try writers.flatMap { try $0.join() }
                try daemon.start()
                try audit.check(writes, daemon.client())
            }
            try Self.end(daemon)
            expect(audit.acknowledged > 0)
        }

        private static func writers(
            _ cycle: Int, _ daemon: RunningDaemon, _ random: inout SplitMix64
        ) -> [Writer] {
            (0..<8).map { Writer("c\(cycle)w\($0)", to: daemon.socket, seed: random.next()) }
        }

        private static func waitForReceipt(_ writers: [Writer]) throws {
            try until("a write is acknowledged") { writers.contains(where: \.hasReceipt) }
        }

        /// Two that subscribe to events and to rows, and two that ask.
        private static func listeners(_ daemon: RunningDaemon, after head: UInt64) -> [Listener] {
            let questions = [
                "PING", "READ events order=desc limit=20", "LIST users limit=5", "COUNT users", "STREAMS limit=3",
            ]
            let subscriptions = [
                "SUBSCRIBE events from=\(head + 1)", "SUBSCRIBE users since=\(Date.now.ISO8601Format())",
            ]
            return [
                Listener(1, to: daemon.socket, subscriptions: subscriptions),
                Listener(2, to: daemon.socket, subscriptions: subscriptions),
                Listener(3, to: daemon.socket, questions: questions),
                Listener(4, to: daemon.socket, questions: questions.reversed()),
            ]
        }

        /// The models that were folded over all those starts are the log, folded anew.
        private static func end(_ daemon: RunningDaemon) throws {
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
            let run = try daemon.storectl("replay", "--verify", offline: true)
            expect(run.exit == .code(0), "\(run.output)\(run.errors)")
        }
    }
}
