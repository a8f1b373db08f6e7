package import StoryCore

/// Folds events into every read model, one after the other, in the order of their positions.
///
/// It is all there is between the log and an answer: the daemon, its recovery and a replay in order use this one.
package final class ModelProjector {
    private let plan: CataloguePlan
    /// The plan's: asked for every event.
    private let catalogue: Catalogue
    private let store: any TableStore
    private let json: any JSONReading
    private let streams: StreamIndex
    @exclusivity(unchecked) private var keys: KeyIndex
    @exclusivity(unchecked) private var rows = RowFold()
    @exclusivity(unchecked) private var projection = RowProjection()
    @exclusivity(unchecked) private var key = KeyBuffer()
    @exclusivity(unchecked) private var old = KeyBuffer()
    private let changes: RowChanges?

    /// - Parameters:
    ///   - json: what reads the events' data.
    ///   - changes: who is told of the changes of rows besides the tables; nil: nobody.
    package init(
        _ plan: CataloguePlan, store: any TableStore, json: any JSONReading, telling changes: RowChanges? = nil
    ) {
        self.changes = changes
        self.plan = plan
        catalogue = plan.catalogue
        self.store = store
        self.json = json
        streams = StreamIndex(store)
        keys = KeyIndex(store)
    }

    /// The store is as it was at some moment before: what is remembered of it is forgotten.
    package func storeWasTakenBack() { streams.storeWasTakenBack() }

    /// Folds an event in.
    ///
    /// - Parameter readable: how many bytes from the start of the record's JSON on may be read; nil: no more than it has.
    /// - Throws: `.corrupt` when it was folded before, or a row that it changes is damaged; otherwise what the store
    ///   failed with.
    package func fold(_ record: EventRecord, readable: Int? = nil) throws(StorageError) {
        try fold(record, of: kind(of: record), readable: readable)
    }

    /// Folds an event in whose kind was looked up before.
    ///
    /// - Throws: as `fold`.
    package func fold(_ record: EventRecord, of kind: StreamKind?, readable: Int?) throws(StorageError) {
        try foldStream(record)
        try foldRow(record, of: kind, readable: readable)
    }

    /// The kind that an event is of; nil for the users' own events.
    package func kind(of record: EventRecord) -> StreamKind? { catalogue.kind(stream: record.streamName) }

    /// Folds into the models that say where events are: `streams` and `keys`. They share no table with the others, so
    /// the two halves of a fold may run beside each other, each in its own store.
    ///
    /// - Throws: as `fold`.
    package func foldStream(_ record: EventRecord) throws(StorageError) {
        let head = StreamHead(number: record.streamNumber, version: record.version, position: record.position)
        try streams.fold(head, record.streamName)
        if let key = record.key {
            try keys.fold(UnsafeRawBufferPointer(rebasing: record.json[key]), at: record.position)
        }
    }

    /// Folds into the models of what events say: the kinds' rows, indexes, tallies and sets.
    ///
    /// - Throws: as `fold`.
    package func foldRow(_ record: EventRecord, of stream: StreamKind?, readable: Int? = nil) throws(StorageError) {
        guard let stream else { return }
        let kind = plan.kinds[Int(stream.kind.number)]
        let event = FoldedEvent(record, idStart: stream.idStart)
        guard event.id.count <= Identifier.length.upperBound else { return }
        let row = try previous(kind, event)
        let outcome = record.withData(json, readable) { self.rows.fold(kind, event, $0, into: row, self.apply) }
        if case .failure(let error)? = outcome { throw error }
    }

    /// The row before the event, copied: a store must not be changed while it lends. The first event of a stream has
    /// none: no need to look.
    private func previous(_ kind: KindPlan, _ event: FoldedEvent) throws(StorageError) -> RowView? {
        guard event.version > Version(1) else { return nil }
        key.setRowKey(event.id)
        guard try store.copy(kind.rows, at: key.bytes, to: &old) else { return nil }
        guard let row = RowView(kind.layout, old.bytes) else {
            throw .corrupt("a stored row of \(kind.schema.name) is damaged", at: event.position)
        }
        return row
    }

    private func apply(_ change: RowChange?, _ membership: MembershipEntry?) throws(StorageError) {
        if let membership { try projection.apply(membership, to: store) }
        guard let change else { return }
        try projection.apply(change, to: store)
        changes?.publish(change)
    }
}

extension RowFold {
    /// Folds, and hands on what came of it while it is lent.
    ///
    /// - Returns: nil where all went well; otherwise what `apply` threw.
    mutating func fold(
        _ kind: KindPlan, _ event: FoldedEvent, _ members: UnsafeBufferPointer<JSONMember>, into old: RowView?,
        _ apply: (RowChange?, MembershipEntry?) throws(StorageError) -> Void
    ) -> Result<Void, StorageError> {
        guard case .fitting(let change, let membership) = fold(kind, event, members, into: old) else {
            return .success(())
        }
        do throws(StorageError) { return .success(try apply(change, membership)) } catch { return .failure(error) }
    }
}

extension EventRecord {
    /// The name of its stream.
    package var streamName: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: json[stream]) }

    /// Lends the members of its data; nil when that is no JSON object.
    func withData<Result>(
        _ reader: any JSONReading, _ readable: Int?, _ body: (UnsafeBufferPointer<JSONMember>) -> Result
    ) -> Result? {
        let text = UnsafeRawBufferPointer(rebasing: json[data])
        return reader.withObject(text, readable: (readable ?? json.count) - data.lowerBound, body)
    }
}
