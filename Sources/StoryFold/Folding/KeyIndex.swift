package import StoryCore

/// The index from request keys to the events that each made: the first position, and the number of consecutive events.
package struct KeyIndex: ~Copyable {
    /// The consecutive events that one request key made.
    package struct KeyedEvents: Equatable, Sendable {
        /// The position of the first event.
        package let first: Position
        /// The number of events.
        package let count: UInt64

        /// Creates an entry of `count` events from `first` on.
        package init(first: Position, count: UInt64) {
            self.first = first
            self.count = count
        }

        /// The position of the last event, which is that of the write's receipt.
        package var last: Position { Position(first.value + max(count, 1) - 1) }

        /// The positions of the events, in order.
        package var positions: [Position] { (0..<count).map { Position(first.value + $0) } }
    }

    private let store: any TableStore
    private var value = KeyBuffer(capacity: 12)

    /// Creates the index over the tables of a store.
    package init(_ store: any TableStore) { self.store = store }

    /// Returns the events that a key made; nil when there are none yet.
    ///
    /// - Parameter isProven: true where a write rests on it.
    /// - Throws: any read error of the store.
    package func entry(of key: UnsafeRawBufferPointer, isProven: Bool = false) throws(StorageError) -> KeyedEvents? {
        var entry: KeyedEvents?
        try store.withValue(StreamTables.keys.number, at: key, isProven: isProven) { bytes in
            guard bytes.count >= 12 else { return }
            entry = KeyedEvents(first: Position(bytes.sixByteNumber(at: 0)), count: bytes.sixByteNumber(at: 6))
        }
        return entry
    }

    /// Returns the events that a key of a write made, from pages that are proven now; nil when there are none yet.
    ///
    /// - Throws: any read error of the store.
    package func provenEntry(of key: RequestKey) throws(StorageError) -> KeyedEvents? {
        try key.spelling.withUnsafeBytes { (key) throws(StorageError) in try entry(of: key, isProven: true) }
    }

    /// Hints that `key` will be looked up soon.
    package func prefetch(_ key: RequestKey) {
        key.spelling.withUnsafeBytes { store.prefetch(StreamTables.keys.number, at: $0) }
    }

    /// Folds one event in; the events of one write are consecutive and carry the same key.
    ///
    /// - Parameter known: the events that the key has made; nil when there are none yet.
    /// - Throws: `.corrupt` when the event was folded before; otherwise any error of the store.
    package mutating func fold(
        _ key: UnsafeRawBufferPointer, at position: Position, after known: KeyedEvents?
    ) throws(StorageError) {
        guard KeyBuffer.keyLength.contains(key.count) else { return }
        if let known {
            guard position > known.last else {
                throw .corrupt("an event at position \(position.value) is folded a second time", at: position)
            }
            // The key belongs to its first write: a later event with it that does not follow directly is ignored.
            if position.value != known.last.value + 1 { return }
        }
        value.set(known?.first.value ?? position.value, (known?.count ?? 0) + 1)
        try store.put(value.bytes, in: StreamTables.keys.number, at: key)
    }
}
