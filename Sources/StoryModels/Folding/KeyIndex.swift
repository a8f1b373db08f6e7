package import StoryCore

/// Which events a request key made: the first one's position, and how many there are in a row.
package struct KeyIndex: ~Copyable {
    package struct Entry: Equatable, Sendable {
        package let first: Position
        package let count: UInt64

        package init(first: Position, count: UInt64) {
            self.first = first
            self.count = count
        }

        /// Where the last one lies: the position of the write's receipt.
        package var last: Position { Position(first.value + max(count, 1) - 1) }

        /// The positions of the events, in order.
        package var positions: [Position] { (0..<count).map { Position(first.value + $0) } }
    }

    private let store: any TableStore
    private var value = KeyBuffer(capacity: 12)

    package init(_ store: any TableStore) { self.store = store }

    /// What a key made; nil when it made nothing yet.
    ///
    /// - Throws: what reading failed with.
    package func entry(of key: UnsafeRawBufferPointer) throws(StorageError) -> Entry? {
        var entry: Entry?
        try store.withValue(StreamTables.keys.number, at: key) { bytes in
            guard bytes.count >= 12 else { return }
            entry = Entry(first: Position(bytes.sixByteNumber(at: 0)), count: bytes.sixByteNumber(at: 6))
        }
        return entry
    }

    /// A key is asked for soon.
    package func expect(_ key: UnsafeRawBufferPointer) { store.expect(StreamTables.keys.number, at: key) }

    /// Folds one event in: the events of one write stand in a row and carry the same key.
    ///
    /// - Throws: `.corrupt` when the event was folded before; otherwise what the store failed with.
    package mutating func fold(_ key: UnsafeRawBufferPointer, at position: Position) throws(StorageError) {
        guard KeyBuffer.keyLength.contains(key.count) else { return }
        let known = try entry(of: key)
        if let known {
            guard position > known.last else {
                throw .corrupt("an event at position \(position.value) is folded a second time", at: position)
            }
            // A key that comes again later belongs to its first write: what lies between is not of this key.
            if position.value != known.last.value + 1 { return }
        }
        value.set(known?.first.value ?? position.value, (known?.count ?? 0) + 1)
        try store.put(value.bytes, in: StreamTables.keys.number, at: key)
    }
}
