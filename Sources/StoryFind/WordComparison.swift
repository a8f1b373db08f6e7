import Glibc
package import StoryCore
package import StoryLog
import StoryWire
import StoryWords

/// A comparison of an index with the log, in steps between which it is searched and folded.
package struct WordComparison: Sendable {
    /// The most events with words that are read at a time, the most bytes of their tokens, and the tokens that are looked
    /// up at a time.
    private static let (mostEntries, mostBytes, tokensAtOnce) = (2_000, 1 << 20, 32)
    /// The pause for searches that wait, in microseconds.
    private static let pause: UInt32 = 2_000

    private let index: WordIndex

    package init(of index: WordIndex) { self.index = index }

    /// The tokens of the events between two positions: of each table the positions that have a token.
    private struct Batch {
        let first: Position
        var last: Position
        var entries = 0
        var bytes = 0
        var tables: [String: [[UInt8]: [Position]]] = [:]

        mutating func add(_ tokens: [UInt8], at position: Position, to table: String) {
            guard !tokens.isEmpty else { return }
            entries += 1
            bytes += tokens.count
            for token in tokens.split(separator: 0x20) {
                let token = Array(token)
                guard tables[table]?[token]?.last != position else { continue }
                tables[table, default: [:]][token, default: []].append(position)
            }
        }
    }

    /// Compares the index with the events of a view: each of their tokens has their positions, and no other. A token that
    /// no event has is found by the search that comes upon it.
    ///
    /// An index that differs is replaced by its next use.
    ///
    /// - Parameter end: the last position that is compared, at most that of the index.
    /// - Returns: the position through which they are alike.
    /// - Throws: `.corrupt` where the log is damaged; `.failed` where the index differs, was replaced meanwhile, or is closed.
    package func run(
        with view: LogView, through end: Position, mustEnd: () -> Bool
    ) throws(StorageError) -> Position {
        let (last, tools) = (min(end, index.position), WordTools())
        var alike = Position.zero
        while alike < last, !mustEnd() {
            let batch = try read(view, from: alike.next, through: last, tools)
            for (table, tokens) in batch.tables { try compare(Array(tokens), of: batch, in: table, mustEnd) }
            alike = batch.last
        }
        return alike
    }

    /// Reads events and makes their tokens again.
    private func read(
        _ view: LogView, from first: Position, through last: Position, _ tools: WordTools
    ) throws(StorageError) -> Batch {
        var batch = Batch(first: first, last: first)
        try view.scan(from: first, through: last) { (position, stored) throws(StorageError) in
            batch.last = position
            let record = try stored.event(at: position)
            if let stream = index.catalogue.kind(stream: record.streamName) {
                guard let words = index.rows.first(where: { $0.schema.kind == stream.kind }),
                    words.givesTexts(record, tools)
                else { return true }
                let name = words.schema.name
                let entry = try compared(through: position) { (database) throws(StorageError) in
                    guard let entry = try database.entry(at: position, name) else {
                        throw database.differs("it has no entry of the event \(position.value)")
                    }
                    return entry
                }
                batch.add(try words.tokens(entry, in: view, tools), at: position, to: "words_" + name)
            } else if index.catalogue.isOwn(record) {
                tools.tokens.clear()
                tools.texts.read(record) { tools.tokens.add($0) }
                batch.add(tools.tokens.bytes, at: position, to: "words")
            }
            return batch.entries < WordComparison.mostEntries && batch.bytes < WordComparison.mostBytes
        }
        return batch
    }

    /// Looks the tokens of a table up, some at a time.
    private func compare(
        _ tokens: [(key: [UInt8], value: [Position])], of batch: Batch, in table: String, _ mustEnd: () -> Bool
    ) throws(StorageError) {
        var rest = tokens[...]
        while !rest.isEmpty, !mustEnd() {
            let some = rest.prefix(WordComparison.tokensAtOnce)
            rest = rest.dropFirst(WordComparison.tokensAtOnce)
            try compared(through: batch.last) { (database) throws(StorageError) in
                for (token, positions) in some {
                    let found = try database.positions(of: token, in: batch.first...batch.last, of: table)
                    guard found == positions else {
                        let word = String(decoding: token, as: UTF8.self)
                        throw database.differs("its events with \(word) from \(batch.first.value) on are others")
                    }
                }
            }
            // A search would wait for all steps, since whoever waits for a lock does not get it first.
            if index.isWanted { usleep(WordComparison.pause) }
        }
    }

    /// Runs `body` with the database, which must have the events through a position.
    private func compared<Value>(
        through position: Position, _ body: (WordDatabase) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        try index.locked { (parts) throws(StorageError) in
            guard let database = parts.database, index.position >= position else {
                throw .failed("the index of words was replaced meanwhile")
            }
            return try body(database)
        }
    }
}

extension RowWords {
    /// Returns whether an event gives a row texts.
    func givesTexts(_ record: EventRecord, _ tools: WordTools) -> Bool {
        guard let change = tools.rows(schema).change(record) else { return false }
        return change.effect != .removes && !change.texts.isEmpty
    }

    /// Returns the tokens of an entry, made of the texts in the log.
    ///
    /// - Throws: `.corrupt` where the log is damaged.
    func tokens(
        _ entry: WordDatabase.Entry, in view: LogView, _ tools: WordTools
    ) throws(StorageError) -> [UInt8] {
        tools.tokens.clear()
        let reader = tools.rows(schema)
        for (field, position) in zip(reader.fields, entry.texts) {
            try RowWords.text(field, at: position, in: view, reader)?.withUnsafeBytes { tools.tokens.add($0) }
        }
        return tools.tokens.bytes
    }
}
