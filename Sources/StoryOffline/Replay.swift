package import StoryCore
import StoryLog
import StoryFold
import StoryStore
package import StoryStorage

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
    ///   cannot be compared; otherwise `storage` with the error of reading.
    package func run(
        _ options: Options, progress: (_ position: Position, _ of: Position) -> Void
    ) throws(ReplayError) -> ReplayReport {
        let report: Result<ReplayReport, ReplayError>
        do throws(StorageError) {
            report = try folded(options, progress)
        } catch {
            throw .storage(error)
        }
        return try report.get()
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
        if let snapshot, let reason = try contradiction(log, snapshot) {
            return .failure(.models(.corrupt(reason, at: nil)))
        }
        if case .position(let position) = options.through, position > log.head {
            return .failure(.beyondEnd(log.head))
        }
        let through = try end(options, log, snapshot)
        let began = clock.steady()
        let folded = try fold(log, through, options, progress)
        let seconds = Double(clock.steady() - began) / 1e9
        let comparison = ReplayComparison(plan.catalogue, snapshot, folded) { (table) throws(StorageError) in
            try FoldedModels.fold(log, plan, through: through, keeping: table) { _, _ in }
        }
        var models: [ReplayReport.Entry] = []
        for model in plan.catalogue.models where options.models?.contains(model) != false {
            models.append(try comparison.entry(model, plan.catalogue.tables(of: model)))
        }
        if options.isVerifying {
            do throws(ReplayError) { models += try declared(log, options, progress) } catch { return .failure(error) }
        }
        return .success(ReplayReport(position: through, head: log.head, seconds: seconds, models: models))
    }

    /// Compares the stores of declared models, each at the position that it is folded up to.
    private func declared(
        _ log: LMDBEventLog, _ options: Options, _ progress: (_ position: Position, _ of: Position) -> Void
    ) throws(ReplayError) -> [ReplayReport.Entry] {
        var entries: [ReplayReport.Entry] = []
        do throws(StorageError) {
            for model in try StoredDefinition.all(directory, log)
            where options.models?.contains(model.name) != false {
                if let entry = try entry(model, log, progress) { entries.append(entry) }
            }
        } catch {
            throw .models(error)
        }
        return entries
    }

    /// Compares the store of a definition; nil where a daemon removed it meanwhile.
    private func entry(
        _ model: CompiledDefinition, _ log: LMDBEventLog,
        _ progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) -> ReplayReport.Entry? {
        let path = "\(directory.ownPath)/\(model.name).\(model.number)"
        let snapshot: ModelSnapshot
        do throws(StorageError) {
            snapshot = try ModelSnapshot(at: path, version: ModelVersion.ofPrograms, tables: model.schema.tables)
        } catch {
            guard Folder.exists(path) else { return nil }
            throw error
        }
        defer { snapshot.close() }
        if let reason = try contradiction(log, snapshot) { throw .corrupt("\(path): \(reason)", at: nil) }
        let fold = { (table: ModelTable?) throws(StorageError) in
            try FoldedModels.fold(log, model, through: snapshot.position, keeping: table, progress: { _, _ in })
        }
        let folded = try FoldedModels.fold(log, model, through: snapshot.position, progress: progress)
        return try ReplayComparison(model.plan.catalogue, snapshot, folded, inOrder: fold)
            .entry(model.name, model.schema.tables)
    }

    /// Returns the reason why the stored models cannot be a fold of this log; nil when they can.
    ///
    /// A daemon may append events meanwhile, so the models may include events that the log did not have when it was
    /// opened.
    private func contradiction(_ log: LMDBEventLog, _ snapshot: ModelSnapshot) throws(StorageError) -> String? {
        guard log.storedIdentity.holds(snapshot.storeID, through: snapshot.position) else {
            return "they are a fold of another log"
        }
        if snapshot.position > log.head { try log.refresh() }
        guard snapshot.position > log.head else { return nil }
        return "they are a fold of \(snapshot.position) events, and the log ends at \(log.head)"
    }

    /// Folds the log by streams, or in order when it cannot be sorted by streams.
    private func fold(
        _ log: LMDBEventLog, _ through: Position, _ options: Options,
        _ progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) -> any FoldedDigests {
        if let sorted = try SortedReplay.fold(log, plan, through: through, progress: progress) { return sorted }
        return try FoldedModels.fold(log, plan, through: through, progress: progress)
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
}

/// The result of a replay.
package struct ReplayReport: Equatable, Sendable {
    /// The result for one model.
    package struct Entry: Equatable, Sendable {
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
    package let models: [Entry]

    /// The number of events that were folded in a second.
    package var eventsPerSecond: Double { seconds > 0 ? Double(position.value) / seconds : 0 }
    /// True when no stored model differs from the fold.
    package var isAlike: Bool { models.allSatisfy { $0.stored == nil || $0.stored == $0.digest } }
}
