package import StoryCore

/// What a fold and a projection do for one kind, worked out from its schema once.
///
/// Unchecked: its tables are in memory of its own, and never change.
package final class KindPlan: @unchecked Sendable {
    package let schema: KindSchema
    let events: UnsafeBufferPointer<EventPlan>
    let indexes: UnsafeBufferPointer<IndexPlan>
    let tallies: UnsafeBufferPointer<TallyPlan>
    let unique: UniquePlan?
    /// The tables of the rows, of the IDs by number, and of the tallies.
    package let rows: UInt8
    package let numbers: UInt8
    package let counts: UInt8
    /// Where the tables lie.
    private let memory: FixedMemory

    package init(_ schema: KindSchema) {
        let memory = FixedMemory()
        self.memory = memory
        self.schema = schema
        events = memory.table(schema.events.map { EventPlan($0, schema, in: memory) })
        indexes = memory.table(schema.indexes.map { IndexPlan($0, schema, in: memory) })
        tallies = memory.table(schema.tallies.map { TallyPlan($0, schema, in: memory) })
        unique = schema.unique.map { UniquePlan(table: $0.table.number, field: $0.field) }
        rows = schema.rows.number
        numbers = schema.numbers.number
        counts = schema.counts.number
    }

    /// The plan of an event of this type; nil when the kind has none.
    func event(_ type: UnsafeRawBufferPointer) -> EventPlan? {
        events.first { $0.type.equals(type) }
    }
}

extension KindPlan {
    /// A row's key in the order of a list: its sort key, and its number behind that.
    ///
    /// - Parameter sort: the index of the sort in the schema.
    package func listKey(of row: borrowing RowView, by sort: Int) -> [UInt8] {
        var key = KeyBuffer()
        _ = key.add(KeyPart(sort: schema.sorts[sort]), of: row)
        key.add48(row.number)
        return Array(key.bytes)
    }

    /// A row's key in an index; nil when it has none.
    ///
    /// - Parameter index: the index of the index in the schema.
    package func key(of row: borrowing RowView, in index: Int) -> [UInt8]? {
        var key = KeyBuffer()
        for part in indexes[index].parts {
            guard key.add(part, of: row) else { return nil }
        }
        key.add48(row.number)
        return key.isKey ? Array(key.bytes) : nil
    }
}

/// The plans of all kinds, by the kinds' numbers.
package final class CataloguePlan: Sendable {
    package let catalogue: Catalogue
    package let kinds: [KindPlan]

    package init(_ catalogue: Catalogue) {
        self.catalogue = catalogue
        kinds = catalogue.kinds.map { KindPlan($0) }
    }
}
