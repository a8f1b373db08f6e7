package import StoryCore
package import StoryLog
import StoryWire
import StoryWords
import Synchronization

/// The searches of an index.
extension WordIndex {
    /// The most events that a search tries its filters on.
    private static let mostTried = 50_000
    /// The most rows of which the best are taken.
    private static let mostRanked = 10_000

    /// An entry that an index names.
    private struct Candidate {
        let entry: WordDatabase.Entry
        let id: Identifier
        /// Less for better ones.
        let rank: Double

        /// Returns the best ones, of those that are as good the newest first.
        static func best(_ all: [Candidate], _ most: Int) -> [Candidate] {
            Array(all.sorted { ($0.rank, $1.entry.position) < ($1.rank, $0.entry.position) }.prefix(most))
        }
    }

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
        return try searched(through: search.head) { (database, tools) throws(StorageError) in
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
                    tools.texts.read(record) { matcher.add($0) }
                    guard matcher.isMatch else {
                        throw database.differs("it has the event \(position.value) for words that are not in it")
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

    /// The rows that a search found.
    package struct FoundEntries: Equatable, Sendable {
        /// The rows, the newest words first, or the best.
        package let rows: [FoundRow]
        /// The position that the search goes on before; nil at its end.
        package let next: Position?
    }

    /// Searches the rows of a kind as they were at a position of the view, which the index must have.
    ///
    /// - Parameter most: the maximum number of rows.
    /// - Throws: as the search of events.
    package func find(
        _ search: RowSearch, atMost most: Int, in view: LogView, mustEnd: () -> Bool
    ) throws(StorageError) -> FoundEntries {
        guard let words = rows.first(where: { $0.schema.kind == search.query.kind }) else {
            return FoundEntries(rows: [], next: nil)
        }
        return try searched(through: search.head) { (database, tools) throws(StorageError) in
            var matcher = WordMatcher(search.query.question)
            var (found, next) = ([Candidate](), Position?.none)
            let room = search.query.isRanked ? WordIndex.mostRanked : most
            let expression = WordTokens.expression(search.query.question)
            try database.find(
                expression, of: words.schema.name, at: search.at, before: search.query.after ?? .max,
                isRanked: search.query.isRanked
            ) { (entry, id, rank) throws(StorageError) in
                if mustEnd() { throw .failed("the daemon ends") }
                guard found.count < room else {
                    next = found.last?.entry.position
                    return false
                }
                if let id = Identifier(id) { found.append(Candidate(entry: entry, id: id, rank: rank)) }
                return true
            }
            if search.query.isRanked { found = Candidate.best(found, most) }
            var rows: [FoundRow] = []
            for candidate in found {
                // The texts of a row that is being erased are gone.
                guard let isMatch = try words.isMatch(candidate.entry, by: &matcher, in: view, tools) else { continue }
                guard isMatch else {
                    throw database.differs("it has the row \(candidate.id) for words that are not in it")
                }
                rows.append(FoundRow(candidate.entry.position, candidate.id))
            }
            return FoundEntries(rows: rows, next: next)
        }
    }

    /// Runs `body` with the database, which has the events through a position, and the tools of its thread.
    private func searched<Value>(
        through head: Position, _ body: (WordDatabase, WordTools) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        try locked { (parts) throws(StorageError) in
            let database = try opened(&parts, head: head)
            guard position >= head else { throw .failed("the index of words is behind") }
            return try body(database, parts.madeTools())
        }
    }

    /// Counts a search as waiting while `body` runs.
    package func wanted<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        searches.wrappingAdd(1, ordering: .relaxed)
        defer { searches.wrappingSubtract(1, ordering: .relaxed) }
        return try body()
    }
}
