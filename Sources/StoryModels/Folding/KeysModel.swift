package import StoryCore

/// Which events a request key made: the first one's position, and how many there are in a row.
package enum KeysModel {
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

    package static func entry(of key: RequestKey, in store: any ModelStore) -> Entry? {
        guard let value = store.value(in: .keys, at: key.bytes), let first = KeyReader.number(value, at: 0),
            let count = KeyReader.number(value, at: KeyWriter.numberCount)
        else { return nil }
        return Entry(first: Position(first), count: count)
    }

    /// Folds one event in: the events of one write stand in a row and carry the same key.
    package static func fold(_ key: RequestKey, at position: Position, in store: any ModelStore) {
        let known = entry(of: key, in: store)
        // A key that comes again later belongs to its first write: what lies between is not of this key.
        if let known, position.value != known.first.value + known.count { return }
        var value = KeyWriter()
        value.position(known?.first ?? position)
        value.number((known?.count ?? 0) + 1)
        store.put(value.bytes, in: .keys, at: key.bytes)
    }
}
