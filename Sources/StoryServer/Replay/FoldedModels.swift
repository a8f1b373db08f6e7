import StoryCore
import StoryLog

/// The models of a replay: what a fold reads again lies in memory; of the rest there is only a digest.
///
/// Indexes, the versions of streams and the events of categories are written and taken away, but never read by a
/// fold. A digest is a sum, so it can follow them without keeping them.
final class FoldedModels: ModelStore {
    private static let isDigested: [Bool] = (0...UInt8.max).map { number in
        Table(rawValue: number).map(digestedTables.contains) ?? false
    }

    private static let digestedTables: Set<Table> = Set(
        (UserProjection.indexes + StoryProjection.indexes + MessageProjection.indexes + PhotoProjection.indexes)
            .map(\.table) + [.streamVersions, .categoryEvents])

    private let store = MemoryModelStore()
    private var digests = [ModelDigest](repeating: ModelDigest(), count: 256)
    /// The table whose entries are kept after all, to be compared one by one.
    private let kept: Table?

    init(keeping table: Table? = nil) { kept = table }

    func value(in table: Table, at key: [UInt8]) -> [UInt8]? { store.value(in: table, at: key) }

    func put(_ value: [UInt8], in table: Table, at key: [UInt8]) {
        guard FoldedModels.isDigested[Int(table.rawValue)] else { return store.put(value, in: table, at: key) }
        if table == kept { store.put(value, in: table, at: key) }
        digests[Int(table.rawValue)].add(table, key, value)
    }

    func remove(in table: Table, at key: [UInt8]) {
        guard FoldedModels.isDigested[Int(table.rawValue)] else { return store.remove(in: table, at: key) }
        if table == kept { store.remove(in: table, at: key) }
        digests[Int(table.rawValue)].subtract(table, key, [])
    }

    func scan(_ table: Table, _ range: KeyRange, _ order: Order, _ visit: ([UInt8], [UInt8]) -> Bool) {
        store.scan(table, range, order, visit)
    }

    func digest(of model: Model) -> ModelDigest {
        model.tables.reduce(into: ModelDigest()) { $0.add(digest(of: $1)) }
    }

    /// How many rows the model has: the entries of its first table.
    func rows(of model: Model) -> UInt64 { model.tables.first.map { digest(of: $0).count } ?? 0 }

    /// Every entry of a table that lies in memory, in order.
    func entries(of table: Table) -> [(key: [UInt8], value: [UInt8])]? {
        guard table == kept || !FoldedModels.isDigested[Int(table.rawValue)] else { return nil }
        return store.entries(of: table)
    }

    private func digest(of table: Table) -> ModelDigest {
        FoldedModels.isDigested[Int(table.rawValue)] ? digests[Int(table.rawValue)] : store.digest(of: table)
    }
}
