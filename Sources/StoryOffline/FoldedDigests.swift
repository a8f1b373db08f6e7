import StoryCore
import StoryLog
import StoryModels

/// The digests of the tables that a fold of the log made.
protocol FoldedDigests {
    func digest(of table: ModelTable) -> ModelDigest
}

extension FoldedDigests {
    func digest(of tables: [ModelTable]) -> ModelDigest {
        tables.reduce(into: ModelDigest()) { $0.add(digest(of: $1)) }
    }
}

extension StreamDigests: FoldedDigests {}

/// A comparison of a fold of the log with the stored models.
final class ReplayComparison {
    private let log: LMDBEventLog
    private let plan: CataloguePlan
    private let through: Position
    private let snapshot: ModelSnapshot?
    private let folded: any FoldedDigests
    /// The same fold in the order of the log, with its rows; made when the digests differ, to find the first
    /// difference.
    private var inOrder: FoldedModels?

    init(
        _ log: LMDBEventLog, _ plan: CataloguePlan, _ through: Position, _ snapshot: ModelSnapshot?,
        _ folded: any FoldedDigests
    ) {
        self.log = log
        self.plan = plan
        self.through = through
        self.snapshot = snapshot
        self.folded = folded
        inOrder = folded as? FoldedModels
    }

    /// Compares each of the models.
    ///
    /// - Throws: the error of reading the log or the stored models.
    func entries(_ models: [String]) throws(StorageError) -> [ReplayReport.Entry] {
        var entries: [ReplayReport.Entry] = []
        for model in models { entries.append(try entry(model)) }
        return entries
    }

    private func entry(_ model: String) throws(StorageError) -> ReplayReport.Entry {
        let tables = plan.catalogue.tables(of: model)
        let stored = try snapshot.map { (snapshot) throws(StorageError) in try snapshot.digest(of: tables) }
        var digests = folded
        var difference: String?
        if let snapshot, stored != folded.digest(of: tables) {
            let models = try foldedInOrder()
            digests = models
            if stored != models.digest(of: tables) {
                let comparison = ModelComparison(catalogue: plan.catalogue, folded: models) {
                    (table) throws(StorageError) in
                    try FoldedModels.fold(self.log, self.plan, through: self.through, keeping: table) { _, _ in }
                }
                difference = try comparison.firstDifference(tables, snapshot)
            }
        }
        return ReplayReport.Entry(
            model: model, rows: tables.first.map { digests.digest(of: $0).count } ?? 0,
            digest: digests.digest(of: tables).text, stored: stored?.text, difference: difference)
    }

    private func foldedInOrder() throws(StorageError) -> FoldedModels {
        if let inOrder { return inOrder }
        let models = try FoldedModels.fold(log, plan, through: through) { _, _ in }
        inOrder = models
        return models
    }
}
