import StoryCore
import StoryLog
import StoryStore

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
    private let catalogue: Catalogue
    private let snapshot: ModelSnapshot?
    private let folded: any FoldedDigests
    /// Folds the log in its order, and keeps the entries of a table of which otherwise only the digest is kept.
    private let fold: (_ keeping: ModelTable?) throws(StorageError) -> FoldedModels
    /// The same fold in the order of the log, with its rows; made when the digests differ, to find the first
    /// difference.
    private var inOrder: FoldedModels?

    init(
        _ catalogue: Catalogue, _ snapshot: ModelSnapshot?, _ folded: any FoldedDigests,
        inOrder fold: @escaping (_ keeping: ModelTable?) throws(StorageError) -> FoldedModels
    ) {
        self.catalogue = catalogue
        self.snapshot = snapshot
        self.folded = folded
        self.fold = fold
        inOrder = folded as? FoldedModels
    }

    /// Compares the tables of a model.
    ///
    /// - Throws: the error of reading the log or the stored models.
    func entry(_ model: String, _ tables: [ModelTable]) throws(StorageError) -> ReplayReport.Entry {
        let stored = try snapshot.map { (snapshot) throws(StorageError) in try snapshot.digest(of: tables) }
        var digests = folded
        var difference: String?
        if let snapshot, stored != folded.digest(of: tables) {
            let models = try foldedInOrder()
            digests = models
            if stored != models.digest(of: tables) {
                let comparison = ModelComparison(catalogue: catalogue, folded: models, foldKeeping: fold)
                difference = try comparison.firstDifference(tables, snapshot)
            }
        }
        return ReplayReport.Entry(
            model: model, rows: tables.first.map { digests.digest(of: $0).count } ?? 0,
            digest: digests.digest(of: tables).text, stored: stored?.text, difference: difference)
    }

    private func foldedInOrder() throws(StorageError) -> FoldedModels {
        if let inOrder { return inOrder }
        let models = try fold(nil)
        inOrder = models
        return models
    }
}
