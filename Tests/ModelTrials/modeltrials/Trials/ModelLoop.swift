import LoopSupport
import StoryCore
import StoryFold
import StoryServer
import StoryStorage
import TestSupport

/// The shipped loop over memory, which can be stopped or killed, and started again over the same log.
final class ModelLoop {
    let log = MemoryEventLog()
    let modelFolders = MemoryModelFolders()
    private let models = MemoryModels()
    private let clock = DrivenClock()
    private let limits: Limits
    private var loop: DrivenLoop
    private var background = HeldBackground()
    /// The time of the last event, in milliseconds.
    private var time: Int64 = 1_700_000_000_000

    /// - Parameter limits: how long a fold is that is done as its events are appended, and a step of a longer one.
    init(_ limits: Limits = Limits()) throws {
        self.limits = limits
        clock.setStep(milliseconds: 0)
        clock.jump(milliseconds: time - clock.now().milliseconds)
        loop = try ModelLoop.loop(limits, clock, log, models, modelFolders, background)
        begin()
    }

    private static func loop(
        _ limits: Limits, _ clock: DrivenClock, _ log: MemoryEventLog, _ models: MemoryModels,
        _ modelFolders: MemoryModelFolders,
        _ background: HeldBackground
    ) throws -> DrivenLoop {
        let commits = HeldCommits(isHeld: false)
        let loop = try DrivenLoop(
            limits, clock, log: log, models: models, modelFolders: modelFolders,
            logWork: LogJobs(verify: { _, _, _ in { [] } }, backUp: { _, _ in { [] } }, seal: { _ in { "" } }),
            commits: commits,
            background: background.background)
        log.whenFlushed = loop.wake
        commits.whenDone = loop.wake
        return loop
    }

    private func begin() {
        loop.connected("ann", "eve")
        run()
    }

    /// Ends turns, and the work beside them, until nothing is left to do.
    func run() {
        loop.run()
        while background.count > 0 {
            background.run(0)
            loop.wake()
            loop.run()
        }
    }

    func ask(_ line: String) -> [String] {
        loop.send(line, from: "ann")
        run()
        return loop.hear("ann")
    }

    /// Sends lines in one turn.
    func ask(_ lines: [String]) -> [String] {
        loop.receive(lines.map { $0 + "\n" }.joined(), from: "ann")
        run()
        return loop.hear("ann")
    }

    /// The longest fold of a write's events as they were appended, and of a step, beyond its share, before that.
    var longestFold: Work { loop.server.longestFolds.write }
    var longestStep: Work { loop.server.longestFolds.step }

    func follow(_ line: String) { loop.send(line, from: "eve") }
    func heard() -> [String] { loop.hear("eve") }

    /// So much time goes by.
    func pass(milliseconds: Int64) { clock.jump(milliseconds: milliseconds) }

    /// Ends the process and starts another one.
    ///
    /// - Parameter isKilled: whether the stores lose what they hold, as none of it was stored.
    func restart(isKilled: Bool) throws {
        if isKilled {
            models.discard()
            for store in modelFolders.stores.values { store.discard() }
        } else {
            let answer = ask("CHECKPOINT")
            try Difference.check(answer.last?.hasPrefix("+"), true, "CHECKPOINT: \(answer)")
        }
        background = HeldBackground()
        try Recovery.fold(log, into: models, by: CataloguePlan(.standard)) { _, _ in }
        loop = try ModelLoop.loop(limits, clock, log, models, modelFolders, background)
        begin()
    }
}
