import Foundation
import Glibc
import TestSupport
import Testing

extension HarmTests {
    /// A disk that goes down under load and comes back; wants root, and is passed over where nothing can be mounted.
    /// `STOPS=100` is the long form: so many stops of each file system. `SEED` repeats a run.
    @Suite struct StoppedDiskTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let stops = environment["STOPS"].flatMap { Int($0) }
        /// The short form stops the kind that keeps least.
        private static let kinds: [StoppableDisk.Kind] = stops == nil ? [.ext4] : StoppableDisk.Kind.allCases

        private let seed = Self.environment["SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)

        @Test(arguments: kinds)
        func `a disk that goes down under load loses nothing acknowledged, and the daemon ends with 5`(
            kind: StoppableDisk.Kind
        ) throws {
            guard let disk = try StoppableDisk(kind) else { return print("stopped disk: no \(kind) here") }
            var random = SplitMix64(seed: seed)
            var audit = Audit(seed: seed)
            let daemon = try RunningDaemon(data: disk.path + "/data")
            for stop in 1...(Self.stops ?? 2) {
                let head = audit.head
                let writers = (0..<4).map { Writer("s\(stop)w\($0)", to: daemon.socket, seed: random.next()) }
                let follower = Listener(1, to: daemon.socket, subscriptions: ["SUBSCRIBE events from=\(head + 1)"])
                try until("a write is acknowledged") { writers.contains(where: \.hasReceipt) }
                usleep(.random(in: 1_000...200_000, using: &random))
                try disk.stop()
                // The next commit fails, so that the daemon ends by itself.
                let exit = try daemon.wait()
                expect(exit == .code(5), "\(kind), seed \(seed), stop \(stop): \(daemon.trace.suffix(500))")
                let writes = try writers.flatMap { try $0.join() }
                let ledger = Ledger(heard: try follower.join())
                try disk.comeBack()
                try daemon.start()
                let complaints = try ledger.complaints(daemon.client(), after: head)
                expect(
                    complaints.isEmpty,
                    "\(kind), seed \(seed), stop \(stop): \(complaints.prefix(3).joined(separator: "\n"))")
                try audit.check(writes, daemon.client())
            }
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
            let run = try daemon.storectl("replay", "--verify", offline: true)
            expect(run.exit == .code(0), "\(run.output)\(run.errors)")
            print(
                "stopped disk: \(kind) \(Self.stops ?? 2) times, \(audit.acknowledged) writes acknowledged, "
                    + "\(audit.storedUnheard) stored unheard; seed \(seed)")
        }
    }
}
