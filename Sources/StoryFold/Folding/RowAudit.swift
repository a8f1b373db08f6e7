package import StoryCore

/// An audit of a log that is built elsewhere: it folds the events and finds those that no model can use.
///
/// It keeps rows and unique texts, and no other table.
package final class RowAudit {
    /// A reason why an event is of no use.
    package enum Finding: Equatable, Sendable {
        /// The kind has no event of this type, or the data does not fit the type.
        case misfit
        /// The row to change does not exist, or the row to create exists or existed.
        case noEffect
        /// The row's unique text is that of another row.
        case taken(field: String, by: String)
    }

    private let plan: CataloguePlan
    private let json: any JSONReading
    private let tables: AuditedTables
    private var rows = RowFold()
    private var projection = RowProjection()
    private var key = KeyBuffer()
    private var old = KeyBuffer()

    /// Creates an audit without rows.
    ///
    /// - Parameters:
    ///   - plan: the plans of the kinds.
    ///   - store: an empty store for the rows and unique texts.
    ///   - json: the reader of the events' data.
    package init(_ plan: CataloguePlan, in store: any TableStore, json: any JSONReading) {
        self.plan = plan
        self.json = json
        tables = AuditedTables(plan.catalogue, in: store)
    }

    /// Folds the next event and returns why no model can use it; nil where one does, and for the users' own events.
    ///
    /// - Throws: `.corrupt` where a row is damaged.
    package func finding(in record: EventRecord) throws(StorageError) -> Finding? {
        guard let stream = plan.catalogue.kind(stream: record.streamName) else { return nil }
        let kind = plan[stream.kind]
        let event = FoldedEvent(record, idStart: stream.idStart)
        guard event.id.count <= Identifier.length.upperBound else { return .misfit }
        let row = try previous(kind, event)
        return try record.withData(json) { (members) throws(StorageError) -> Finding? in
            switch rows.fold(kind, event, members, into: row) {
            case .misfit: return .misfit
            case .fitting(nil, _): return .noEffect
            case .fitting(let change?, _): return try apply(change, kind.schema)
            }
        } ?? .misfit
    }

    private func previous(_ kind: KindPlan, _ event: FoldedEvent) throws(StorageError) -> RowView? {
        key.setRowKey(event.id)
        guard try tables.store.copy(kind.rows, at: key.bytes, to: &old) else { return nil }
        guard let row = RowView(kind.layout, old.bytes) else {
            throw .corrupt("a row of \(kind.schema.name) is damaged", at: event.position)
        }
        return row
    }

    private func apply(_ change: RowChange, _ schema: KindSchema) throws(StorageError) -> Finding? {
        tables.owner = nil
        try projection.apply(change, to: tables)
        guard let owner = tables.owner, let unique = schema.unique else { return nil }
        return .taken(field: schema.fields[unique.field].name, by: schema.category + "-" + owner)
    }
}

/// The tables of rows and of unique texts; entries of others are dropped.
private final class AuditedTables: TableWriting {
    let store: any TableStore
    /// The ID of the row that already had the unique text of the last change; nil when the text was free.
    var owner: String?
    private let rows: Set<UInt8>
    private let uniques: Set<UInt8>

    init(_ catalogue: Catalogue, in store: any TableStore) {
        self.store = store
        rows = Set(catalogue.kinds.map(\.rows.number))
        uniques = Set(catalogue.kinds.compactMap(\.unique?.table.number))
    }

    func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) {
        if uniques.contains(table) {
            try store.withValue(table, at: key) { owner = String(decoding: $0.dropFirst(6), as: UTF8.self) }
        }
        if rows.contains(table) || uniques.contains(table) { try store.put(value, in: table, at: key) }
    }

    func remove(in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) {
        if rows.contains(table) || uniques.contains(table) { try store.remove(in: table, at: key) }
    }

    func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) {}
}
