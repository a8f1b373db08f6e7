package import StoryCore
import StoryFold

/// The read models and the log as use cases see them.
final class World {
    private(set) var plan: CataloguePlan
    let store: any TableStore
    let log: any EventLogReading
    /// The rows of the built-in kinds.
    let rows: RowLookup
    /// The same rows, for decisions: a write rests on what they have, and on what they lack.
    let provenRows: RowLookup
    /// The declared models and their rows, by the number of their kind.
    private var declared: [(kind: DeclaredKind, rows: RowLookup)?] = []
    /// The declared models as the log has them.
    let definitions: DefinitionTable
    /// The cursors of workers.
    let cursors: CursorTable
    let streams: StreamIndex
    let keys: KeyIndex
    let types: TypeIndex
    /// The same indexes, for the preconditions of writes, which rest on what they lack.
    let provenStreams: StreamIndex
    let provenTypes: TypeIndex
    /// The plan's catalogue, held directly to avoid a retain and release on each request.
    private(set) var catalogue: Catalogue
    /// The end of the log as far as it is folded, durable or not.
    private(set) var end: LogHead
    /// The changes of the catalogue that may not be durable yet.
    var changes = DefinitionChanges()
    /// The last positions of tags; nil until a precondition asks for one.
    var recency: TagRecency?
    /// The declared models that are served and built; nil where there are none.
    let states: (any DeclaredModelStates)?
    /// The work of looks at the preconditions of writes that nobody was charged for.
    var looked = Work.zero
    /// The erasures that are under way; nil where none can be.
    let erasures: (any ErasureStates)?
    let json: any JSONReading

    /// - Parameters:
    ///   - json: the reader of the data of events that are folded for an answer.
    ///   - states: the declared models that are served and built; nil where there are none.
    ///   - erasures: the erasures that are under way; nil where none can be.
    init(
        _ plan: CataloguePlan, store: any TableStore, json: any JSONReading, log: any EventLogReading,
        states: (any DeclaredModelStates)? = nil, erasures: (any ErasureStates)? = nil
    ) {
        self.plan = plan
        self.store = store
        self.log = log
        self.json = json
        self.states = states
        self.erasures = erasures
        catalogue = plan.catalogue
        rows = RowLookup(store)
        provenRows = RowLookup(store, isProven: true)
        streams = StreamIndex(store)
        keys = KeyIndex(store)
        types = TypeIndex(store)
        let tables = ProvenTables(store)
        provenStreams = StreamIndex(tables)
        provenTypes = TypeIndex(tables)
        definitions = DefinitionTable(store, json: json)
        cursors = CursorTable(store, json: json)
        end = LogHead(position: log.head, time: log.lastTime, lastStream: StreamNumber(0))
    }

    /// The last event that was folded, durable or not.
    var head: Position { end.position }

    /// Reads the end of the log, which the models are folded up to.
    ///
    /// - Throws: the error of reading the models.
    func readEnd() throws(StorageError) { logRolledBack(lastStream: try streams.lastNumber()) }

    /// Notes that the log ends at its head again, where the number of the last stream is not read from the models.
    func logRolledBack() { logRolledBack(lastStream: end.lastStream) }

    private func logRolledBack(lastStream: StreamNumber) {
        end = LogHead(position: log.head, time: log.lastTime, lastStream: lastStream)
        recency = nil
    }

    /// Notes that the event after the head was folded into the models.
    ///
    /// - Parameter tags: its tags; nil where it has none, or their recency is not kept.
    func folded(_ event: EventMetadata, _ tags: RecordTags?) {
        end.folded(event)
        if let tags { recency?.note(tags, at: event.position) }
    }

    /// Reads by another catalogue from now on.
    ///
    /// - Parameter kinds: the kinds that are declared models.
    func catalogueReplaced(by plan: CataloguePlan, declared kinds: [Kind: DeclaredKind]) {
        self.plan = plan
        catalogue = plan.catalogue
        declared = Array(repeating: nil, count: kinds.isEmpty ? 0 : catalogue.numberEnd)
        for (kind, model) in kinds { declared[Int(kind.number)] = (model, RowLookup(model.store)) }
    }

    /// Returns false for a kind whose rows are in a store of its own.
    func areRowsStoredTogether(_ kind: Kind) -> Bool {
        Int(kind.number) >= declared.count || declared[Int(kind.number)] == nil
    }

    /// Returns the rows of a kind, from the store that has them.
    func rows(of schema: KindSchema) -> RowLookup {
        guard schema.number < declared.count else { return rows }
        return declared[schema.number]?.rows ?? rows
    }

    /// Returns the schema of a kind of the present catalogue.
    func schema(_ kind: Kind) -> KindSchema { catalogue[kind] }

    /// Returns false for the schema of a kind that was removed.
    func serves(_ schema: KindSchema) -> Bool { catalogue.schema(of: schema.kind) === schema }

    /// Returns whether there is a row with an ID, for a write that rests on it.
    ///
    /// - Throws: the error of the read.
    func has(_ kind: Kind, _ id: Identifier) throws(StorageError) -> Bool {
        guard let schema = catalogue.schema(of: kind) else { return false }
        return try (areRowsStoredTogether(kind) ? provenRows : rows(of: schema)).has(schema, id)
    }

    /// Returns a fold of a stream's events up to a position into the row with a key.
    func history(of head: StreamHead, _ schema: KindSchema, _ key: RowKey, through last: Position) -> HistoryFold {
        let row: any PastRowFold
        if schema.number < declared.count, let model = declared[schema.number]?.kind {
            row = ProgramHistory(schema, key: key, by: model.definition, events: model.events, reader: model.reader)
        } else {
            row = RowHistory(plan, kind: schema.kind, json: json)
        }
        return HistoryFold(head: head, last: last, past: row, streams: streams, log: log)
    }

    /// Calls `body` with a row of a declared model with `history` as it was at a position.
    ///
    /// - Returns: false where there was none.
    /// - Throws: `.corrupt` if the row is damaged; otherwise the error of the read.
    func past(
        _ schema: KindSchema, _ key: RowKey, at position: Position, _ body: (RowView) -> Void
    ) throws(StorageError) -> Bool {
        try RowHistoryTable(rows(of: schema).store).row(schema, key, at: position, body)
    }

    /// Returns the head of a stream, to append behind it.
    ///
    /// A wrong head from the stored models would stay in the log for ever, so it is checked against the log first; that
    /// there is none is proven by the checksums of the pages that were searched.
    ///
    /// - Throws: `.corrupt` if the log disagrees, or a page is damaged; otherwise the error of the read.
    func headToExtend(_ stream: StreamName) throws(StorageError) -> StreamHead? {
        var found = try streams.head(of: stream)
        if found == nil { found = try streams.head(of: stream, isProven: true) }
        guard let head = found else { return nil }
        guard head.position <= store.checkpointed else { return head }
        var isWritten = false
        do throws(StorageError) {
            try log.records(at: [head.position]) { record in
                isWritten =
                    record.version == head.version && record.streamNumber == head.number
                    && stream.spelling.withUnsafeBytes { record.streamName.equals($0) }
                return false
            }
        } catch {
            // If the event itself is damaged, only the models have the head.
            guard case .corrupt = error else { throw error }
            isWritten = try streams.head(of: stream, isProven: true) == head
        }
        guard isWritten else { throw try contradiction(of: stream, at: head.position) }
        return head
    }

    /// Returns the error for stored models that say of a stream what the log does not; they are folded again.
    ///
    /// - Throws: the damage of their pages, where that is why.
    private func contradiction(of stream: StreamName, at position: Position) throws(StorageError) -> StorageError {
        _ = try streams.head(of: stream, isProven: true)
        let damage = StorageError.corrupt("the read models say of \(stream) what the log does not", at: position)
        store.suspect(damage)
        return damage
    }

    /// Returns the position that a moment names, in a log that ends at `head`.
    ///
    /// - Throws: `.invalid` with the field `at` for a position after the head; the error of reading the log.
    func position(of moment: Moment, endingAt head: Position) throws(Failure) -> Position {
        switch moment {
        case .position(let position):
            guard position <= head else {
                throw Failure.invalid("at", .outOfRange, "the log ends at \(head.value); at= cannot be later")
            }
            return position
        case .time(let time): return try lastPosition(notAfter: time)
        }
    }

    /// Returns the position of the first event at a time or after it; one past the log's end if there is none.
    ///
    /// - Throws: the error of reading the log.
    func firstPosition(notBefore time: Instant) throws(Failure) -> Position {
        guard time.milliseconds > Instant.range.lowerBound else { return Position(1) }
        return try lastPosition(notAfter: Instant(milliseconds: time.milliseconds - 1)).next
    }

    /// Returns the position of the last event at a time or before it; zero if there is none.
    ///
    /// - Throws: the error of reading the log.
    func lastPosition(notAfter time: Instant) throws(Failure) -> Position {
        try Failure.reading(try log.position(at: time))
    }
}

/// The directory of the rows in the models.
final class ModelDirectory: Directory {
    private let world: World
    /// The first read error, after which the results are not to be trusted; nil if all reads succeeded.
    private(set) var failure: StorageError?

    init(_ world: World) { self.world = world }

    func has(_ kind: Kind, _ id: Identifier) -> Bool {
        do throws(StorageError) {
            return try world.has(kind, id)
        } catch {
            failure = failure ?? error
            return false
        }
    }

    func category(of kind: Kind) -> String { world.catalogue.schema(of: kind)?.category ?? "content" }
}

extension EventRecord {
    /// A copy of the stream's name, which outlives the record.
    var keptStream: StreamName {
        StreamName(trusted: ByteView(copying: streamName), categoryCount: streamName.firstIndex(of: 0x2D) ?? 0)
    }
}

extension Failure {
    /// Returns the result of a read.
    ///
    /// - Throws: the failure for the client if the read failed.
    static func reading<Result>(_ body: @autoclosure () throws(StorageError) -> Result) throws(Failure) -> Result {
        do throws(StorageError) { return try body() } catch { throw Failure.storage(error) }
    }

    /// The refusal of every request once the program was asked to end.
    package static let draining = Failure(.draining, "the server is ending; connect again in a moment")

    static func invalid(_ field: String, _ rule: FieldRule, _ message: String) -> Failure {
        invalid([FieldError(field: field, rule: rule, message: message)])
    }

    /// Returns the failure of some fields, at least one.
    static func invalid(_ fields: [FieldError]) -> Failure {
        let names = fields.map(\.field).joined(separator: ", ")
        return Failure(
            .invalid, fields.count == 1 ? "1 field is wrong: \(names)" : "\(fields.count) fields are wrong: \(names)",
            .fields(fields))
    }
}

/// The end of the log as far as it is folded: the position and the time of the last event, and the last stream number.
///
/// The next event is numbered after it. It follows the fold: `folded` alone moves it, for events that were decided here
/// and for those that came from elsewhere.
package struct LogHead: Equatable, Sendable {
    /// The position of the last event; zero when there is none.
    package private(set) var position: Position
    /// The time of the last event; the earliest one when there is none.
    package private(set) var time: Instant
    /// The greatest stream number in use; zero when there is none.
    package private(set) var lastStream: StreamNumber

    /// Creates the head of a log that is folded.
    init(position: Position, time: Instant?, lastStream: StreamNumber) {
        self.position = position
        self.time = time ?? Instant(milliseconds: Instant.range.lowerBound)
        self.lastStream = lastStream
    }

    /// The number of the next stream.
    var nextStream: StreamNumber { StreamNumber(lastStream.value + 1) }

    /// Notes that the event after the head was folded.
    mutating func folded(_ event: EventMetadata) {
        precondition(
            event.position == position.next, "position \(event.position.value) is folded after \(position.value)")
        position = event.position
        time = max(time, event.time)
        lastStream = max(lastStream, event.streamNumber)
    }
}
