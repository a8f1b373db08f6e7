package import StoryCore
import StoryFold

/// `FIND kind…`: plans a search of the words of rows.
enum FindRows {
    /// Returns the search that answers a query.
    ///
    /// - Throws: `invalid` for a moment after the head; the error of reading the log.
    static func search(
        _ query: RowFindQuery, in world: World, endingAt head: Position
    ) throws(Failure) -> RowSearch {
        let at = try query.at.map { (moment) throws(Failure) in try world.position(of: moment, endingAt: head) }
        return RowSearch(query, at: at ?? head, head: head)
    }
}

/// The answer to a `FIND kind…`: the rows that a search found, as they were at its position, as far as the filters go.
package final class FoundRows: AnswerCursor {
    private let search: RowSearch
    private let world: World
    private let schema: KindSchema
    private var rows: ArraySlice<FoundRow>
    /// The position that the search goes on before; nil at its end.
    private let next: Position?
    private var count = 0
    /// The last row that was looked at.
    private var last: Position?
    /// The fold of a row that has changed since.
    private var history: HistoryFold?

    init(_ rows: [FoundRow], next: Position?, of search: RowSearch, in world: World) {
        (self.search, self.world, self.next) = (search, world, next)
        self.rows = rows[...]
        schema = world.schema(search.query.kind)
    }

    package var keptBytes: Int { 1_024 + rows.reduce(0) { $0 + 64 + $1.id.spelling.count } }

    package func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        guard world.serves(schema) else { return .ended(.failed(.removedKind), restsOn: .zero) }
        while let row = rows.first, count < search.query.limit {
            guard lines.hasRoom, !lines.isSpent else { return .more }
            guard try write(row, to: lines) else { return .more }
            last = row.position
            rows.removeFirst()
        }
        let isOver = search.query.isRanked || rows.isEmpty && next == nil
        let more = isOver ? nil : rows.isEmpty ? next : last
        let text = more.map { Array(String($0.value).utf8) }
        return .ended(.done(.page(count: count, next: text, position: search.head)), restsOn: .zero)
    }

    /// Writes a row as it was, if it passes the filters.
    ///
    /// - Returns: false where its history is not folded yet.
    private func write(_ found: FoundRow, to lines: any AnswerLines) throws(StorageError) -> Bool {
        if history == nil {
            lines.spend(.row)
            var isPresent = false
            let isThere = try world.rows(of: schema).row(schema, found.id) { row in
                isPresent = row.position <= search.at
                if isPresent { write(row, to: lines) }
            }
            if isThere, isPresent { return true }
            guard let head = try world.streams.head(of: schema.stream(found.id)) else { return true }
            history = world.history(of: head, schema, RowKey(found.id), through: search.at)
        }
        guard try history?.fold(charging: lines) != false else { return false }
        history?.past.row?.withView { write($0, to: lines) }
        history = nil
        return true
    }

    private func write(_ row: RowView, to lines: any AnswerLines) {
        guard search.query.conditions.match(row) else { return }
        lines.spend(.record)
        lines.row(row)
        count += 1
    }
}

extension Engine {
    /// Returns the answer to a search that found these rows, the newest words first.
    ///
    /// - Parameter next: the position that the search goes on before; nil at its end.
    package func found(_ rows: [FoundRow], next: Position?, of search: RowSearch) -> FoundRows {
        FoundRows(rows, next: next, of: search, in: world)
    }
}
