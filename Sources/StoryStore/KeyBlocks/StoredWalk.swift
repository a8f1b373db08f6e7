import StoryCore
import StoryFold
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

/// A cursor over the keys of one block after the other, in either order.
final class KeyBlockWalk {
    private let range: KeyBounds
    private let order: Order
    private var block: KeyBlock?
    /// The segment whose keys are decoded.
    private var segment = 0
    private var keys = KeyList()
    private var index = 0

    init(_ range: KeyBounds, _ order: Order) {
        self.range = range
        self.order = order
    }

    /// The key at the cursor, valid until the next step; nil past the end of the block.
    var key: UnsafeRawBufferPointer? { keys.count > 0 && 0..<keys.count ~= index ? keys[index] : nil }

    /// Moves to the first key of a block that is in the range, in the walk's order.
    ///
    /// - Throws: `corrupt` where the bytes are no block.
    func enter(_ value: UnsafeRawBufferPointer) throws(StorageError) {
        let block = try KeyBlock(value)
        self.block = block
        switch order {
        case .ascending:
            try open(block.segment(at: range.lower), of: block)
            index = keys.lowerBound(range.lower) - 1
            try advance()
        case .descending:
            let last = try range.upper.map { (key) throws(StorageError) in try block.segment(before: key) }
            try open(last ?? block.segmentCount - 1, of: block)
            index = range.upper.map { keys.lowerBound($0) } ?? keys.count
            try advance()
        }
    }

    /// Moves to the next key of the block, in the walk's order.
    ///
    /// - Throws: `corrupt` where the next segment is damaged.
    func advance() throws(StorageError) {
        guard let block else { return }
        switch order {
        case .ascending:
            index += 1
            guard index == keys.count, segment + 1 < block.segmentCount else { return }
            try open(segment + 1, of: block)
            index = 0
        case .descending:
            index -= 1
            guard index < 0, segment > 0 else { return }
            try open(segment - 1, of: block)
            index = keys.count - 1
        }
    }

    private func open(_ segment: Int, of block: KeyBlock) throws(StorageError) {
        try block.decode(segment, into: &keys)
        self.segment = segment
    }
}
