package import StoryCore
import StoryLog
import StoryModels
package import StoryStorage

/// Folds a log again, from its first event, into models that live in memory alone, and compares them with the stored
/// ones. It reads beside a running daemon as well as alone.
package struct Replay {
    package struct Options: Equatable, Sendable {
        /// Where to end; nil: at the log's head, or at the stored models' checkpoint when they are compared.
        package var through: Moment?
        /// Which models to tell of; all are folded.
        package var models = Catalogue.standard.models
        /// Compare with the stored models.
        package var isVerifying = false

        package init() {}
    }

    private let directory: DataDirectory
    private let clock: Clock
    private let plan = CataloguePlan(.standard)

    package init(_ directory: DataDirectory, clock: Clock) {
        self.directory = directory
        self.clock = clock
    }

    /// `progress` hears how far it is.
    ///
    /// - Throws: `beyondEnd` where it is to end at a position that the log does not have; `models` where it is the stored
    ///   models that cannot be compared; otherwise what reading failed with.
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
            snapshot = options.isVerifying ? try ModelSnapshot(in: directory) : nil
        } catch {
            return .failure(.models(error))
        }
        defer { snapshot?.close() }
        return try report(log, snapshot, options, progress)
    }

    /// - Parameter log: one that is opened for reading.
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
        let models = try ReplayComparison(log, plan, through, snapshot, folded).entries(options.models)
        return .success(ReplayReport(position: through, head: log.head, seconds: seconds, models: models))
    }

    /// Why the stored models cannot be a fold of this log; nil when they can.
    ///
    /// A daemon goes on while they are proven: they may be of events that the log did not have when it was opened.
    private func contradiction(_ log: LMDBEventLog, _ snapshot: ModelSnapshot) throws(StorageError) -> String? {
        guard log.storedIdentity.holds(snapshot.storeID, through: snapshot.position) else {
            return "they are a fold of another log"
        }
        if snapshot.position > log.head { try log.refresh() }
        guard snapshot.position > log.head else { return nil }
        return "they are a fold of \(snapshot.position) events, and the log ends at \(log.head)"
    }

    /// The digests of the log, folded; in order where sorting it by streams does not do.
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

/// Why there is no replay.
package enum ReplayError: Error, Equatable, Sendable {
    /// It is to end at a position that the log does not have, whose last one is this.
    case beyondEnd(Position)
    /// The log cannot be read.
    case storage(StorageError)
    /// The stored models cannot be read, or are no fold of this log; the log is not at fault.
    case models(StorageError)
}

/// What a replay found.
package struct ReplayReport: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package let model: String
        package let rows: UInt64
        /// 32 hexadecimal digits over every entry of the model's tables.
        package let digest: String
        /// The stored model's; nil when nothing was compared.
        package let stored: String?
        /// The first row that differs; nil when all is alike.
        package let difference: String?
    }

    /// Everything up to here was folded.
    package let position: Position
    package let head: Position
    package let seconds: Double
    package let models: [Entry]

    package var eventsPerSecond: Double { seconds > 0 ? Double(position.value) / seconds : 0 }
    package var isAlike: Bool { models.allSatisfy { $0.stored == nil || $0.stored == $0.digest } }
}
