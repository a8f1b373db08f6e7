package import StoryCore
import StoryLog
import StoryFold
import StoryStore
package import StoryStorage
import StoryWire

/// A fold of a log from its first event into models in memory, to be compared with the stored models.
///
/// It works beside a running daemon as well as without one.
package struct Replay {
    /// The options of a replay.
    package struct Options: Equatable, Sendable {
        /// The end of the fold; nil for the log's head, or for the stored models' checkpoint when they are compared.
        package var through: Moment?
        /// The models to report, nil for all; all are folded.
        package var models: [String]?
        /// True to compare with the stored models.
        package var isVerifying = false

        /// Creates the options of a replay of the whole log without a comparison.
        package init() {}
    }

    private let directory: DataDirectory
    private let clock: Clock
    private let plan: CataloguePlan

    /// Creates a replay of the log in a data directory into the models of a catalogue.
    package init(_ directory: DataDirectory, catalogue: Catalogue, clock: Clock) {
        plan = CataloguePlan(catalogue)
        self.directory = directory
        self.clock = clock
    }

    /// Runs the replay; `progress` takes the position that was reached and the last one.
    ///
    /// - Throws: `beyondEnd` when the position to end at is beyond the log's head; `models` when the stored models
    ///   cannot be compared, `erasing` when they cannot yet; otherwise `storage` with the error of reading.
    package func run(
        _ options: Options, progress: (_ position: Position, _ of: Position) -> Void
    ) throws(ReplayError) -> ReplayReport {
        let report: Result<ReplayReport, ReplayError>
        do throws(StorageError) {
            let found = try folded(options, progress)
            let isErased = if case .success(let report) = found { try isErased(since: report) } else { false }
            report = isErased ? .failure(.erasing) : found
        } catch {
            throw .storage(error)
        }
        return try report.get()
    }

    /// Returns true where a report has differences, and an erasure has begun since the log was opened: the fold may have read
    /// its events without their content, which the stored models have.
    private func isErased(since report: ReplayReport) throws(StorageError) -> Bool {
        guard !report.isAlike else { return false }
        let log = try LMDBEventLog(in: directory, now: clock.now())
        defer { log.close() }
        var isErased = false
        try log.scan(from: report.head.next, through: log.head, order: .ascending) { record in
            isErased = ErasureEvent.isOrder(record)
            return !isErased
        }
        return isErased
    }

    private func folded(
        _ options: Options, _ progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) -> Result<ReplayReport, ReplayError> {
        let log = try LMDBEventLog(in: directory, now: clock.now())
        defer { log.close() }
        let snapshot: ModelSnapshot?
        do throws(StorageError) {
            snapshot = options.isVerifying ? try ModelSnapshot(in: directory, tables: plan.catalogue.tables) : nil
        } catch {
            return .failure(.models(error))
        }
        defer { snapshot?.close() }
        return try report(log, snapshot, options, progress)
    }

    /// Folds a log and compares the models with the stored ones.
    ///
    /// - Parameter log: a log that is open for reading.
    func report(
        _ log: LMDBEventLog, _ snapshot: ModelSnapshot?, _ options: Options,
        _ progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) -> Result<ReplayReport, ReplayError> {
        if let snapshot, let reason = try snapshot.contradiction(log) {
            return .failure(.models(.corrupt(reason, at: nil)))
        }
        if case .position(let position) = options.through, position > log.head {
            return .failure(.beyondEnd(log.head))
        }
        // Such models are no fold of the log: the daemon replaces them before the erasure ends.
        let isCompared = plan.catalogue.models.contains { options.models?.contains($0) != false }
        if options.isVerifying, isCompared, try log.erasure.touchesModels(JSONObjectReader()) {
            return .failure(.erasing)
        }
        let through = try end(options, log, snapshot)
        let began = clock.steady()
        // A fold gives a stream that begins twice, or a key of two writes, to one of them.
        let names = BackgroundJob(on: .helpers, try log.namesCheck(through: through), whenDone: {})
        let (folded, definitions): (any FoldedDigests, DefinitionTable)
        do throws(StorageError) { (folded, definitions) = try fold(log, through, progress) } catch {
            _ = names.wait()
            throw error
        }
        try names.wait().get()
        let comparison = ReplayComparison(plan.catalogue, snapshot, folded) { (table) throws(StorageError) in
            try FoldedModels.fold(log, plan, through: through, keeping: table) { _, _ in }
        }
        var models: [ReplayReport.ModelDigest] = []
        for model in plan.catalogue.models where options.models?.contains(model) != false {
            models.append(try comparison.entry(model, plan.catalogue.tables(of: model)))
        }
        let declared = DeclaredReplay(log: log, options: options)
        if options.isVerifying {
            do throws(StorageError) {
                models += try declared.compare(directory, definitions, through: through, progress)
            } catch {
                return .failure(.models(error))
            }
        } else {
            models += try declared.fold(definitions, through: through, progress)
        }
        let seconds = Double(clock.steady() - began) / 1e9
        return .success(ReplayReport(position: through, head: log.head, seconds: seconds, models: models))
    }

    /// Folds the log by streams, or in order when it cannot be sorted by streams; returns the digests, and the definitions
    /// of declared models.
    private func fold(
        _ log: LMDBEventLog, _ through: Position, _ progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) -> (any FoldedDigests, DefinitionTable) {
        let definitions = DefinitionTable(MemoryModelStore(), json: JSONObjectReader())
        guard let sorted = try SortedReplay.fold(log, plan, through: through, progress: progress) else {
            let models = try FoldedModels.fold(log, plan, through: through, progress: progress)
            try definitions.fold(log, from: Position(1), through: through)
            return (models, definitions)
        }
        try definitions.fold(log, at: sorted.definitions)
        return (sorted.digests, definitions)
    }

    private func end(
        _ options: Options, _ log: any EventLog, _ snapshot: ModelSnapshot?
    ) throws(StorageError) -> Position {
        switch options.through {
        case nil: return snapshot?.position ?? log.head
        case .position(let position): return position
        case .time(let time): return try log.position(at: time)
        }
    }
}

/// The reason why a replay failed.
package enum ReplayError: Error, Equatable, Sendable {
    /// The position to end at is beyond the log's head, which is this one.
    case beyondEnd(Position)
    /// The log cannot be read.
    case storage(StorageError)
    /// The stored models cannot be read, or are no fold of this log; the log is not damaged.
    case models(StorageError)
    /// The stored models cannot be compared before an erasure has ended, since it replaces them.
    case erasing
}

/// The result of a replay.
package struct ReplayReport: Equatable, Sendable {
    /// The result for one model.
    package struct ModelDigest: Equatable, Sendable {
        /// The model's name.
        package let model: String
        /// The number of entries in the first table of the model, which has its rows.
        package let rows: UInt64
        /// The digest of all entries of the model's tables, as 32 hexadecimal digits.
        package let digest: String
        /// The digest of the stored model; nil when nothing was compared.
        package let stored: String?
        /// The first row that differs; nil when none does.
        package let difference: String?
    }

    /// The position up to which the log was folded.
    package let position: Position
    /// The position of the last event in the log.
    package let head: Position
    /// The duration of the fold in seconds.
    package let seconds: Double
    /// The results of the reported models.
    package let models: [ModelDigest]

    /// The number of events that were folded in a second.
    package var eventsPerSecond: Double { seconds > 0 ? Double(position.value) / seconds : 0 }
    /// True when no stored model differs from the fold.
    package var isAlike: Bool { models.allSatisfy { $0.stored == nil || $0.stored == $0.digest } }
}
