import Foundation
import Synchronization
import TestSupport
import Testing

/// The power fails while the daemon works: whatever a disk may hold then, nothing that left the daemon is lost.
///
/// `make power` is the long form. What is printed of an image that fails repeats it alone.
@Suite struct PowerFailureTests {
    private static let total = Mutex(Campaign.Tally())

    private static func phases() -> [Phase] {
        guard let name = Setting.phase else { return Phase.allCases }
        return Phase.allCases.filter { "\($0)" == name }
    }

    @Test(.enabled(if: Setting.replay == nil), arguments: phases())
    func `whatever the disk holds, nothing that left is lost`(phase: Phase) throws {
        let recording = try Self.recording(phase)
        let campaign = try Campaign(
            recording.value, label: "\(phase)", seed: Setting.seed, .here(daemonShare: Setting.daemonShare))
        try Self.run(campaign, phase.budget, phase.rawValue)
    }

    /// A start from what a power failure left is itself work that the power may fail in.
    @Test(.enabled(if: Setting.replay == nil), arguments: phases().filter(\.isStartedAgain))
    func `the power fails again while a start recovers`(phase: Phase) throws {
        let first = try Self.recording(phase)
        let count = max(1, phase.budget / 50)
        let images = try Campaign(first.value, label: "", seed: Setting.seed, .daemon).pick(count)
        for (number, (image, required)) in images.enumerated() {
            let stage = try Stage(image: image, position: required)
            try stage.record()
            try stage.start()
            let client = try stage.client()
            for size in [10, 700, 1_400] { try client.append("later-1", size: size) }
            try stage.kill()
            let second = try stage.recording()
            expect(first.value.reference.begins(second.reference, through: required))
            let label = "recovery-\(phase)-\(number)"
            let campaign = try Campaign(
                second, label: label, seed: Setting.seed, .here(daemonShare: Setting.daemonShare))
            try Self.run(campaign, max(8, phase.budget / count / 4), "a start after: \(phase.rawValue)")
        }
    }

    @Test(.enabled(if: Setting.replay != nil))
    func `one image again`() throws {
        let recording = try Recording(Setting.replay ?? "")
        let campaign = try Campaign(recording, label: "again", seed: Setting.seed, .here(daemonShare: 1))
        try campaign.replay(Setting.moment, Setting.kept)
    }

    private static func recording(_ phase: Phase) throws -> (value: Recording, stage: Stage) {
        var random = SplitMix64(seed: Setting.seed)
        let stage = try Stage(isSlow: phase.isSlow)
        try phase.play(on: stage, &random)
        let recording = try stage.recording()
        let faults = recording.reference.faults(in: recording.lines.lines)
        expect(faults.isEmpty, "\(phase.rawValue): \(faults.prefix(3))")
        if let missing = phase.missing(in: recording) {
            Issue.record("\(missing): \(try recording.keep(as: "\(phase)"))")
        }
        return (recording, stage)
    }

    private static func run(_ campaign: Campaign, _ budget: Int, _ name: String) throws {
        let began = ContinuousClock.now
        do { try campaign.run(budget) } catch { Issue.record("\(name): \(error)") }
        let tally = campaign.tally
        let all = total.withLock { all in
            all += tally
            return all
        }
        print("power: \(name): \(tally), \(ContinuousClock.now - began), seed \(Setting.seed)\npower: so far: \(all)")
    }
}

/// What the environment asks for.
enum Setting {
    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    /// How many images about; the long form has more.
    static let images = variable("POWER_IMAGES").flatMap { Int($0) } ?? 800
    /// One image in so many is opened by a daemon as well.
    static let daemonShare = images > 5_000 ? 100 : 45
    static let seed = variable("POWER_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)
    /// One phase alone, by its name in the code.
    static let phase = variable("POWER_PHASE")
    /// One image alone: of which recording, at which moment, and what of it was kept.
    static let replay = variable("POWER_REPLAY")
    static let moment = variable("POWER_MOMENT").flatMap { Int($0) } ?? 0
    static let kept = variable("POWER_KEPT") ?? ""
}
