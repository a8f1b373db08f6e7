import StoryCore
import StoryStorage

/// A walk through a range of one stored table, either way.
struct StoredWalk: ~Copyable {
    /// What it stands on; nil at the end.
    private(set) var entry: LMDBEntry?
    private let cursor: Cursor
    private let range: KeyBounds
    private let order: Order

    init(
        _ transaction: OpaquePointer, _ database: Database, _ range: KeyBounds, _ order: Order
    ) throws(StorageError) {
        let cursor = try Cursor(transaction, database)
        let first = try StoredWalk.first(cursor, range, order)
        self.cursor = cursor
        self.range = range
        self.order = order
        entry = first
        stopOutside()
    }

    mutating func advance() throws(StorageError) {
        entry = try order == .ascending ? cursor.next() : cursor.previous()
        stopOutside()
    }

    private mutating func stopOutside() {
        guard let key = entry?.key else { return }
        let isInside: Bool =
            switch order {
            case .ascending: range.upper.map { Memory.compare(key, $0) < 0 } ?? true
            case .descending: Memory.compare(key, range.lower) >= 0
            }
        if !isInside { entry = nil }
    }

    private static func first(
        _ cursor: borrowing Cursor, _ range: KeyBounds, _ order: Order
    ) throws(StorageError) -> LMDBEntry? {
        switch order {
        case .ascending: return try cursor.seek(range.lower)
        case .descending:
            guard let upper = range.upper else { return try cursor.last() }
            // Nothing comes before the empty key.
            return upper.isEmpty ? nil : try cursor.seek(before: upper)
        }
    }
}
