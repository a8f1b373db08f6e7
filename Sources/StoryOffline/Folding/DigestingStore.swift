import StoryCore
import StoryFold
import StoryStore
import StoryStorage

/// A table store for a replay: it keeps in memory the tables that a fold reads, and of the others only a digest.
///
/// Indexes are written, but never read by a fold. A digest is a sum, so it is updated without the entries.
final class DigestingStore: TableStore {
    private let store = MemoryModelStore()
    /// True for a table that is only digested, by table number.
    private let isDigested: [Bool]
    private var digests = [ModelDigest](repeating: ModelDigest(), count: 256)
    /// The table whose entries are kept even if it is digested, to be compared one by one.
    private let kept: UInt8?

    init(_ catalogue: Catalogue, keeping table: ModelTable? = nil) {
        var isDigested = [Bool](repeating: false, count: 256)
        for index in catalogue.kinds.flatMap(\.indexes) { isDigested[Int(index.table.number)] = true }
        isDigested[Int(StreamTables.tagEvents.number)] = true
        self.isDigested = isDigested
        kept = table?.number
    }

    /// Returns all entries of a table in order; nil when only its digest was kept.
    func entries(of table: ModelTable) -> [(key: [UInt8], value: [UInt8])]? {
        guard table.number == kept || !isDigested[Int(table.number)] else { return nil }
        return store.entries(of: table)
    }

    func digest(of table: ModelTable) -> ModelDigest {
        isDigested[Int(table.number)] ? digests[Int(table.number)] : store.digest(of: table)
    }

    // MARK: TableStore

    var checkpointed: Position { .zero }

    func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        guard isDigested[Int(table)] else { return store.put(value, in: table, at: key) }
        if table == kept { store.put(value, in: table, at: key) }
        digests[Int(table)].add(table, key, value)
    }

    func remove(in table: UInt8, at key: UnsafeRawBufferPointer) {
        guard isDigested[Int(table)] else { return store.remove(in: table, at: key) }
        if table == kept { store.remove(in: table, at: key) }
        digests[Int(table)].subtract(table, key)
    }

    func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        store.add(change, in: table, at: key)
    }

    func append(_ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) -> Int {
        store.append(bytes, in: table, at: key)
    }

    func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        store.withValue(table, at: key, body)
    }

    func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order, isProving: Bool,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        store.walk(table, range, order, isProving: isProving, visit)
    }
}
