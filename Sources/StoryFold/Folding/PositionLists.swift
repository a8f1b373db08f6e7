import StoryCore

/// Posting lists: the positions of events, in ascending order, in chunks of 64 that are entries of one table.
///
/// An event extends the newest chunk of a list by six bytes, and most events begin no new chunk. A chunk is found by its
/// index, where the positions of a list are counted, as the events of a stream are by version; or by its first position,
/// as in the lists of categories.
package struct PositionLists: ~Copyable {
    /// The number of positions in one chunk.
    package static let chunkSize: UInt64 = 64
    /// The largest number that six bytes hold.
    private static let maxNumber: UInt64 = 1 << 48 - 1

    private let store: any TableStore
    private let table: UInt8
    private var key = KeyBuffer()
    private var value = KeyBuffer()

    /// Creates the lists of a table.
    init(_ store: any TableStore, in table: ModelTable) {
        self.store = store
        self.table = table.number
    }

    // MARK: Lists that are counted

    /// Adds a position as the one with this index, counted from 0; those before it are in the list.
    ///
    /// - Throws: any error of the store.
    mutating func add(_ position: Position, at index: UInt64, to list: UInt64) throws(StorageError) {
        key.set(list, index / PositionLists.chunkSize)
        value.set(position.value)
        guard index % PositionLists.chunkSize > 0 else { return try store.put(value.bytes, in: table, at: key.bytes) }
        try store.append(value.bytes, in: table, at: key.bytes)
    }

    /// Begins a list with its first two positions.
    ///
    /// - Throws: any error of the store.
    mutating func begin(_ list: UInt64, with first: Position, _ second: Position) throws(StorageError) {
        key.set(list, 0)
        value.set(first.value, second.value)
        try store.put(value.bytes, in: table, at: key.bytes)
    }

    /// Visits a range of indexes with their positions, in the given order, until `visit` returns false.
    ///
    /// - Throws: any read error of the store.
    func scan(
        _ list: UInt64, _ indexes: ClosedRange<UInt64>, _ order: Order, _ visit: (_ index: UInt64, Position) -> Bool
    ) throws(StorageError) {
        let first = indexes.lowerBound / PositionLists.chunkSize
        let last = indexes.upperBound / PositionLists.chunkSize
        var key = KeyBuffer(capacity: 12)
        var goesOn = true
        for offset in 0...(last - first) where goesOn {
            let chunk = order == .ascending ? first + offset : last - offset
            key.set(list, chunk)
            try store.withValue(table, at: key.bytes) { bytes in
                let chunk = PositionChunk(bytes: bytes, firstIndex: chunk * PositionLists.chunkSize)
                goesOn = chunk.visit(indexes, order, visit)
            }
        }
    }

    // MARK: Lists that are searched by position

    /// Adds a position to the newest chunk of a list, or begins a chunk with it.
    ///
    /// - Parameter newest: the first position of the newest chunk; 0 if that is full, or if there is none.
    /// - Returns: the same for the next call.
    /// - Throws: any error of the store.
    mutating func add(_ position: Position, to list: UInt64, newest: UInt64) throws(StorageError) -> UInt64 {
        value.set(position.value)
        guard newest > 0 else {
            key.set(list, position.value)
            try store.put(value.bytes, in: table, at: key.bytes)
            return position.value
        }
        key.set(list, newest)
        let size = try store.append(value.bytes, in: table, at: key.bytes)
        return size < 6 * Int(PositionLists.chunkSize) ? newest : 0
    }

    /// Visits the positions `from` … `through` of a list, in the given order, until `visit` returns false.
    ///
    /// - Throws: any read error of the store.
    func scan(
        _ list: UInt64, from: Position, through: Position, _ order: Order, _ visit: (Position) -> Bool
    ) throws(StorageError) {
        guard from <= through else { return }
        // The first chunk may begin before `from`.
        let first = try lastChunk(of: list, through: from.value) ?? from.value
        try walk(list, first, through.value, order) { _, bytes in
            PositionChunk(bytes: bytes, firstIndex: 0).visit(0...PositionLists.maxNumber, order) { _, position in
                guard position >= from, position <= through else { return true }
                return visit(position)
            }
        }
    }

    /// Returns the first position of the last chunk of a list that begins at or before a position; nil when there is
    /// none.
    private func lastChunk(of list: UInt64, through position: UInt64) throws(StorageError) -> UInt64? {
        var first: UInt64?
        try walk(list, 0, position, .descending) { key, _ in
            if key.count >= 12 { first = key.sixByteNumber(at: 6) }
            return false
        }
        return first
    }

    private func walk(
        _ list: UInt64, _ first: UInt64, _ last: UInt64, _ order: Order,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        var lower = KeyBuffer(capacity: 12)
        var upper = KeyBuffer(capacity: 13)
        lower.set(list, first)
        upper.set(list, min(last, PositionLists.maxNumber))
        upper.add(0)
        try store.walk(table, KeyBounds(lower: lower.bytes, upper: upper.bytes), order, visit)
    }
}

/// A chunk of positions, six bytes each, oldest first.
private struct PositionChunk {
    let bytes: UnsafeRawBufferPointer
    /// The index of the first position in its list.
    let firstIndex: UInt64

    /// Visits the positions of a range of indexes; returns false when the visitor stopped.
    func visit(_ indexes: ClosedRange<UInt64>, _ order: Order, _ visit: (UInt64, Position) -> Bool) -> Bool {
        let count = UInt64(bytes.count / 6)
        let lower = indexes.lowerBound > firstIndex ? indexes.lowerBound - firstIndex : 0
        let end = indexes.upperBound < firstIndex ? 0 : min(indexes.upperBound - firstIndex + 1, count)
        guard lower < end else { return true }
        for step in 0..<(end - lower) {
            let index = order == .ascending ? lower + step : end - 1 - step
            guard visit(firstIndex + index, Position(bytes.sixByteNumber(at: 6 * Int(index)))) else { return false }
        }
        return true
    }
}
