import StoryCore
import StoryFold
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
    func entry(_ model: String, _ tables: [ModelTable]) throws(StorageError) -> ReplayReport.ModelDigest {
        let stored = try snapshot.map { (snapshot) throws(StorageError) in try snapshot.digest(of: tables) }
        var digests = folded
        var difference: String?
        if let snapshot, stored != folded.digest(of: tables) {
            let models = try foldedInOrder()
            digests = models
            if stored != models.digest(of: tables) {
                difference = try firstDifference(tables, snapshot, from: models)
            }
        }
        return ReplayReport.ModelDigest(
            model: model, rows: tables.first.map { digests.digest(of: $0).count } ?? 0,
            digest: digests.digest(of: tables).text, stored: stored?.text, difference: difference)
    }

    private func foldedInOrder() throws(StorageError) -> FoldedModels {
        if let inOrder { return inOrder }
        let models = try fold(nil)
        inOrder = models
        return models
    }

    // MARK: Difference

    /// Returns a sentence that names the first row that differs.
    private func firstDifference(
        _ tables: [ModelTable], _ snapshot: ModelSnapshot, from models: FoldedModels
    ) throws(StorageError) -> String {
        for table in tables {
            if let difference = try firstDifference(table, snapshot, from: models) { return difference }
        }
        return "the digests differ, but no entry does"
    }

    private func firstDifference(
        _ table: ModelTable, _ snapshot: ModelSnapshot, from models: FoldedModels
    ) throws(StorageError) -> String? {
        let expected =
            if let entries = models.entries(of: table) { entries } else { try fold(table).entries(of: table) ?? [] }
        var index = 0
        var difference: String?
        try snapshot.scan(table) { key, value in
            guard index < expected.count else {
                difference = "\(name(table, Array(key))) is stored, but the log does not make it"
                return false
            }
            let entry = expected[index]
            index += 1
            if entry.key.equals(key) {
                guard entry.value.equals(value) else {
                    difference = "\(name(table, entry.key)) is stored otherwise than the log makes it"
                    return false
                }
                return true
            }
            let isMissing = entry.key.precedes(Array(key))
            difference =
                isMissing
                ? "\(name(table, entry.key)) is not stored, though the log makes it"
                : "\(name(table, Array(key))) is stored, but the log does not make it"
            return false
        }
        if difference == nil, index < expected.count {
            difference = "\(name(table, expected[index].key)) is not stored, though the log makes it"
        }
        return difference
    }

    /// Returns the name of a row by its ID, or of another entry by its table and key.
    private func name(_ table: ModelTable, _ key: [UInt8]) -> String {
        if let kind = catalogue.kinds.first(where: { $0.rows == table }),
            kind.keys.isValid(count: key.count - KeyBuffer.rowKeyHead)
        {
            return kind.address(RowKey(trusted: ByteView(Array(key.dropFirst(KeyBuffer.rowKeyHead)))))
        }
        let isText = !key.isEmpty && key.allSatisfy(Alphabet.holds)
        return "\(table.name) " + (isText ? Alphabet.text(key) : String(decoding: key.hexadecimal, as: UTF8.self))
    }
}
