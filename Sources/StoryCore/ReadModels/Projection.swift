/// How one kind's rows are kept: a table of rows by number, and indexes as pure functions of a row.
package protocol Projection {
    associatedtype Row: Equatable & Sendable

    static var rows: Table { get }
    /// Where `Index.isCounted` counts are kept.
    static var counts: Table { get }
    static var indexes: [Index] { get }
    static func number(of row: Row) -> StreamNumber
    /// True when the row passes a filter.
    static func matches(_ row: Row, _ filter: Filter) -> Bool
    /// Writes what a row has in the prefix of an index; false when it is not in such an index.
    static func writeFilterKey(_ filter: FilterName, of row: Row, to key: inout KeyWriter) -> Bool
    /// Writes what a row is sorted by.
    static func writeSortKey(_ sort: SortKey, of row: Row, to key: inout KeyWriter)
    static func encode(_ row: Row) -> [UInt8]
    /// Nil when the bytes are no row.
    static func decode(_ bytes: [UInt8], number: StreamNumber) -> Row?
}

extension Projection {
    /// Writes what changed between two states of one row: the row, its index entries and the counts.
    ///
    /// - Parameter scratch: memory to write keys in; what it holds does not matter.
    static func apply(from old: Row?, to new: Row?, in store: any ModelStore, _ scratch: inout FoldScratch) {
        guard let number = (new ?? old).map(number) else { return }
        scratch.key.clear()
        scratch.key.number(number)
        if let new {
            store.put(encode(new), in: rows, at: scratch.key.bytes)
        } else {
            store.remove(in: rows, at: scratch.key.bytes)
        }
        for index in indexes {
            scratch.before.set(Self.self, index, old, number)
            scratch.after.set(Self.self, index, new, number)
            move(index, from: scratch.before, to: scratch.after, in: store)
        }
    }

    private static func move(
        _ index: Index, from before: borrowing IndexEntry, to after: borrowing IndexEntry, in store: any ModelStore
    ) {
        guard !before.isSame(as: after) else { return }
        if before.isThere { store.remove(in: index.table, at: before.key.bytes) }
        if after.isThere { store.put([], in: index.table, at: after.key.bytes) }
        guard index.isCounted, !before.isCounted(with: after) else { return }
        if before.isThere { add(-1, index.table, before.prefix, in: store) }
        if after.isThere { add(1, index.table, after.prefix, in: store) }
    }

    private static func add(_ change: Int64, _ table: Table, _ prefix: ArraySlice<UInt8>, in store: any ModelStore) {
        store.add(change, in: counts, at: CountKey.bytes(table, prefix))
    }
}

/// The keys of the tables of counts: which index, and the prefix that is counted.
package enum CountKey {
    package static func bytes(_ table: Table, _ prefix: some Collection<UInt8>) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(1 + prefix.count)
        key.append(table.rawValue)
        key.append(contentsOf: prefix)
        return key
    }

    package static func count(_ value: [UInt8]?) -> UInt64 { value.flatMap { KeyReader.number($0, at: 0) } ?? 0 }
}
