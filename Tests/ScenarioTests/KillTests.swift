import Foundation
import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// Ends in the middle of writing. `CYCLES=1000` is the long form; `SEED` repeats a run.
    @Suite struct KillTests {
        private static func number(_ name: String) -> Int? {
            ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
        }

        private let cycles = number("CYCLES") ?? 10
        private let seed = UInt64(number("SEED") ?? Int.random(in: 1...999_999))

        @Test func `killed at any moment, it loses nothing acknowledged and keeps nothing by half`() throws {
            var random = SplitMix64(seed: seed)
            var audit = Audit(seed: seed)
            var restarts: [Duration] = []
            let daemon = try RunningDaemon()
            for cycle in 1...cycles {
                let writers = Self.writers(cycle, daemon, &random)
                usleep(.random(in: 2_000...150_000, using: &random))
                try daemon.kill()
                let writes = try writers.flatMap { try $0.join() }
                restarts.append(try ContinuousClock().measure { try daemon.start() })
                try audit.check(writes, daemon.client())
            }
            try Self.end(daemon)
            #expect(audit.acknowledged > cycles, "the writers got nowhere; seed \(seed)")
            let median = restarts.sorted()[restarts.count / 2]
            #expect(median < .seconds(1), "a restart after a kill takes \(median)")
        }

        @Test func `SIGTERM while writing exits 0 and loses nothing acknowledged`() throws {
            var random = SplitMix64(seed: seed)
            var audit = Audit(seed: seed)
            let daemon = try RunningDaemon()
            for cycle in 1...3 {
                let writers = Self.writers(cycle, daemon, &random)
                usleep(.random(in: 20_000...150_000, using: &random))
                #expect(try daemon.stop() == .code(0))
                let writes = try writers.flatMap { try $0.join() }
                try daemon.start()
                try audit.check(writes, daemon.client())
            }
            try Self.end(daemon)
            #expect(audit.acknowledged > 0)
        }

        private static func writers(
            _ cycle: Int, _ daemon: RunningDaemon, _ random: inout SplitMix64
        ) -> [Writer] {
            (0..<8).map { Writer("c\(cycle)w\($0)", to: daemon.socket, seed: random.next()) }
        }

        /// The models that were folded over all those starts are the log, folded anew.
        private static func end(_ daemon: RunningDaemon) throws {
            #expect(try daemon.stop() == .code(0), "\(daemon.trace)")
            let run = try daemon.storectl("replay", "--verify", offline: true)
            #expect(run.exit == .code(0), "\(run.output)\(run.errors)")
        }
    }
}
