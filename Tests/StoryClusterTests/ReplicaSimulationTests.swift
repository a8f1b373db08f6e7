import Foundation
import StoryCluster
import Testing

/// The replica over a hostile engine: no promise breaks, and each planted bug is found.
struct ReplicaSimulationTests {
    private static let seeds = UInt64(ProcessInfo.processInfo.environment["CLUSTER_SEEDS"] ?? "") ?? 200

    @Test func `no acknowledged entry is lost, and none is in the log that was denied`() {
        var (acknowledged, unknown, terms, seeded) = (0, 0, 0, 0)
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
        }
        print("acknowledged \(acknowledged) unknown \(unknown) terms \(terms) seeded \(seeded)")
        #expect(acknowledged > 20_000 && terms > 500 && unknown > 50)
    }
}
