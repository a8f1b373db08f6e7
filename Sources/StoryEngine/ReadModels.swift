import StoryCore
import StoryModels

/// The read models as use cases look at them: rows, streams and request keys, in one store.
final class ReadModels: ContentRows {
    let store: any TableStore
    let plan: CataloguePlan
    /// The plan's: every request asks it.
    private let catalogue: Catalogue
    /// What reads the data of events that are folded for an answer.
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

    /// What the store knows of a kind.
    func schema(_ kind: Kind) -> KindSchema { catalogue[kind] }

    /// Lends the row with an ID; the body looks nothing else up. False when there is none.
    ///
    /// - Throws: `.corrupt` when the row is damaged; otherwise what reading failed with.
    func row(_ schema: KindSchema, _ id: Identifier, _ body: (RowView) -> Void) throws(StorageError) -> Bool {
        try id.spelling.withUnsafeBytes { (id) throws(StorageError) in try rows.row(schema, id: id, body) }
    }

    /// Lends the row with a number, as the entries of indexes have it; the body looks nothing else up.
    ///
    /// - Throws: as `row`.
    @discardableResult
    func row(_ schema: KindSchema, number: UInt64, _ body: (RowView) -> Void) throws(StorageError) -> Bool {
        try rows.row(schema, number: number, body)
    }

    /// Lends the rows with some numbers in their order, as many as a `KeyBatch` has room for; the body looks nothing else
    /// up.
    ///
    /// - Throws: as `row`.
    func rows(
        _ schema: KindSchema, numbers: [UInt64], _ body: (_ index: Int, RowView) -> Void
    ) throws(StorageError) { try rows.rows(schema, numbers: numbers, body) }

    /// Lends the row that has a unique text, its ASCII letters in lower case; the body looks nothing else up.
    ///
    /// - Throws: as `row`.
    @discardableResult
    func row(_ schema: KindSchema, folded text: [UInt8], _ body: (RowView) -> Void) throws(StorageError) -> Bool {
        try text.withBytes { (text) throws(StorageError) in try rows.row(schema, folded: text, body) }
    }

    /// True when there is a row with an ID.
    ///
    /// - Throws: what reading failed with.
    func has(_ kind: Kind, _ id: Identifier) throws(StorageError) -> Bool {
        let table = catalogue.rows(of: kind)
        return try id.spelling.withUnsafeBytes { (id) throws(StorageError) in try rows.has(table, id: id) }
    }

    /// True when a set has an entry of a row and a name.
    ///
    /// - Throws: what reading failed with.
    func contains(_ table: ModelTable, number: StreamNumber, _ name: Identifier) throws(StorageError) -> Bool {
        try name.spelling.withUnsafeBytes { (name) throws(StorageError) in
            try rows.contains(table, number: number.value, name: name)
        }
    }

    /// The kept count at the key of a tally.
    ///
    /// - Throws: what reading failed with.
    func tally(_ schema: KindSchema, at key: [UInt8]) throws(StorageError) -> UInt64 {
        try rows.count(schema, at: key)
    }

    /// The part of an index that has the fewest rows for a query; nil when the kind has no index.
    ///
    /// - Throws: what reading failed with.
    func narrowest(_ plan: QueryPlan, _ schema: KindSchema) throws(StorageError) -> IndexRange? {
        try plan.narrowest { (key) throws(StorageError) in try tally(schema, at: key) }
    }

    /// What a request key made is asked for soon.
    func expect(_ key: RequestKey) { key.spelling.withUnsafeBytes { keys.expect($0) } }

    /// What a request key made; nil when it made nothing yet.
    ///
    /// - Throws: what reading failed with.
    func entry(of key: RequestKey) throws(StorageError) -> KeyIndex.Entry? {
        try key.spelling.withUnsafeBytes { (key) throws(StorageError) in try keys.entry(of: key) }
    }
}
