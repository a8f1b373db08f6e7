import Foundation
import Synchronization
import TestSupport
import Testing

/// The power fails while the daemon works: whatever a disk may hold then, nothing that left the daemon is lost.
///
/// `make power` is the long form. An image that fails is told with three variables that repeat it alone.
@Suite struct PowerFailureTests {
    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    static let images = variable("POWER_IMAGES").flatMap { Int($0) } ?? 1_000
    static let seed = variable("POWER_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)
    private static let total = Mutex(Campaign.Tally())

    private static func phases() -> [Phase] {
        guard let name = variable("POWER_PHASE") else { return Phase.allCases }
        return Phase.allCases.filter { "\($0)" == name || $0.name == name }
    }

    /// How many images a phase has: of large ones a tenth.
    private static func budget(_ phase: Phase) -> Int {
        let share = images / Phase.allCases.count
        return max(phase.isLarge ? share / 10 : share, 4)
    }

    @Test(.enabled(if: variable("POWER_REPLAY") == nil), arguments: phases())
    func `whatever the disk holds, nothing that left is lost`(phase: Phase) throws {
        var random = SplitMix64(seed: Self.seed)
        let stage = try Stage(isSlow: phase.isSlow)
        try phase.play(on: stage, &random)
        let recording = try stage.recording()
        let faults = recording.reference.faults(in: recording.lines.lines)
        #expect(faults.isEmpty, "\(phase): \(faults.prefix(3))")
        let campaign = try Campaign(recording, label: phase.name, seed: Self.seed, .here(daemonShare: 60))
        let began = ContinuousClock.now
        do { try campaign.run(Self.budget(phase)) } catch { Issue.record("\(phase): \(error)") }
        let tally = campaign.tally
        print("power: \(phase): \(tally), \(ContinuousClock.now - began), seed \(Self.seed)")
        print("power: so far: \(Self.total.withLock { $0 += tally; return $0 })")
    }

    @Test(.enabled(if: variable("POWER_REPLAY") != nil))
    func `one image again`() throws {
        let recording = try Recording(Self.variable("POWER_REPLAY") ?? "")
        let moment = Int(Self.variable("POWER_MOMENT") ?? "") ?? 0
        let campaign = try Campaign(recording, label: "again", seed: Self.seed, .here(daemonShare: 1))
        try campaign.replay(moment, Self.variable("POWER_KEPT") ?? "")
    }
}
