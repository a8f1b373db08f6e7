import StoryCore
import StoryLog

/// The models of a replay: rows in memory, indexes as digests, since an index is a function of the rows.
final class FoldedModels {
    let store = MemoryModelStore()
    private var indexDigests: [Table: ModelDigest] = [:]

    /// Computes what `Projector.Indexing.atTheEnd` left for the end.
    func finish() {
        let sink = IndexSink(store)
        Projector(sink).indexAll()
        indexDigests = sink.digests
    }

    func digest(of model: Model) -> ModelDigest {
        var digest = store.digest(of: model)
        for table in model.tables { if let part = indexDigests[table] { digest.add(part) } }
        return digest
    }

    func rows(of model: Model) -> UInt64 {
        var count: UInt64 = 0
        guard let table = model.tables.first else { return 0 }
        store.scan(table, KeyRange(), .ascending) { _, _ in
            count += 1
            return true
        }
        return count
    }

    /// Every entry of a table as it was folded, in order.
    func entries(of table: Table) -> [(key: [UInt8], value: [UInt8])] {
        guard IndexSink.tables.contains(table) else { return store.entries(of: table) }
        let sink = IndexSink(store, keeping: table)
        Projector(sink).indexAll()
        return sink.kept.sorted { $0.lexicographicallyPrecedes($1) }.map { ($0, []) }
    }
}

/// A store that passes everything on but index entries, which it only adds to a digest.
private final class IndexSink: ModelStore {
    static let tables: Set<Table> = Set(
        (UserProjection.indexes + StoryProjection.indexes + MessageProjection.indexes + PhotoProjection.indexes)
            .map(\.table))

    private(set) var digests: [Table: ModelDigest] = [:]
    private(set) var kept: [[UInt8]] = []
    private let store: MemoryModelStore
    private let keptTable: Table?
    private let counts: Set<Table> = [.userCounts, .storyCounts, .messageCounts, .photoCounts]

    init(_ store: MemoryModelStore, keeping table: Table? = nil) {
        self.store = store
        keptTable = table
    }

    func value(in table: Table, at key: [UInt8]) -> [UInt8]? { store.value(in: table, at: key) }

    func put(_ value: [UInt8], in table: Table, at key: [UInt8]) {
        if IndexSink.tables.contains(table) {
            if keptTable == table { kept.append(key) }
            digests[table, default: ModelDigest()].add(table, key, value)
        } else if counts.contains(table), keptTable == nil {
            store.put(value, in: table, at: key)
        }
    }

    /// Rows are put again as they are: nothing is ever taken away.
    func remove(in table: Table, at key: [UInt8]) {}

    func scan(_ table: Table, _ range: KeyRange, _ order: Order, _ visit: ([UInt8], [UInt8]) -> Bool) {
        store.scan(table, range, order, visit)
    }
}
