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
    /// The most events that a search tries its filters on.
    private static let mostTried = 50_000
    /// The version of the index: its tables, and the words of texts.
    private static var version: String { "1 \(WordReader.version)" }

    /// The parts that one thread at a time uses.
    private struct Parts: @unchecked Sendable {
        var database: WordDatabase?
        var texts: EventTextReader?
        var tokens = WordTokens()
        var isClosed = false
        /// The reason why the files have to be replaced.
        var damage: String?
        /// The reason why they were, until somebody takes it.
        var renewal: String?
    }

    private let home: WordFiles
    /// The kinds whose events are not users' own.
    private let catalogue: Catalogue
    private let parts = Mutex(Parts())
    private let reached = Atomic<UInt64>(0)
    private let storedBytes = Atomic<Int>(0)
    /// The number of searches that wait for the index.
    private let searches = Atomic<Int>(0)

    /// Creates an index that is opened by the first thread that uses it.
    ///
    /// - Parameter catalogue: the built-in kinds, whose events are not users' own.
    package init(_ home: WordFiles, besides catalogue: Catalogue) { (self.home, self.catalogue) = (home, catalogue) }

    /// The position that the index is folded up to, as far as it is known.
    package var position: Position { Position(reached.load(ordering: .relaxed)) }
    /// The size of its files, in bytes, as of the last transaction.
    package var bytes: Int { storedBytes.load(ordering: .relaxed) }

    /// Takes the reason why the index was replaced since the last call; nil where it was not.
    package func takeRenewal() -> String? {
        parts.withLock { parts in
            defer { parts.renewal = nil }
            return parts.renewal
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
        let texts = parts.texts ?? EventTextReader()
        parts.texts = texts
        var tokens = parts.tokens
        var (end, entries, bytes) = (position, 0, 0)
        try database.transaction { () throws(StorageError) in
            try view.scan(from: first, through: last) { (position, stored) throws(StorageError) in
                end = position
                let record = try stored.event(at: position)
                if catalogue.isOwn(record) {
                    tokens.clear()
                    texts.read(record) { tokens.add($0) }
                    if !tokens.bytes.isEmpty {
                        try database.add(tokens.bytes, at: position)
                        entries += 1
                        bytes += tokens.bytes.count
                    }
                }
                return entries < WordIndex.mostEntries && bytes < WordIndex.mostBytes
                    && position.value - first.value < UInt64(WordIndex.mostLooks)
            }
            try database.moved(to: end)
        }
        parts.tokens = tokens
        reached.store(end.value, ordering: .relaxed)
        storedBytes.store(home.bytes, ordering: .relaxed)
        return end == last
    }

    // MARK: Searching

    /// The events that a search found.
    package struct Found: Equatable, Sendable {
        /// Their positions, in the order of the search.
        package let positions: [Position]
        /// The position that the search goes on with; nil at its end.
        package let next: Position?
    }

    /// Searches the events of a view through the head of the search, which the index must have.
    ///
    /// Each event that the index names is read, and its words are compared.
    ///
    /// - Throws: `.corrupt` where the log is damaged; `.failed` where the index is, which is then replaced, and once it is
    ///   closed.
    package func find(
        _ search: EventSearch, in view: LogView, mustEnd: () -> Bool
    ) throws(StorageError) -> Found {
        guard let range = search.positions else { return Found(positions: [], next: nil) }
        return try locked { (parts) throws(StorageError) in
            let database = try opened(&parts, head: search.head)
            guard position >= search.head else { throw .failed("the index of words is behind") }
            let texts = parts.texts ?? EventTextReader()
            parts.texts = texts
            var matcher = WordMatcher(search.question)
            var (positions, next, tried) = ([Position](), Position?.none, 0)
            let expression = WordTokens.expression(search.question)
            try database.find(expression, in: range, search.order) { (position) throws(StorageError) in
                guard tried < WordIndex.mostTried else {
                    next = position
                    return false
                }
                tried += 1
                if mustEnd() { throw .failed("the daemon ends") }
                let isFound = try view.event(at: position.value) { (record) throws(StorageError) in
                    // An event that is being erased has no words any more.
                    guard record.erased == nil, search.selection.matches(record) else { return false }
                    matcher.clear()
                    texts.read(record) { matcher.add($0) }
                    guard matcher.isMatch else {
                        database.damage = "it has the event \(position.value) for words that are not in it"
                        throw .failed("the index of words is damaged")
                    }
                    return true
                }
                guard isFound else { return true }
                if positions.count == search.limit {
                    next = position
                    return false
                }
                positions.append(position)
                return true
            }
            return Found(positions: positions, next: next)
        }
    }

    /// Counts a search as waiting while `body` runs.
    package func wanted<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        searches.wrappingAdd(1, ordering: .relaxed)
        defer { searches.wrappingSubtract(1, ordering: .relaxed) }
        return try body()
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
        (parts.damage, parts.renewal) = (reason, reason)
        reached.store(0, ordering: .relaxed)
        try home.remove()
        parts.damage = nil
    }

    private func locked<Value>(
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
    private func opened(_ parts: inout Parts, head: Position) throws(StorageError) -> WordDatabase {
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
                WordDatabase.Identity(log: home.log, version: WordIndex.version, position: .zero))
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
