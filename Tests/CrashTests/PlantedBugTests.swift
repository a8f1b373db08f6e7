import TestSupport
import Testing

/// Defects that the store does not have, planted where images are made: each is found, so the images can show one.
@Suite struct PlantedBugTests {
    @Test(arguments: PlantedBug.allCases)
    func `a planted bug is found`(bug: PlantedBug) throws {
        var random = SplitMix64(seed: Setting.seed)
        let stage = try Stage(isSlow: bug.phase.isSlow)
        try bug.phase.play(on: stage, &random)
        let campaign = try Campaign(
            stage.recording(), bug, label: "planted", seed: Setting.seed,
            bug.endsProcesses ? .daemon : .here(daemonShare: .max))
        do {
            try campaign.run(400)
            Issue.record("\(bug.rawValue): \(campaign.tally) and nothing was found")
        } catch let failure as Campaign.Failure {
            let reason = failure.description.prefix { $0 != "\n" }
            print("power: planted: \(bug.rawValue): found in image \(campaign.tally.images): \(reason.prefix(160))")
        }
    }
}
