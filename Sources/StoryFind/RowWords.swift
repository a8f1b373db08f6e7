import StoryCore
import StoryLog
import StoryStorage
import StoryWire
import StoryWords

/// The words of a kind's rows: each event that gives a row other texts is an entry, and ends the entry before.
///
/// Nothing is removed, so a row is found at each position as it was.
struct RowWords {
    let schema: KindSchema

    /// Folds an event of the kind's category; in a transaction.
    ///
    /// - Parameter id: the ID in the name of its stream.
    /// - Returns: the number of bytes of its tokens; 0 where it gives no texts.
    /// - Throws: `.corrupt` where the log is damaged; otherwise when the system refuses.
    func fold(
        _ record: EventRecord, of id: [UInt8], in view: LogView, into database: WordDatabase, _ tools: WordTools
    ) throws(StorageError) -> Int {
        let reader = tools.rows(schema)
        guard let change = reader.change(record) else { return 0 }
        let before = try database.entry(of: id, schema.name)
        guard change.effect != .removes else {
            if let before { try database.end(before, at: record.position, schema.name) }
            return 0
        }
        // The first event of a stream makes the row; later ones change one that is there.
        guard !change.texts.isEmpty, (change.effect == .creates) == (before == nil) else { return 0 }
        tools.tokens.clear()
        var texts: [Position] = []
        for (index, field) in reader.fields.enumerated() {
            if let text = change.texts[field] {
                texts.append(record.position)
                text.withUnsafeBytes { tools.tokens.add($0) }
            } else if let position = before?.texts[index] {
                texts.append(position)
                try RowWords.text(field, at: position, in: view, reader)?.withUnsafeBytes { tools.tokens.add($0) }
            } else {
                texts.append(.zero)
            }
        }
        if let before { try database.end(before, at: record.position, schema.name) }
        let entry = WordDatabase.Entry(position: record.position, texts: texts)
        try database.add(entry, of: id, tools.tokens.bytes, to: schema.name)
        return tools.tokens.bytes.count
    }

    /// Returns whether the texts of an entry answer a question; nil where one of them was erased.
    ///
    /// - Throws: `.corrupt` where the log is damaged.
    func isMatch(
        _ entry: WordDatabase.Entry, by matcher: inout WordMatcher, in view: LogView, _ tools: WordTools
    ) throws(StorageError) -> Bool? {
        let reader = tools.rows(schema)
        matcher.clear()
        for (field, position) in zip(reader.fields, entry.texts) where position > .zero {
            guard let text = try RowWords.text(field, at: position, in: view, reader) else { return nil }
            text.withUnsafeBytes { matcher.add($0) }
        }
        return matcher.isMatch
    }

    /// Returns the text that an event gave a field; nil where it was erased, or none.
    static func text(
        _ field: Int, at position: Position, in view: LogView, _ reader: RowTextReader
    ) throws(StorageError) -> [UInt8]? {
        guard position > .zero else { return nil }
        return try view.event(at: position.value) { (record) throws(StorageError) in
            reader.change(record)?.texts[field]
        }
    }
}

/// The readers of one thread, and the tokens of the event that it folds.
final class WordTools {
    let texts = EventTextReader()
    var tokens = WordTokens()
    private var ofKinds: [Int: RowTextReader] = [:]

    /// Returns the reader of a kind's events.
    func rows(_ schema: KindSchema) -> RowTextReader {
        if let known = ofKinds[schema.number] { return known }
        let reader = RowTextReader(schema)
        ofKinds[schema.number] = reader
        return reader
    }
}
