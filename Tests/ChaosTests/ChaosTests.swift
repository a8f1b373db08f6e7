import Foundation
import TestSupport
import Testing

/// A log on three nodes and three members of etcd, all of which fail while clients write and erase, and a worker works.
///
/// `CHAOS` is the number of disturbances, without which some are made; `SEED` repeats those of a run, as far as processes
/// repeat anything.
@Suite(.serialized) struct ChaosTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let cycles = environment["CHAOS"].flatMap { Int($0) }
    private static let some: [Disturbance] = [
        .leaderKilled, .leaderCutOff, .memberKilled, .allNodesKilled, .leaderPaused,
    ]
    private static let seed = environment["SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)

    @Test func `whatever becomes of nodes and etcd, each acknowledged event is there once, on every node`() throws {
        print("seed \(Self.seed)")
        let (cluster, ledger) = (try ChaosCluster(), Ledger())
        var random = SplitMix64(seed: Self.seed)
        _ = try cluster.leader()
        let sockets = cluster.nodes.map(\.socket)
        let writers = (1...4).map { ChaosWriter("w\($0)", to: sockets, ledger, seed: Self.seed &+ UInt64($0)) }
        let worker = try ChaosWorker(at: sockets, for: "w1", ledger, seed: Self.seed &+ 5)
        let eraser = ChaosEraser(at: sockets, ledger, seed: Self.seed &+ 6)
        var disturbances = Self.cycles == nil ? Self.some : []
        while let cycles = Self.cycles, disturbances.count < cycles {
            disturbances += Disturbance.allCases.shuffled(using: &random).prefix(cycles - disturbances.count)
        }
        for (cycle, disturbance) in disturbances.enumerated() {
            try until("a write is acknowledged") { ledger.acknowledged > 0 }
            _ = ledger.takeLongestSilence()
            try disturbance.strike(cluster, &random)
            try cluster.heal()
            _ = try cluster.leader()
            let before = ledger.acknowledged
            try until("a write is acknowledged after \(disturbance)") { ledger.acknowledged > before }
            print("\(cycle + 1) \(disturbance): silent for \(ledger.takeLongestSilence()), at \(ledger.highest)")
            fflush(nil)
        }
        for writer in writers { try writer.end() }
        try eraser.end()
        try cluster.awaitEnd(of: "of-w1")
        try worker.end()
        let kept = try cluster.files(with: ChaosEraser.secret)
        expect(kept.isEmpty, "what was erased is in \(kept)")
        let exports = try cluster.exports()
        expect(exports.allSatisfy { $0 == exports[0] }, "the nodes' logs differ")
        let complaints = ledger.complaints(exports[0])
        expect(complaints.isEmpty, "\(complaints.count): \(complaints.prefix(20))")
        expect(ledger.acknowledged > 0)
        print("\(ledger.acknowledged) writes acknowledged, \(exports[0].utf8.count) bytes at each node")
    }
}
