import StoryCore
import StoryModels

/// The read models as use cases see them: rows, streams and request keys, in one store.
final class ReadModels: ContentRows {
    let store: any TableStore
    let plan: CataloguePlan
    /// The plan's catalogue, held directly to avoid a retain and release on each request.
    private let catalogue: Catalogue
    /// The reader of the data of events that are folded for an answer.
    let json: any JSONReading
    let streams: StreamIndex
    @exclusivity(unchecked) private var rows: RowLookup
    private let keys: KeyIndex

    init(_ plan: CataloguePlan, store: any TableStore, json: any JSONReading) {
        self.store = store
        self.plan = plan
        catalogue = plan.catalogue
        self.json = json
        streams = StreamIndex(store)
        rows = RowLookup(store)
        keys = KeyIndex(store)
    }

    /// Returns the schema of a kind.
    func schema(_ kind: Kind) -> KindSchema { catalogue[kind] }

    /// Passes the row with an ID to the body; returns false if there is none.
    ///
    /// The view is valid until the body returns or looks up another row.
    ///
    /// - Throws: `.corrupt` if the row is damaged; otherwise the error of the read.
    func row(_ schema: KindSchema, _ id: Identifier, _ body: (RowView) -> Void) throws(StorageError) -> Bool {
        try id.spelling.withUnsafeBytes { (id) throws(StorageError) in try rows.row(schema, id: id, body) }
    }

    /// Passes the row with a number, as in index entries, to the body.
    ///
    /// The view is valid until the body returns or looks up another row.
    ///
    /// - Throws: like `row(_:_:_:)`.
    @discardableResult
    func row(_ schema: KindSchema, number: UInt64, _ body: (RowView) -> Void) throws(StorageError) -> Bool {
        try rows.row(schema, number: number, body)
    }

    /// Passes the rows with these numbers to the body, in their order, at most the capacity of a `KeyBatch`.
    ///
    /// The view is valid until the body returns or looks up another row.
    ///
    /// - Throws: like `row(_:_:_:)`.
    func rows(
        _ schema: KindSchema, numbers: [UInt64], _ body: (_ index: Int, RowView) -> Void
    ) throws(StorageError) { try rows.rows(schema, numbers: numbers, body) }

    /// Passes the row with a unique text, whose ASCII letters are in lower case, to the body.
    ///
    /// The view is valid until the body returns or looks up another row.
    ///
    /// - Throws: like `row(_:_:_:)`.
    @discardableResult
    func row(_ schema: KindSchema, folded text: [UInt8], _ body: (RowView) -> Void) throws(StorageError) -> Bool {
        try text.withBytes { (text) throws(StorageError) in try rows.row(schema, folded: text, body) }
    }

    /// Returns whether there is a row with an ID.
    ///
    /// - Throws: the error of the read.
    func has(_ kind: Kind, _ id: Identifier) throws(StorageError) -> Bool {
        let table = catalogue.rows(of: kind)
        return try id.spelling.withUnsafeBytes { (id) throws(StorageError) in try rows.has(table, id: id) }
    }

    /// Returns whether a set has an entry of a row and a name.
    ///
    /// - Throws: the error of the read.
    func contains(_ table: ModelTable, number: StreamNumber, _ name: Identifier) throws(StorageError) -> Bool {
        try name.spelling.withUnsafeBytes { (name) throws(StorageError) in
            try rows.contains(table, number: number.value, name: name)
        }
    }

    /// Returns the stored count at the key of a tally.
    ///
    /// - Throws: the error of the read.
    func tally(_ schema: KindSchema, at key: [UInt8]) throws(StorageError) -> UInt64 {
        try rows.count(schema, at: key)
    }

    /// Returns the index range that has the fewest rows for a query; nil if the kind has no index.
    ///
    /// - Throws: the error of the read.
    func narrowest(_ plan: QueryPlan, _ schema: KindSchema) throws(StorageError) -> IndexRange? {
        try plan.narrowest { (key) throws(StorageError) in try tally(schema, at: key) }
    }

    /// Prefetches the entry of a request key.
    func prefetch(_ key: RequestKey) { key.spelling.withUnsafeBytes { keys.prefetch($0) } }

    /// Returns the entry of a request key: the events that it made; nil for a new key.
    ///
    /// - Throws: the error of the read.
    func entry(of key: RequestKey) throws(StorageError) -> KeyIndex.Entry? {
        try key.spelling.withUnsafeBytes { (key) throws(StorageError) in try keys.entry(of: key) }
    }
}
