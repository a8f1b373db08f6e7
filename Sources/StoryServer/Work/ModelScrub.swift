import StoryCore
import StoryStorage
import StoryStore

/// The scrub of the stored models while serving: compares every page in use with its checksum, round after round.
///
/// A page is compared at its first use, and when a write rests on it; between reads it may change. A step a second keeps
/// the load low: 2 MiB are read on a thread. Damage is noted in the models, which are then replaced.
final class ModelScrub {
    /// The ticks of 0.1 s from one step to the next, and from the begin of one round to that of the next.
    private static let (ticksOfStep, ticksOfRound): (UInt64, UInt64) = (10, 100)

    private let models: () -> [PageScrub]
    private let figures: Figures
    private let starter: JobStarter
    /// The models of this round that were not compared to their end; empty between two rounds.
    private var remaining: [PageScrub] = []
    /// The page of the first of them that the next step begins with.
    private var page: UInt64 = 0
    private var step: BackgroundJob<UInt64?>?
    /// The tick before which neither a step nor a round begins.
    private var due: UInt64 = ModelScrub.ticksOfStep
    private var roundBegan: UInt64 = 0
    /// False once a step of this round failed.
    private var isWhole = true

    /// Creates a scrub of the models that `models` returns at the begin of a round.
    init(figures: Figures, starter: JobStarter, models: @escaping () -> [PageScrub]) {
        (self.models, self.figures, self.starter) = (models, figures, starter)
    }

    /// Takes the result of a step that ended, and begins the next one where it is due.
    ///
    /// - Parameter tick: the current tick, of 0.1 s.
    func advance(at tick: UInt64) {
        if let result = step?.result {
            step = nil
            ended(result)
            if remaining.isEmpty { endRound() }
        }
        guard step == nil, tick >= due else { return }
        if remaining.isEmpty { beginRound(at: tick) }
        due = tick + ModelScrub.ticksOfStep
        guard let models = remaining.first else { return }
        let page = page
        step = starter.start { () throws(StorageError) in
            try models.step(from: page, count: PageScrub.pagesOfStep)
        }
    }

    /// Waits for the step in progress, before the files are closed.
    func end() {
        _ = step?.wait()
        step = nil
    }

    private func beginRound(at tick: UInt64) {
        (remaining, page, isWhole, roundBegan) = (models(), 0, true, tick)
    }

    private func ended(_ result: Result<UInt64?, StorageError>) {
        switch result {
        case .success(let next?): page = next
        case .success(nil): leave()
        case .failure:
            isWhole = false
            leave()
        }
    }

    /// Goes on with the next models.
    private func leave() {
        remaining.removeFirst()
        page = 0
    }

    private func endRound() {
        if isWhole { figures.scrubbed() }
        due = max(due, roundBegan + ModelScrub.ticksOfRound)
    }
}
