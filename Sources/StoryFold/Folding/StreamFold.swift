package import StoryCore

/// The fold of a log stream by stream instead of event by event, by the same fold and projection as `ModelProjector`.
///
/// A row depends on the events of its own stream alone, and the index entries and tallies depend on the rows alone. So
/// a stream is folded to its end first, and only its last row is projected; the order of streams does not matter.
/// Entries of sets are put and removed as they come, and so are those of tags, which depend on their event alone.
///
/// State that spans streams is folded separately: the positions of categories (`CategoryFold`), request keys
/// (`KeyIndex`), types (`TypeIndex`) and unique texts. No decider lets two rows have the same unique text; where they do, the later one in
/// the log has it, so a sink has to detect that.
package final class StreamFold {
    private let plan: CataloguePlan
    private let sink: any TableWriting
    private let json: any JSONReading
    private var fold = RowFold()
    private var tags: TagIndex.Fold
    private var projection = RowProjection()
    private var key = KeyBuffer()
    private var value = KeyBuffer()
    private var positions = KeyBuffer()
    /// The kind of the stream and the offset of the ID in its name; nil for the users' own streams.
    private var kind: (plan: KindPlan, idStart: Int)?
    private var head: StreamHead?
    /// The declared model whose stream it is; nil for other streams.
    private var model: DeclaredModel?
    /// The stream's row so far, in the memory of `fold`.
    private var row: RowView?

    /// Creates a fold that writes to a sink.
    package init(_ plan: CataloguePlan, sink: any TableWriting, json: any JSONReading) {
        self.plan = plan
        self.sink = sink
        self.json = json
        tags = TagIndex.Fold(sink)
    }

    /// Folds the next event of the stream.
    ///
    /// - Throws: any error of the sink.
    package func fold(_ record: EventRecord) throws(StorageError) {
        if head == nil { begin(record) }
        positions.add48(record.position.value)
        try tags.fold(record)
        head = StreamHead(number: record.streamNumber, version: record.version, position: record.position)
        if record.version.value % PositionLists.chunkSize == 0 { try putPositions() }
        guard let (kind, idStart) = kind else {
            _ = model?.fold(record, json)
            return
        }
        let event = FoldedEvent(record, idStart: idStart)
        guard event.id.count <= Identifier.length.upperBound else { return }
        try record.withData(json) { (members) throws(StorageError) in
            guard case .fitting(let change, let membership) = fold.fold(kind, event, members, into: row) else { return }
            if let membership { try projection.apply(membership, to: sink) }
            if let change { row = change.after }
        }
    }

    /// Ends the stream: writes its head and projects its row.
    ///
    /// - Parameter name: the stream's name.
    /// - Throws: any error of the sink.
    package func end(_ name: UnsafeRawBufferPointer) throws(StorageError) {
        defer { clear() }
        guard let head else { return }
        if positions.count > 0, head.version > Version(1) { try putPositions() }
        try StreamIndex.put(head, name, to: sink, &value)
        try putDefinition(name)
        guard let row, let kind else { return }
        let change = RowChange(
            kind: kind.plan, number: row.number, key: row.key, position: row.position, before: nil, after: row,
            fields: .max)
        try projection.apply(change, to: sink)
    }

    private func begin(_ record: EventRecord) {
        kind = plan.catalogue.kind(stream: record.streamName).map { (plan[$0.kind], $0.idStart) }
        if kind == nil, DefinitionTable.name(ofStream: record.streamName) != nil { model = DeclaredModel() }
    }

    /// Writes the model whose stream has ended, where an event changed it.
    private func putDefinition(_ stream: UnsafeRawBufferPointer) throws(StorageError) {
        guard let model, model != DeclaredModel(), let name = DefinitionTable.name(ofStream: stream) else { return }
        model.write(to: &value)
        try sink.put(value.bytes, in: StreamTables.definitions.number, at: name)
    }

    private func clear() {
        head = nil
        model = nil
        row = nil
        positions.clear()
    }

    private func putPositions() throws(StorageError) {
        guard let head else { return }
        key.set(head.number.value, (max(head.version.value, 1) - 1) / PositionLists.chunkSize)
        try sink.put(positions.bytes, in: StreamTables.streamPositions.number, at: key.bytes)
        positions.clear()
    }
}

/// The fold of a log's events, in order, into the positions of their categories; it complements `StreamFold`.
package final class CategoryFold {
    private let sink: any TableWriting
    private var key = KeyBuffer(capacity: 12)
    /// The newest chunk of each category while it is not full, by the category's number.
    private var entries: [[UInt64]]

    /// Creates a fold that writes to a sink.
    ///
    /// - Parameter categories: the number of categories, which are numbered from 1 on.
    package init(_ sink: any TableWriting, categories: Int) {
        self.sink = sink
        entries = Array(repeating: [], count: categories + 1)
    }

    /// Appends a position to those of a category.
    ///
    /// - Throws: any error of the sink.
    package func fold(_ position: UInt64, category: Int) throws(StorageError) {
        entries[category].append(position)
        if entries[category].count == Int(PositionLists.chunkSize) { try put(category) }
    }

    /// Ends the fold: writes the last chunks, the categories' names and numbers, and the number of streams.
    ///
    /// - Parameter names: the categories' names in the order of their numbers.
    /// - Throws: any error of the sink.
    package func end(names: [[UInt8]], streams: UInt64) throws(StorageError) {
        for (index, name) in names.enumerated() {
            key.set(UInt64(index + 1), entries[index + 1].first ?? 0)
            try put(named: name)
        }
        for category in entries.indices where !entries[category].isEmpty { try put(category) }
        key.set(UInt64(names.count))
        if !names.isEmpty { try put(named: StreamIndex.categoryCountKey) }
        key.set(streams)
        if streams > 0 { try put(named: StreamIndex.streamCountKey) }
    }

    private func put(named name: [UInt8]) throws(StorageError) {
        guard KeyBuffer.keyLength.contains(name.count) else { return }
        try sink.put(key.bytes, in: StreamTables.categories.number, at: name)
    }

    private func put(_ category: Int) throws(StorageError) {
        key.set(UInt64(category), entries[category][0])
        var value = KeyBuffer(capacity: Int(PositionLists.chunkSize) * 6)
        for position in entries[category] { value.add48(position) }
        try sink.put(value.bytes, in: StreamTables.categoryPositions.number, at: key.bytes)
        entries[category].removeAll(keepingCapacity: true)
    }
}

/// The state before an event, which the fold takes as its decision has found it. A fold from the log looks it up.
package struct PriorState: Equatable, Sendable {
    /// The head of the event's stream; nil for the first event of a stream.
    package let head: StreamHead?
    /// The events that its request key has made; nil where there are none yet. It is not read without a key.
    package let entry: KeyIndex.KeyedEvents?

    /// Creates a state of its parts.
    package init(head: StreamHead?, entry: KeyIndex.KeyedEvents?) {
        self.head = head
        self.entry = entry
    }

    /// Creates the state before an event of a new write, whose key has made only the events of this write.
    ///
    /// - Parameters:
    ///   - first: the position of the first event of the write.
    ///   - made: the number of events that the write has made so far.
    package init(head: StreamHead?, first: Position, made: Int) {
        self.init(head: head, entry: made > 0 ? KeyIndex.KeyedEvents(first: first, count: UInt64(made)) : nil)
    }
}
