package import StoryCore
package import StoryLog
import StoryStorage
import StoryWire
import StoryWords
import Synchronization

/// An index of the words in users' own events: a fold of the log with a file of its own, which threads beside the loop
/// keep and search.
///
/// It is append-only, as the log is: an event is one entry, at its position. Its position is in each of its transactions,
/// and never beyond the stored end of the log.
package final class WordIndex: Sendable {
    /// The most events with words in one transaction, the most events that are looked at for one, and the most bytes of
    /// tokens.
    private static let (mostEntries, mostLooks, mostBytes) = (2_000, 50_000, 1 << 20)
    /// The version of the index: its tables, and the words of texts.
    private static var version: String { "3 \(WordReader.version)" }

    /// The parts that one thread at a time uses.
    struct Parts: @unchecked Sendable {
        var database: WordDatabase?
        var tools: WordTools?
        var isClosed = false
        /// The reason why the files have to be replaced.
        var damage: String?

        /// Returns the tools, which the first use makes.
        mutating func madeTools() -> WordTools {
            let made = tools ?? WordTools()
            tools = made
            return made
        }
    }

    private let home: WordFiles
    /// The kinds whose events are not users' own.
    let catalogue: Catalogue
    /// The kinds whose rows are searched.
    let rows: [RowWords]
    private let parts = Mutex(Parts())
    /// The reason why the files were replaced, until somebody takes it; apart from the parts, which a search holds for
    /// long, since the loop asks.
    private let renewal = Mutex<String?>(nil)
    private let reached = Atomic<UInt64>(0)
    private let storedBytes = Atomic<Int>(0)
    /// The number of searches that wait for the index.
    let searches = Atomic<Int>(0)

    /// Creates an index that is opened by the first thread that uses it.
    ///
    /// - Parameter catalogue: the built-in kinds, whose events are not users' own.
    package init(_ home: WordFiles, besides catalogue: Catalogue) {
        (self.home, self.catalogue) = (home, catalogue)
        rows = catalogue.kinds.filter { !$0.searchedFields.isEmpty }.map { RowWords(schema: $0) }
    }

    /// The position that the index is folded up to, as far as it is known.
    package var position: Position { Position(reached.load(ordering: .relaxed)) }
    /// The size of its files, in bytes, as of the last transaction.
    package var bytes: Int { storedBytes.load(ordering: .relaxed) }

    /// Takes the reason why the index was replaced since the last call; nil where it was not.
    package func takeRenewal() -> String? {
        renewal.withLock { renewal in
            defer { renewal = nil }
            return renewal
        }
    }

    // MARK: Folding

    /// Folds events, a transaction at a time, until the index is at a position or `mustPause` returns true.
    ///
    /// - Parameters:
    ///   - view: a view of the log, which has the events through that position.
    ///   - mustPause: returns true where the fold has to end early.
    /// - Throws: `.corrupt` where the log is damaged, `.full` where the disk is full, `.failed` where the index is damaged,
    ///   which is then replaced, and once it is closed.
    package func fold(
        _ view: LogView, through last: Position, mustPause: () -> Bool
    ) throws(StorageError) {
        while position < last || position == .zero {
            let isDone = try locked { (parts) throws(StorageError) in
                try step(view, through: last, &parts)
            }
            if isDone || mustPause() { return }
        }
    }

    /// True while a search waits for the index, so that a fold that nobody waits for has to pause.
    package var isWanted: Bool { searches.load(ordering: .relaxed) > 0 }

    /// Folds the events of one transaction; returns true once the index is at a position.
    private func step(
        _ view: LogView, through last: Position, _ parts: inout Parts
    ) throws(StorageError) -> Bool {
        let database = try opened(&parts, head: last)
        let first = position.next
        guard first <= last else { return true }
        let tools = parts.madeTools()
        var (end, entries, bytes) = (position, 0, 0)
        try database.transaction { () throws(StorageError) in
            try view.scan(from: first, through: last) { (position, stored) throws(StorageError) in
                end = position
                let record = try stored.event(at: position)
                let added = try fold(record, in: view, into: database, tools)
                entries += added > 0 ? 1 : 0
                bytes += added
                return entries < WordIndex.mostEntries && bytes < WordIndex.mostBytes
                    && position.value - first.value < UInt64(WordIndex.mostLooks)
            }
            try database.moved(to: end)
        }
        reached.store(end.value, ordering: .relaxed)
        storedBytes.store(home.bytes, ordering: .relaxed)
        return end == last
    }

    /// Folds one event; returns the number of bytes of its tokens.
    private func fold(
        _ record: EventRecord, in view: LogView, into database: WordDatabase, _ tools: WordTools
    ) throws(StorageError) -> Int {
        if let stream = catalogue.kind(stream: record.streamName) {
            guard let rows = rows.first(where: { $0.schema.kind == stream.kind }) else { return 0 }
            let id = Array(record.streamName.dropFirst(stream.idStart))
            return try rows.fold(record, of: id, in: view, into: database, tools)
        }
        guard catalogue.isOwn(record) else { return 0 }
        tools.tokens.clear()
        tools.texts.read(record) { tools.tokens.add($0) }
        guard !tools.tokens.bytes.isEmpty else { return 0 }
        try database.add(tools.tokens.bytes, at: record.position)
        return tools.tokens.bytes.count
    }

    // MARK: Files

    /// Closes the index; whoever uses it after that fails.
    package func close() {
        parts.withLock { parts in
            parts.database = nil
            parts.isClosed = true
        }
    }

    /// Closes the index, fills its files with zeros and removes them.
    ///
    /// - Throws: when the system refuses; called again, it goes on.
    package func erase() throws(StorageError) {
        close()
        try home.zero()
        try home.remove()
    }

    /// Removes the files, so that the index begins again.
    private func renew(_ reason: String, _ parts: inout Parts) throws(StorageError) {
        parts.database = nil
        parts.damage = reason
        renewal.withLock { $0 = reason }
        reached.store(0, ordering: .relaxed)
        try home.remove()
        parts.damage = nil
    }

    func locked<Value>(
        _ body: (inout Parts) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        let result: Result<Value, StorageError> = parts.withLock { parts in
            do throws(StorageError) {
                return .success(try body(&parts))
            } catch {
                let damage = parts.database?.damage
                // After a failure the next use reads the file again, and replaces a damaged one.
                parts.database = nil
                guard let damage else { return .failure(error) }
                parts.damage = damage
                reached.store(0, ordering: .relaxed)
                return .failure(.failed("the index of words is damaged: \(damage)"))
            }
        }
        return try result.get()
    }

    /// Returns the database, which is opened, or replaced where it cannot be used.
    func opened(_ parts: inout Parts, head: Position) throws(StorageError) -> WordDatabase {
        if parts.isClosed { throw .failed("the index of words is closed") }
        if let database = parts.database { return database }
        if let damage = parts.damage { try renew(damage, &parts) }
        do throws(StorageError) {
            if let reason = try open(&parts, head: head) {
                try renew(reason, &parts)
                _ = try open(&parts, head: head)
            }
        } catch {
            guard case .corrupt(let reason, _) = error else { throw error }
            try renew(reason, &parts)
            _ = try open(&parts, head: head)
        }
        guard let database = parts.database else { throw .failed("the index of words cannot be made") }
        return database
    }

    /// Opens the file, or makes it; returns the reason where it is of another log, another version or other events.
    private func open(_ parts: inout Parts, head: Position) throws(StorageError) -> String? {
        let database = try WordDatabase(try home.made())
        guard let found = try database.identity() else {
            try database.create(
                WordDatabase.Identity(log: home.log, version: WordIndex.version, position: .zero),
                rows.map(\.schema.name))
            return use(database, at: .zero, &parts)
        }
        guard found.log == home.log else { return "it is of another log" }
        guard found.version == WordIndex.version else { return "it has words of \(found.version)" }
        guard found.position <= head else {
            return "it is at position \(found.position.value), and the log ends at \(head.value)"
        }
        return use(database, at: found.position, &parts)
    }

    private func use(_ database: WordDatabase, at position: Position, _ parts: inout Parts) -> String? {
        parts.database = database
        reached.store(position.value, ordering: .relaxed)
        storedBytes.store(home.bytes, ordering: .relaxed)
        return nil
    }
}
