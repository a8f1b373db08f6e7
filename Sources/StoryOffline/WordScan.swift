import StoryCore
import StoryEngine
import StoryLog
import StoryStorage
import StoryWire
import StoryWords

/// Searches for words without an index: each event is read, and its words are compared.
struct WordScan {
    private let log: LMDBEventLog

    init(_ log: LMDBEventLog) { self.log = log }

    /// Returns the answer to a search of events.
    ///
    /// - Throws: the error of reading the log.
    func find(_ search: EventSearch, by engine: Engine) throws(StorageError) -> FoundEvents {
        var (positions, next) = ([Position](), Position?.none)
        var matcher = WordMatcher(search.question)
        let texts = EventTextReader()
        let range = search.positions ?? Position(1)...Position(1)
        try log.scan(from: range.lowerBound, through: range.upperBound, order: search.order) { record in
            guard record.erased == nil, Catalogue.standard.isOwn(record), search.selection.matches(record) else {
                return true
            }
            matcher.clear()
            texts.read(record) { matcher.add($0) }
            guard matcher.isMatch else { return true }
            guard positions.count < search.limit else {
                next = record.position
                return false
            }
            positions.append(record.position)
            return true
        }
        return engine.found(positions, next: next, of: search)
    }

    /// Returns the answer to a search of rows, which has all of them in one page: those with the newest words first, also
    /// where the best were asked for.
    ///
    /// - Throws: the error of reading the log.
    func find(_ search: RowSearch, by engine: Engine) throws(StorageError) -> FoundRows {
        let schema = engine.catalogue[search.query.kind]
        let reader = RowTextReader(schema)
        var rows: [[UInt8]: (position: Position, texts: [Int: [UInt8]])] = [:]
        try log.scan(from: Position(1), through: search.at, order: .ascending) { record in
            guard let stream = engine.catalogue.kind(stream: record.streamName), stream.kind == schema.kind,
                let change = reader.change(record)
            else { return true }
            let id = [UInt8](record.streamName.dropFirst(stream.idStart))
            if change.effect == .removes {
                rows[id] = nil
            } else if !change.texts.isEmpty, (change.effect == .creates) == (rows[id] == nil) {
                let texts = rows[id]?.texts ?? [:]
                rows[id] = (record.position, texts.merging(change.texts) { _, new in new })
            }
            return true
        }
        var matcher = WordMatcher(search.query.question)
        let found = rows.filter { _, row in
            guard search.query.after.map({ row.position < $0 }) ?? true else { return false }
            matcher.clear()
            for text in row.texts.values { text.withUnsafeBytes { matcher.add($0) } }
            return matcher.isMatch
        }
        let newest = found.compactMap { id, row in Identifier(id).map { FoundRow(row.position, $0) } }
            .sorted { $0.position > $1.position }
        return engine.found(newest, next: nil, of: search)
    }
}
