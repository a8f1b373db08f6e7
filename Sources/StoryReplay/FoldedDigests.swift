import StoryCore
import StoryLog
import StoryModels

/// What a fold of the log leaves to compare by.
protocol FoldedDigests {
    func digest(of table: Table, in model: Model) -> ModelDigest
}

extension FoldedDigests {
    func digest(of model: Model) -> ModelDigest {
        model.tables.reduce(into: ModelDigest()) { $0.add(digest(of: $1, in: model)) }
    }

    /// How many rows the model has: the entries of its first table.
    func rows(of model: Model) -> UInt64 { model.tables.first.map { digest(of: $0, in: model).count } ?? 0 }
}

extension StreamDigests: FoldedDigests {
    func digest(of table: Table, in model: Model) -> ModelDigest { digest(of: table) }
}

/// Holds a fold of the log against the stored models.
final class ReplayComparison {
    private let log: LMDBEventLog
    private let through: Position
    private let snapshot: ModelSnapshot?
    private let folded: any FoldedDigests
    /// The same fold in order, with its rows; made when the digests differ, to say where.
    private var inOrder: FoldedModels?

    init(_ log: LMDBEventLog, _ through: Position, _ snapshot: ModelSnapshot?, _ folded: any FoldedDigests) {
        self.log = log
        self.through = through
        self.snapshot = snapshot
        self.folded = folded
        inOrder = folded as? FoldedModels
    }

    func entries(_ models: [Model]) throws(StorageError) -> [ReplayReport.Entry] {
        var entries: [ReplayReport.Entry] = []
        for model in models { entries.append(try entry(model)) }
        return entries
    }

    private func entry(_ model: Model) throws(StorageError) -> ReplayReport.Entry {
        let stored = try snapshot.map { (snapshot) throws(StorageError) in try snapshot.digest(of: model) }
        var digests = folded
        var difference: String?
        if let snapshot, stored != folded.digest(of: model) {
            let models = try foldedInOrder()
            digests = models
            if stored != models.digest(of: model) {
                let comparison = ModelComparison(folded: models) { (table) throws(StorageError) in
                    try FoldedModels.fold(self.log, through: self.through, keeping: table) { _, _ in }
                }
                difference = try comparison.firstDifference(model, snapshot)
            }
        }
        return ReplayReport.Entry(
            model: model, rows: digests.rows(of: model), digest: digests.digest(of: model).text, stored: stored?.text,
            difference: difference)
    }

    private func foldedInOrder() throws(StorageError) -> FoldedModels {
        if let inOrder { return inOrder }
        let models = try FoldedModels.fold(log, through: through) { _, _ in }
        inOrder = models
        return models
    }
}
