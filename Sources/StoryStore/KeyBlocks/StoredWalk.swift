import StoryFold
import StoryCore
import StoryStorage

/// A cursor over a range of one stored table, in either order.
struct StoredWalk: ~Copyable {
    /// The entry at the cursor; nil at the end.
    private(set) var entry: KeyValue?
    private var cursor: TreeCursor
    private let range: KeyBounds
    private let order: Order
    /// The cursor in the current block of keys; nil where the table is no set.
    private let block: KeyBlockWalk?

    /// Makes a cursor at the first entry of the range, in the walk's order.
    ///
    /// - Parameter isSet: true where only keys are stored, in blocks.
    init(_ tree: StoredTree, isSet: Bool, _ range: KeyBounds, _ order: Order) throws(StorageError) {
        var cursor = TreeCursor(tree)
        let block = isSet ? KeyBlockWalk(range, order) : nil
        entry = try StoredWalk.first(&cursor, block, range, order)
        self.cursor = cursor
        self.block = block
        self.range = range
        self.order = order
        stopOutside()
    }

    mutating func advance() throws(StorageError) {
        try block?.advance()
        if let block, let key = StoredWalk.entry(block) {
            entry = key
        } else {
            let next = try StoredWalk.step(&cursor, order)
            entry = if let block { try StoredWalk.enter(block, next, &cursor, order) } else { next }
        }
        stopOutside()
    }

    private mutating func stopOutside() {
        guard let key = entry?.key else { return }
        let isInside: Bool =
            switch order {
            case .ascending: range.upper.map { key.compare($0) < 0 } ?? true
            case .descending: key.compare(range.lower) >= 0
            }
        if !isInside { entry = nil }
    }

    private static func first(
        _ cursor: inout TreeCursor, _ block: KeyBlockWalk?, _ range: KeyBounds, _ order: Order
    ) throws(StorageError) -> KeyValue? {
        guard let block else { return try start(&cursor, range, order) }
        // The block that the range begins in may begin before the range.
        let isAhead = order == .ascending && !range.lower.isEmpty
        let start = try isAhead ? cursor.seek(atOrBefore: range.lower) : start(&cursor, range, order)
        return try enter(block, start, &cursor, order)
    }

    private static func start(
        _ cursor: inout TreeCursor, _ range: KeyBounds, _ order: Order
    ) throws(StorageError) -> KeyValue? {
        switch order {
        case .ascending: return try cursor.seek(range.lower)
        case .descending:
            guard let upper = range.upper else { return try cursor.last() }
            // Nothing comes before the empty key.
            return upper.isEmpty ? nil : try cursor.seek(before: upper)
        }
    }

    private static func step(_ cursor: inout TreeCursor, _ order: Order) throws(StorageError) -> KeyValue? {
        try order == .ascending ? cursor.next() : cursor.previous()
    }

    /// Returns the first key of a block that is in the range, or that of the next block that has one.
    private static func enter(
        _ block: KeyBlockWalk, _ stored: KeyValue?, _ cursor: inout TreeCursor, _ order: Order
    ) throws(StorageError) -> KeyValue? {
        var stored = stored
        while let found = stored {
            try block.enter(found.value)
            if let entry = entry(block) { return entry }
            stored = try step(&cursor, order)
        }
        return nil
    }

    private static func entry(_ block: KeyBlockWalk) -> KeyValue? {
        block.key.map { KeyValue(key: $0, value: .none) }
    }
}

extension StoredTree {
    /// Returns the value at a key of a table: empty for a key of a set; nil where there is none.
    ///
    /// - Throws: any read error of the stored tables.
    func value(at key: UnsafeRawBufferPointer, isSet: Bool) throws(StorageError) -> UnsafeRawBufferPointer? {
        guard isSet else { return try value(at: key) }
        let walk = try StoredWalk(self, isSet: true, KeyBounds(lower: key, upper: nil), .ascending)
        guard let found = walk.entry?.key else { return nil }
        return found.equals(key) ? UnsafeRawBufferPointer.none : nil
    }
}
