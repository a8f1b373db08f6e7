import StoryCore
import StoryModels

/// A store for a replay: what a fold reads again lies in memory; of the rest there is only a digest.
///
/// Indexes are written, but never read by a fold. A digest is a sum, so it can follow them without keeping them.
final class DigestingStore: ModelStore {
    private static let isDigested: [Bool] = (0...UInt8.max).map { number in
        Table(rawValue: number).map(digestedTables.contains) ?? false
    }

    private static let digestedTables: Set<Table> = Set(
        (UserProjection.indexes + StoryProjection.indexes + MessageProjection.indexes + PhotoProjection.indexes)
            .map(\.table))

    private let store = MemoryModelStore()
    private var digests = [ModelDigest](repeating: ModelDigest(), count: 256)
    /// The table whose entries are kept after all, to be compared one by one.
    private let kept: Table?

    init(keeping table: Table? = nil) { kept = table }

    func value(in table: Table, at key: [UInt8]) -> [UInt8]? { store.value(in: table, at: key) }

    func put(_ value: [UInt8], in table: Table, at key: [UInt8]) {
        guard DigestingStore.isDigested[Int(table.rawValue)] else { return store.put(value, in: table, at: key) }
        if table == kept { store.put(value, in: table, at: key) }
        digests[Int(table.rawValue)].add(table, key, value)
    }

    func remove(in table: Table, at key: [UInt8]) {
        guard DigestingStore.isDigested[Int(table.rawValue)] else { return store.remove(in: table, at: key) }
        if table == kept { store.remove(in: table, at: key) }
        digests[Int(table.rawValue)].subtract(table, key, [])
    }

    func add(_ change: Int64, in table: Table, at key: [UInt8]) { store.add(change, in: table, at: key) }

    func append(_ bytes: [UInt8], in table: Table, at key: [UInt8]) { store.append(bytes, in: table, at: key) }

    func scan(_ table: Table, _ range: KeyRange, _ order: Order, _ visit: ([UInt8], [UInt8]) -> Bool) {
        store.scan(table, range, order, visit)
    }

    /// Every entry of a table that lies in memory, in order.
    func entries(of table: Table) -> [(key: [UInt8], value: [UInt8])]? {
        guard table == kept || !DigestingStore.isDigested[Int(table.rawValue)] else { return nil }
        return store.entries(of: table)
    }

    func digest(of table: Table) -> ModelDigest {
        DigestingStore.isDigested[Int(table.rawValue)] ? digests[Int(table.rawValue)] : store.digest(of: table)
    }
}
