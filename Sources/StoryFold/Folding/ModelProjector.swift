package import StoryCore

/// The fold of events into every read model, one after the other, in the order of their positions.
///
/// The daemon, its recovery and a replay in order all use this type, the only step from the log to the read models.
package final class ModelProjector {
    private var plan: CataloguePlan
    /// The plan's catalogue, held directly since every event needs it.
    private var catalogue: Catalogue
    private let store: any TableStore
    private let json: any JSONReading
    private let streams: StreamIndex
    private var keys: KeyIndex
    private var types: TypeIndex
    private var tags: TagIndex.Fold
    private let definitions: DefinitionTable
    private let cursors: CursorTable
    /// The number of changes of declared models that were folded.
    package private(set) var definitionChanges: UInt64 = 0
    private var rows = RowFold()
    private var projection = RowProjection()
    private var key = KeyBuffer()
    private var old = KeyBuffer()
    private let feed: ChangeFeed?

    /// Creates a projector that folds into `store`.
    ///
    /// - Parameters:
    ///   - json: the reader of the events' data.
    ///   - feed: the feed that gets each row change, besides the tables; nil: none.
    package init(
        _ plan: CataloguePlan, store: any TableStore, json: any JSONReading, feed: ChangeFeed? = nil
    ) {
        self.feed = feed
        self.plan = plan
        catalogue = plan.catalogue
        self.store = store
        self.json = json
        streams = StreamIndex(store)
        keys = KeyIndex(store)
        types = TypeIndex(store)
        tags = TagIndex.Fold(store)
        definitions = DefinitionTable(store, json: json)
        cursors = CursorTable(store, json: json)
    }

    /// Folds by another catalogue from now on.
    package func catalogueReplaced(by plan: CataloguePlan) {
        self.plan = plan
        catalogue = plan.catalogue
    }

    /// Folds an event of the log in.
    ///
    /// - Throws: `.corrupt` when it was folded before, or a row that it changes is damaged; otherwise any error of the
    ///   store.
    package func fold(_ record: EventRecord) throws(StorageError) {
        try fold(record, of: kind(of: record), after: prior(to: record))
    }

    /// Looks up the state before an event of the log.
    ///
    /// - Throws: any read error of the store.
    package func prior(to record: EventRecord) throws(StorageError) -> PriorState {
        var entry: KeyIndex.KeyedEvents?
        if let key = record.keyBytes { entry = try keys.entry(of: key) }
        var head = try streams.head(of: record.streamName)
        // A page that changed after its first use: its damage is noted, and not folded on.
        if (head?.version ?? .zero).next != record.version {
            head = try streams.head(of: record.streamName, isProven: true)
        }
        return PriorState(head: head, entry: entry)
    }

    /// Folds in an event whose kind, and the state before it, were already looked up.
    ///
    /// - Throws: as `fold`.
    package func fold(
        _ record: EventRecord, of kind: StreamKind?, after prior: PriorState
    ) throws(StorageError) {
        let head = StreamHead(number: record.streamNumber, version: record.version, position: record.position)
        try streams.fold(head, record.streamName, after: prior.head)
        if let key = record.keyBytes { try keys.fold(key, at: record.position, after: prior.entry) }
        try types.fold(record)
        try tags.fold(record)
        if record.text.cursor != nil { try cursors.fold(record) }
        try foldRow(record, of: kind)
    }

    /// Returns the kind of an event; nil for the users' own events.
    package func kind(of record: EventRecord) -> StreamKind? { catalogue.kind(stream: record.streamName) }

    /// Folds an event into the models of its content: the kinds' rows, indexes, tallies and sets.
    ///
    /// - Throws: as `fold`.
    package func foldRow(_ record: EventRecord, of stream: StreamKind?) throws(StorageError) {
        guard let stream else {
            if try definitions.fold(record) { definitionChanges += 1 }
            if CursorEvent.name(ofStream: record.streamName) != nil { try cursors.fold(record) }
            try ErasureEvent.eachRow(of: record, json) { (name) throws(StorageError) in
                try removeRow(of: name, at: record.position)
            }
            return
        }
        guard record.data != nil else { return }
        let kind = plan[stream.kind]
        let event = FoldedEvent(record, idStart: stream.idStart)
        guard event.id.count <= Identifier.length.upperBound else { return }
        let row = try previous(kind, event)
        try record.withData(json) { (members) throws(StorageError) in
            guard case .fitting(let change, let membership) = rows.fold(kind, event, members, into: row) else { return }
            if let membership { try projection.apply(membership, to: store) }
            guard let change else { return }
            try projection.apply(change, to: store)
            feed?.folded(change)
        }
    }

    /// Removes the row of a stream whose events are erased: a fold of the log without them never makes it.
    private func removeRow(of stream: UnsafeRawBufferPointer, at position: Position) throws(StorageError) {
        guard let found = catalogue.kind(stream: stream) else { return }
        let (kind, id) = (plan[found.kind], UnsafeRawBufferPointer(rebasing: stream[found.idStart...]))
        guard let row = try row(of: kind, id, at: position) else { return }
        let change = RowChange(
            kind: kind, number: row.number, key: id, position: position, before: row, after: nil, fields: .max)
        try projection.apply(change, to: store)
        feed?.folded(change)
    }

    /// Returns a copy of the row before the event, since the store must not change while a view of its row is in use.
    ///
    /// The first event of a stream has no row before it, so no look-up is made.
    private func previous(_ kind: KindPlan, _ event: FoldedEvent) throws(StorageError) -> RowView? {
        event.version > Version(1) ? try row(of: kind, event.id, at: event.position) : nil
    }

    /// Returns a copy of a row, valid until the next one; nil where there is none.
    private func row(
        of kind: KindPlan, _ id: UnsafeRawBufferPointer, at position: Position
    ) throws(StorageError) -> RowView? {
        key.setRowKey(id)
        guard try store.copy(kind.rows, at: key.bytes, to: &old) else { return nil }
        guard let row = RowView(kind.layout, old.bytes) else {
            throw .corrupt("a stored row of \(kind.schema.name) is damaged", at: position)
        }
        return row
    }
}

extension ModelProjector {
    /// Folds a part of a log; `progress` receives the last position that is folded, now and then and at the end.
    ///
    /// - Throws: the error of reading the log or the models.
    package func fold(
        _ log: any EventLogReading, from first: Position, through last: Position,
        progress: (Position) -> Void = { _ in }
    ) throws(StorageError) {
        try log.fold(from: first, through: last, progress: progress) { (record) throws(StorageError) in
            try fold(record)
        }
        progress(last)
    }
}

extension EventLogReading {
    /// Folds a part of the log by `body`, which ends the fold by an error; `progress` receives a folded position now and
    /// then.
    ///
    /// - Throws: the error of reading the log, or that of `body`.
    package func fold(
        from first: Position, through last: Position, progress: (Position) -> Void = { _ in },
        _ body: (EventRecord) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard first <= last else { return }
        var failure: StorageError?
        try scan(from: first, through: last, order: .ascending) { record in
            do throws(StorageError) { try body(record) } catch { failure = error }
            if record.position.value.isMultiple(of: 16_384) { progress(record.position) }
            return failure == nil
        }
        if let failure { throw failure }
    }
}
