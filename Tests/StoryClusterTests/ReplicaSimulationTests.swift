import Foundation
import StoryCluster
import TestSupport
import Testing

/// The replica over a hostile ordering service: no promise breaks, and each planted bug is found.
struct ReplicaSimulationTests {
    private static let seeds = UInt64(ProcessInfo.processInfo.environment["CLUSTER_SEEDS"] ?? "") ?? 100

    @Test func `no acknowledged entry is lost, and none is in the log that was denied`() {
        var (acknowledged, unknown, terms, seeded, promoted) = (0, 0, 0, 0, 0)
        var written: [UInt8: Int] = [:]
        for seed in 1...ReplicaSimulationTests.seeds {
            let simulation = ClusterSimulation(seed: seed)
            do {
                try simulation.play()
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
            acknowledged += simulation.acknowledged.count
            unknown += simulation.unknown
            terms += simulation.terms
            seeded += simulation.seeds
            promoted += simulation.promotions
            written.merge(simulation.written, uniquingKeysWith: +)
        }
        expect(acknowledged > 50_000 && terms > 300 && unknown > 20 && seeded > 50 && promoted > 30)
        expect(written.keys.sorted() == [4, 5] && written.values.allSatisfy { $0 > 1_000 }, "\(written)")
    }

    /// The first seed that finds each bug, where each fault of the protocol is far more frequent than in use.
    @Test(
        arguments: [
            (.noLeaderCompare, 101), (.errorReadAsNo, 1), (.storedAheadOfSync, 30), (.lateReportBelieved, 77),
            (.trimByBytesAlone, 6), (.trimmedPastCalledNone, 764),
        ] as [(PlantedClusterBug, UInt64)])
    func `each planted bug breaks a promise`(bug: PlantedClusterBug, seed: UInt64) {
        #expect(throws: ClusterSimulation.Difference.self) {
            for seed in seed...seed + 40 { try ClusterSimulation(seed: seed, bug: bug).play() }
        }
    }
}
