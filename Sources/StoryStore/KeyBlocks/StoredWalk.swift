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
    /// - Parameters:
    ///   - isSet: true where only keys are stored, in blocks.
    ///   - isProving: true to compare each page with its checksum, whenever that was done before.
    init(
        _ tree: StoredTree, isSet: Bool, _ range: KeyBounds, _ order: Order, isProving: Bool = false
    ) throws(StorageError) {
        cursor = TreeCursor(tree, isProving: isProving)
        block = isSet ? KeyBlockWalk(range, order) : nil
        self.range = range
        self.order = order
        // The block that the range begins in may begin before the range.
        let isAhead = isSet && order == .ascending && !range.lower.isEmpty
        try enter(try isAhead ? cursor.seek(atOrBefore: range.lower) : start())
    }

    mutating func advance() throws(StorageError) {
        try block?.advance()
        if let key = block?.key {
            entry = KeyValue(key: key, value: .none)
            stopOutside()
        } else {
            try enter(try step())
        }
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

    private mutating func start() throws(StorageError) -> KeyValue? {
        switch order {
        case .ascending: return try cursor.seek(range.lower)
        case .descending:
            guard let upper = range.upper else { return try cursor.last() }
            // Nothing comes before the empty key.
            return upper.isEmpty ? nil : try cursor.seek(before: upper)
        }
    }

    private mutating func step() throws(StorageError) -> KeyValue? {
        try order == .ascending ? cursor.next() : cursor.previous()
    }

    /// Moves to a stored entry; where it is a block, to its first key that is in the range, or to that of the next block
    /// that has one.
    private mutating func enter(_ stored: KeyValue?) throws(StorageError) {
        entry = stored
        if let block {
            while let found = entry {
                try block.enter(found.value)
                if let key = block.key {
                    entry = KeyValue(key: key, value: .none)
                    break
                }
                entry = try step()
            }
        }
        stopOutside()
    }
}

extension ReadTransaction? {
    /// Returns the tree of a table, for as long as the transaction.
    ///
    /// - Throws: any read error; `.corrupt` when the table is missing, or the transaction was closed.
    borrowing func tree(of table: ModelTable, in environment: Environment) throws(StorageError) -> StoredTree {
        let found = try self?.tree(of: table.name, in: environment)
        guard let tree = found ?? nil else { throw .corrupt("\(environment.path) lacks \(table.name)", at: nil) }
        return tree
    }
}

extension StoredTree {
    /// Visits the entries of a table in key order until `visit` returns false; the bytes are valid until it returns.
    ///
    /// - Throws: any read error of the stored tables.
    func scan(
        isSet: Bool, _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        var walk = try StoredWalk(self, isSet: isSet, .all, .ascending)
        while let entry = walk.entry, visit(entry.key, entry.value) { try walk.advance() }
    }

    /// Returns the value at a key of a table: empty for a key of a set; nil where there is none.
    ///
    /// - Parameter isProving: true to compare each page with its checksum, whenever that was done before.
    /// - Throws: any read error of the stored tables.
    func value(
        at key: UnsafeRawBufferPointer, isSet: Bool, isProving: Bool = false
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        guard isSet else { return try value(at: key, isProving: isProving) }
        let bounds = KeyBounds(lower: key, upper: nil)
        let walk = try StoredWalk(self, isSet: true, bounds, .ascending, isProving: isProving)
        guard let found = walk.entry?.key else { return nil }
        return found.equals(key) ? UnsafeRawBufferPointer.none : nil
    }
}
