import StoryCore
import StoryLog
import StoryModels
import StoryStorage
import StoryWire

/// A log folded anew in its order, as the daemon folds it.
final class FoldedModels: FoldedDigests {
    private let store: DigestingStore

    private init(_ store: DigestingStore) { self.store = store }

    /// Folds everything up to a position.
    ///
    /// - Parameter table: the table whose entries are kept, where otherwise there would be only a digest of them.
    /// - Throws: what reading the log failed with.
    static func fold(
        _ log: any EventLog, _ plan: CataloguePlan, through: Position, keeping table: ModelTable? = nil,
        progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) -> FoldedModels {
        let store = DigestingStore(plan.catalogue, keeping: table)
        let projector = ModelProjector(plan, store: store, json: JSONObjectReader())
        var failure: StorageError?
        if through > .zero {
            try log.scan(from: Position(1), through: through, order: .ascending) { record in
                do throws(StorageError) { try projector.fold(record) } catch { failure = error }
                if record.position.value % 16_384 == 0 { progress(record.position, through) }
                return failure == nil
            }
        }
        if let failure { throw failure }
        progress(through, through)
        return FoldedModels(store)
    }

    func digest(of table: ModelTable) -> ModelDigest { store.digest(of: table) }

    /// Every entry of a table, in order; nil where there is only a digest.
    func entries(of table: ModelTable) -> [(key: [UInt8], value: [UInt8])]? { store.entries(of: table) }
}
