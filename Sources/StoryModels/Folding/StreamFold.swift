package import StoryCore
import StoryStorage

/// Folds a log stream by stream instead of event by event, by the same fold and projection as `ModelProjector`.
///
/// A row depends on the events of its own stream alone, and the entries of indexes and the tallies on the rows. So a
/// stream's row is folded to its end first, and only the last one is projected; the order of streams does not matter.
/// Entries of sets are put and removed as they come.
///
/// What stands between streams is folded apart: the positions of categories (`CategoryFold`), request keys (`KeyIndex`),
/// and what is unique: of two rows with one text, which no decider lets in, the later one has it in the order of the
/// log. A sink has to notice that.
package final class StreamFold {
    private let plan: CataloguePlan
    private let sink: any EntryWriting
    private let json: any JSONReading
    @exclusivity(unchecked) private var fold = RowFold()
    @exclusivity(unchecked) private var projection = RowProjection()
    @exclusivity(unchecked) private var key = KeyBuffer()
    @exclusivity(unchecked) private var value = KeyBuffer()
    @exclusivity(unchecked) private var positions = KeyBuffer()
    /// The kind of the stream, and where in its name the ID begins; nil for the users' own.
    @exclusivity(unchecked) private var kind: (plan: KindPlan, idStart: Int)?
    @exclusivity(unchecked) private var head: StreamHead?
    /// The stream's row so far, which lies in the memory of `fold`.
    @exclusivity(unchecked) private var row: RowView?

    package init(_ plan: CataloguePlan, sink: any EntryWriting, json: any JSONReading) {
        self.plan = plan
        self.sink = sink
        self.json = json
    }

    /// Folds the next event of the stream.
    ///
    /// - Throws: what the sink failed with.
    package func fold(_ record: EventRecord, readable: Int? = nil) throws(StorageError) {
        if head == nil { begin(record) }
        positions.add48(record.position.value)
        head = StreamHead(number: record.streamNumber, version: record.version, position: record.position)
        if record.version.value % StreamIndex.chunk == 0 { try putPositions() }
        guard let (kind, idStart) = kind else { return }
        let event = FoldedEvent(record, idStart: idStart)
        guard event.id.count <= Identifier.length.upperBound else { return }
        let outcome = record.withData(json, readable) { self.fold.fold(kind, event, $0, into: self.row, self.keep) }
        if case .failure(let error)? = outcome { throw error }
    }

    /// The stream has no more events.
    ///
    /// - Parameter name: the stream's name.
    /// - Throws: what the sink failed with.
    package func end(_ name: UnsafeRawBufferPointer) throws(StorageError) {
        defer { clear() }
        guard let head else { return }
        if positions.count > 0, head.version > Version(1) { try putPositions() }
        try StreamIndex.put(head, name, to: sink, &value)
        guard let row, let kind else { return }
        let change = RowChange(
            kind: kind.plan, number: row.number, id: row.id, before: nil, after: row, fields: .max)
        try projection.apply(change, to: sink)
    }

    private func begin(_ record: EventRecord) {
        kind = plan.catalogue.kind(stream: record.streamName).map { (plan.kinds[Int($0.kind.number)], $0.idStart) }
    }

    private func clear() {
        head = nil
        row = nil
        positions.clear()
    }

    private func keep(_ change: RowChange?, _ membership: MembershipEntry?) throws(StorageError) {
        if let membership { try projection.apply(membership, to: sink) }
        if let change { row = change.after }
    }

    private func putPositions() throws(StorageError) {
        guard let head else { return }
        key.set(head.number.value, (max(head.version.value, 1) - 1) / StreamIndex.chunk)
        try sink.put(positions.bytes, in: StreamTables.streamPositions.number, at: key.bytes)
        positions.clear()
    }
}

/// Folds the events of a log in order into the positions of their categories, when the streams are folded apart.
package final class CategoryFold {
    private let sink: any EntryWriting
    private var key = KeyBuffer(capacity: 12)
    /// The newest entry of each category, by its number.
    @exclusivity(unchecked) private var entries: [[UInt64]]

    /// - Parameter categories: how many there are, numbered from 1 on.
    package init(_ sink: any EntryWriting, categories: Int) {
        self.sink = sink
        entries = Array(repeating: [], count: categories + 1)
    }

    /// The event at a position is of this category.
    ///
    /// - Throws: what the sink failed with.
    package func fold(_ position: UInt64, category: Int) throws(StorageError) {
        entries[category].append(position)
        if entries[category].count == Int(StreamIndex.chunk) { try put(category) }
    }

    /// There are no more events. Writes the categories' names and numbers, and how many streams there are.
    ///
    /// - Parameter names: the categories' names in the order of their numbers.
    /// - Throws: what the sink failed with.
    package func end(names: [[UInt8]], streams: UInt64) throws(StorageError) {
        for category in entries.indices where !entries[category].isEmpty { try put(category) }
        for (index, name) in names.enumerated() { try put(UInt64(index + 1), named: name) }
        if !names.isEmpty { try put(UInt64(names.count), named: StreamIndex.categoryCountKey) }
        if streams > 0 { try put(streams, named: StreamIndex.streamCountKey) }
    }

    private func put(_ number: UInt64, named name: [UInt8]) throws(StorageError) {
        guard KeyBuffer.keyLength.contains(name.count) else { return }
        key.set(number)
        try name.withBytes { (name) throws(StorageError) in
            try sink.put(key.bytes, in: StreamTables.categories.number, at: name)
        }
    }

    private func put(_ category: Int) throws(StorageError) {
        key.set(UInt64(category), entries[category][0])
        var value = KeyBuffer(capacity: Int(StreamIndex.chunk) * 6)
        for position in entries[category] { value.add48(position) }
        try sink.put(value.bytes, in: StreamTables.categoryPositions.number, at: key.bytes)
        entries[category].removeAll(keepingCapacity: true)
    }
}
