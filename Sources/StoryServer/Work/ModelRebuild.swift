import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryStore
import StoryStorage

/// The replacement of models that are damaged, or have rows of erased events, by new ones, which are folded from the log
/// beside them, while serving.
///
/// Threads fold the log through the models' last checkpoint, again until there is no later one. Then the new models
/// take the name of the old ones, and the loop takes them over between two turns: it folds the events after that
/// checkpoint into new memtables, in steps.
final class ModelRebuild {
    /// The delay after a build that failed before the next one, in ticks of 0.1 s.
    private static let retryTicks: UInt64 = 600
    /// The number of folds after which no checkpoint begins, however many events the last one must fold.
    private static let freeFolds = 4

    /// The state of the rebuild in progress.
    private enum State {
        case idle
        /// The log is being folded.
        case folding(BackgroundJob<ModelBuild>)
        /// The new models are folded, and wait for the checkpoint in progress.
        case folded(ModelBuild)
        /// The new models get their name, and are opened under it.
        case installing(BackgroundJob<ModelEnvironment>)
        /// The old models are closed and removed.
        case removing(BackgroundJob<Void>)
        /// The build failed, and is tried again after the delay.
        case failed(StorageError, retry: RetryTimer)
        /// The build failed with damage, of the log: it is left to the next start.
        case givenUp(StorageError)
    }

    private let store: LogJobs.Store
    private let checkpoints: Checkpoints
    private let trace: Trace
    private let figures: Figures
    private let starter: JobStarter
    private let effects: Effects
    /// The engine, which has the plan of the present catalogue.
    private let engine: Engine
    private let mustEnd = EndFlag()
    private var state = State.idle
    /// The number of folds of the build in progress.
    private var folds = 0
    private var tick: UInt64 = 0
    /// The number of replacements that erasures asked for, and of those whose bytes are gone.
    private var (asked, erased) = (UInt64(0), UInt64(0))
    /// The number of those that the build in progress began after; nil where no build has begun since the last one.
    private var covered: UInt64?

    init(
        _ store: LogJobs.Store, checkpoints: Checkpoints, engine: Engine, trace: Trace, figures: Figures,
        starter: JobStarter, effects: Effects
    ) {
        (self.store, self.checkpoints, self.engine) = (store, checkpoints, engine)
        (self.trace, self.figures, self.starter, self.effects) = (trace, figures, starter, effects)
    }

    /// Asks for models of a fold that begins from now on, without the events that are masked then.
    ///
    /// - Returns: the number of the request.
    func ask() -> UInt64 {
        asked += 1
        return asked
    }

    /// Returns true once such models have replaced the former ones, whose bytes are gone.
    func isErased(_ request: UInt64) -> Bool { erased >= request }

    /// Begins a rebuild of damaged models, or of those that an erasure asked for, or advances the one in progress as far as it can without waiting.
    ///
    /// - Parameter tick: the current tick, of 0.1 s.
    /// - Throws: the error of reading the new models once they are taken over.
    func advance(at tick: UInt64) throws(StorageError) {
        self.tick = tick
        switch state {
        case .idle:
            if let damage = store.models.damage {
                begin("\(damage)")
            } else if erased < asked {
                begin("events were erased")
            }
        case .folding(let job):
            switch job.result {
            case .success(let build)?: goOn(build)
            case .failure(let error)?: giveUp(error)
            case nil: break
            }
        case .folded(let build): if checkpoints.isAtRest { goOn(build) }
        case .installing(let job): if let result = job.result { try installed(result) }
        case .removing(let job): if let result = job.result { removed(result) }
        case .failed(_, let retry): if retry.hasEnded(at: tick) { state = .idle }
        case .givenUp: break
        }
    }

    /// Returns why writes, or all requests, cannot get the models that they need; nil while they can.
    ///
    /// - Parameter isAwaited: whether all requests wait for new models, which there is no room for now.
    func loss(isAwaited: Bool) -> StorageError? {
        switch state {
        case .givenUp(let damageOfLog): damageOfLog
        case .failed(let error, _): isAwaited ? error : nil
        case .idle, .folding, .folded, .installing, .removing: nil
        }
    }

    /// Ends the rebuild in progress and waits for its thread: new models that have their name are taken over.
    ///
    /// - Throws: as `advance`.
    func end() throws(StorageError) {
        mustEnd.set()
        switch state {
        case .idle, .removing, .failed, .givenUp: break
        case .folding(let job): if case .success(let build) = job.wait() { build.close() }
        case .folded(let build): build.close()
        case .installing(let job): try installed(job.wait())
        }
        if case .removing(let job) = state { removed(job.wait()) }
        checkpoints.isHeld = false
        state = .idle
    }

    // MARK: Folding

    private func begin(_ reason: String) {
        figures.set(.rebuilding, store.models.damage != nil)
        covered = asked
        trace.say("rebuilding", ["reason": reason, "position": "\(store.models.checkpointed.value)"])
        folds = 0
        let (identity, plan, bytes) = (store.models.identity, engine.plan, store.models.storedBytes)
        fold { () throws(StorageError) in try ModelBuild(beside: identity, by: plan, bytes: bytes) }
    }

    /// Folds the log through the models' last checkpoint, on a thread.
    private func fold(_ build: @escaping @Sendable () throws(StorageError) -> ModelBuild) {
        folds += 1
        let (last, identity, mustEnd) = (store.models.checkpointed, store.models.identity, mustEnd)
        let isErasing = erased < asked
        do throws(StorageError) {
            let view = try LogView(store.log)
            state = .folding(
                starter.start { () throws(StorageError) in
                    try ModelRebuild.run(build, identity, isErasing: isErasing) { (build) throws(StorageError) in
                        try build.fold(view, through: last, mustEnd)
                    }
                })
        } catch {
            giveUp(error)
        }
    }

    /// Runs a fold; one that fails leaves no files behind, since they may be what fills the disk.
    private static func run(
        _ build: () throws(StorageError) -> ModelBuild, _ identity: ModelIdentity, isErasing: Bool,
        _ fold: (ModelBuild) throws(StorageError) -> Void
    ) throws(StorageError) -> ModelBuild {
        var begun: ModelBuild?
        do throws(StorageError) {
            let build = try build()
            begun = build
            try fold(build)
            return build
        } catch {
            begun?.close()
            try? identity.removeOthers(filledWithZeros: isErasing)
            throw error
        }
    }

    /// Folds the events that were stored meanwhile, waits for a checkpoint, or gives the new models their name.
    ///
    /// For the last part no checkpoint begins, so that it stays short.
    private func goOn(_ build: ModelBuild) {
        let left = store.models.checkpointed.value - build.position.value
        checkpoints.isHeld = left <= Checkpoints.events || folds >= ModelRebuild.freeFolds
        guard left == 0 else { return fold { build } }
        guard checkpoints.isAtRest else { return state = .folded(build) }
        // Definitions that came and went meanwhile have stores of their own.
        guard build.plan.folds(asDoes: engine.plan) else {
            build.close()
            return giveUp(.failed("the kinds of content were replaced meanwhile"))
        }
        let identity = store.models.identity
        store.models.isBeingReplaced = true
        state = .installing(
            starter.start { () throws(StorageError) in
                build.close()
                return try identity.install()
            })
    }

    // MARK: Replacing

    private func installed(_ result: Result<ModelEnvironment, StorageError>) throws(StorageError) {
        switch result {
        case .failure(let error):
            store.models.isBeingReplaced = false
            giveUp(error)
        case .success(let new):
            remove(try store.models.replace(by: new))
            // The memtables were made with the pages that are damaged.
            store.models.discard()
            checkpoints.modelsReplaced()
            figures.modelsRebuilt()
            trace.say("rebuilt", ["position": "\(new.position.value)"])
            effects.add(.modelsReplaced)
        }
    }

    /// Closes and removes models on a thread: the last reference closes the files.
    private func remove(_ old: consuming ModelEnvironment) {
        let (identity, old, isErasing) = (store.models.identity, old, erased < asked)
        state = .removing(
            starter.start { () throws(StorageError) in
                _ = old
                try identity.removeOthers(filledWithZeros: isErasing)
            })
    }

    private func removed(_ result: Result<Void, StorageError>) {
        state = .idle
        switch result {
        case .success: erased = max(erased, covered ?? 0)
        case .failure(let error):
            trace.say("not-removed", ["reason": "\(error)"])
            if erased < asked { state = .failed(error, retry: RetryTimer(at: tick, interval: ModelRebuild.retryTicks)) }
        }
        covered = nil
    }

    /// Keeps the models that are served.
    private func giveUp(_ error: StorageError) {
        checkpoints.isHeld = false
        if case .corrupt = error {
            trace.say("not-rebuilt", ["reason": "\(error)", "then": "left to the next start"])
            state = .givenUp(error)
        } else {
            trace.say("not-rebuilt", ["reason": "\(error)", "then": "tried again in a minute"])
            state = .failed(error, retry: RetryTimer(at: tick, interval: ModelRebuild.retryTicks))
        }
    }
}
