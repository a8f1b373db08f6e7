package import StoryCore

/// How one kind's rows are kept: a table of rows by number, and indexes as pure functions of a row.
package protocol RowKeeping {
    associatedtype Row: Equatable & Sendable

    static var rows: Table { get }
    /// Where `Index.isCounted` counts are kept.
    static var counts: Table { get }
    static var indexes: [Index] { get }
    static func number(of row: Row) -> StreamNumber
    /// Writes what a row has in the prefix of an index; false when it is not in such an index.
    static func writeFilterKey<Bytes: ByteWriting>(
        _ filter: FilterName, of row: Row, to key: inout KeyWriterOf<Bytes>
    ) -> Bool
    /// Writes what a row is sorted by.
    static func writeSortKey<Bytes: ByteWriting>(
        _ sort: SortKey, of row: Row, to key: inout KeyWriterOf<Bytes>)
    /// Writes the row as it is stored.
    static func write<Bytes: ByteWriting>(_ row: Row, to record: inout RecordWriter<Bytes>)
}

/// How one kind's rows are found and read back.
package protocol Projection: RowKeeping {
    static var kind: Kind { get }
    /// The row as one of any kind.
    static func wrapped(_ row: Row) -> StoryCore.Row
    /// Nil when the row is of another kind.
    static func unwrapped(_ row: StoryCore.Row) -> Row?
    /// True when the record is a row that passes every filter; looks at its bytes, and makes nothing of them.
    static func passes(_ record: UnsafeRawBufferPointer, _ filters: [Filter]) -> Bool
    /// Nil when the bytes are no row.
    static func decode(_ bytes: [UInt8], number: StreamNumber) -> Row?
}

extension Projection {
    /// True when a row passes every filter.
    package static func passes(_ row: Row, _ filters: [Filter]) -> Bool {
        filters.isEmpty || encode(row).withUnsafeBytes { passes($0, filters) }
    }
}

extension UnsafeRawBufferPointer {
    /// True when the bytes are this name.
    func isName(_ name: Identifier) -> Bool { name.bytes.withUnsafeBytes { Memory.areEqual(self, $0) } }
}

extension RowKeeping {
    /// The row as it is stored.
    package static func encode(_ row: Row) -> [UInt8] {
        var record = RecordWriter<[UInt8]>([])
        write(row, to: &record)
        return record.bytes
    }

    /// The key of a row in an index; nil when the row is not in it.
    package static func key(of row: Row, in index: Index) -> [UInt8]? {
        var entry = IndexEntry<[UInt8]>([])
        entry.set(Self.self, index, row, number(of: row))
        return entry.isThere ? entry.key.bytes : nil
    }

    /// Writes what changed between two states of one row: the row, its index entries and the counts.
    ///
    /// - Parameter scratch: memory to write keys in; what it holds does not matter.
    static func apply<Target: FoldTarget>(
        from old: Row?, to new: Row?, in target: Target, _ scratch: inout FoldScratch<Target.Bytes>
    ) {
        guard let old else {
            if let new { insert(new, in: target, &scratch) }
            return
        }
        let number = number(of: old)
        if let new {
            put(new, in: target, &scratch)
        } else {
            scratch.key.set(number.value)
            target.remove(in: rows, at: scratch.key.bytes)
        }
        for index in indexes {
            scratch.before.set(Self.self, index, old, number)
            if let new { scratch.after.set(Self.self, index, new, number) } else { scratch.after.clear() }
            move(index, in: target, &scratch)
        }
    }

    /// Writes a row that was not there: the row, its index entries and the counts.
    static func insert<Target: FoldTarget>(
        _ row: Row, in target: Target, _ scratch: inout FoldScratch<Target.Bytes>
    ) {
        put(row, in: target, &scratch)
        let number = number(of: row)
        for index in indexes {
            scratch.after.set(Self.self, index, row, number)
            guard scratch.after.isThere else { continue }
            target.put(in: index.table, at: scratch.after.key.bytes)
            if index.isCounted { count(1, index, scratch.after, in: target, &scratch.key) }
        }
    }

    private static func put<Target: FoldTarget>(
        _ row: Row, in target: Target, _ scratch: inout FoldScratch<Target.Bytes>
    ) {
        scratch.key.set(number(of: row).value)
        scratch.record.clear()
        write(row, to: &scratch.record)
        target.put(scratch.record.bytes, in: rows, at: scratch.key.bytes)
    }

    private static func count<Target: FoldTarget>(
        _ change: Int64, _ index: Index, _ entry: borrowing IndexEntry<Target.Bytes>, in target: Target,
        _ key: inout KeyWriterOf<Target.Bytes>
    ) {
        entry.withPrefix { key.setCount(of: index.table, $0) }
        target.add(change, in: counts, at: key.bytes)
    }

    /// Goes from the entry before to the entry after.
    private static func move<Target: FoldTarget>(
        _ index: Index, in target: Target, _ scratch: inout FoldScratch<Target.Bytes>
    ) {
        guard !scratch.before.isSame(as: scratch.after) else { return }
        if scratch.before.isThere { target.remove(in: index.table, at: scratch.before.key.bytes) }
        if scratch.after.isThere { target.put(in: index.table, at: scratch.after.key.bytes) }
        guard index.isCounted, !scratch.before.isCounted(with: scratch.after) else { return }
        if scratch.before.isThere { count(-1, index, scratch.before, in: target, &scratch.key) }
        if scratch.after.isThere { count(1, index, scratch.after, in: target, &scratch.key) }
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
