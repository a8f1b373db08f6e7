import CXXHash
package import StoryCore

/// The index of tags: a set of keys, one for each tag of each event.
///
/// The key is the tag and a zero byte, which no tag has, and the position. A list of positions that grows at its end would
/// have to be read before each write; a key is written blind.
package struct TagIndex {
    private static let table = StreamTables.tagEvents.number
    /// The last position that six bytes hold.
    private static let lastPosition: UInt64 = 1 << 48 - 1

    private let store: any TableStore

    /// Creates the index over the tables of a store.
    package init(_ store: any TableStore) { self.store = store }

    /// Visits the positions `from` … `through` of the events with a tag, in the given order, until `visit` returns false.
    ///
    /// - Throws: any read error of the store.
    package func scan(
        _ tag: EventTag, from: Position, through: Position, _ order: Order, _ visit: (Position) -> Bool
    ) throws(StorageError) {
        guard from <= through, from.value <= TagIndex.lastPosition else { return }
        var lower = KeyBuffer(capacity: TagIndex.keyCount)
        var upper = KeyBuffer(capacity: TagIndex.keyCount)
        tag.spelling.withUnsafeBytes {
            lower.set($0, at: from)
            upper.set($0, at: Position(min(through.value, TagIndex.lastPosition)))
        }
        upper.add(0)
        let bounds = KeyBounds(lower: lower.bytes, upper: upper.bytes)
        try store.walk(TagIndex.table, bounds, order) { key, _ in
            visit(Position(key.sixByteNumber(at: key.count - 6)))
        }
    }

    /// The length of the longest key and of a byte that ends a range, in bytes.
    private static let keyCount = EventTags.length.upperBound + 8

    /// The fold of events into the index.
    package struct Fold: ~Copyable {
        private let sink: any TableWriting
        private var key = KeyBuffer(capacity: TagIndex.keyCount)

        /// Creates a fold that writes to a sink.
        package init(_ sink: any TableWriting) { self.sink = sink }

        /// Folds an event in; a tag that it has twice is put once, since digests are sums of the entries.
        ///
        /// - Throws: any error of the sink.
        package mutating func fold(_ record: EventRecord) throws(StorageError) {
            guard var tags = record.tagList else { return }
            while let tag = tags.next() {
                guard EventTags.length.contains(tag.count), !tags.contains(tag) else { continue }
                key.set(tag, at: record.position)
                try sink.put(.none, in: TagIndex.table, at: key.bytes)
            }
        }
    }
}

extension KeyBuffer {
    /// Replaces the content with the key of an event that has a tag.
    fileprivate mutating func set(_ tag: UnsafeRawBufferPointer, at position: Position) {
        clear()
        addName(tag)
        add48(position.value)
    }
}

/// For each tag, a position that no event with it comes after, in memory.
///
/// Tags share slots by their hashes, and a slot has the last position of all of its tags: it may be later than that of one
/// of them, and is never earlier. So a precondition that holds by it needs no search.
package struct TagRecency {
    /// The number of slots: with 128 KiB, of a hundred tags that came since a position some 1 in 160 of the others seem
    /// to have come as well, and is searched.
    private static let slotCount = 1 << 14

    /// The last position of the tags of each slot.
    private var slots = [UInt64](repeating: 0, count: TagRecency.slotCount)
    /// The last event that was not noted.
    private let start: Position

    /// Creates the recency of tags of the events after a position.
    package init(after start: Position) { self.start = start }

    /// Notes the tags of an event after the last one.
    package mutating func note(_ tags: consuming RecordTags, at position: Position) {
        while let tag = tags.next() { slots[TagRecency.slot(of: tag)] = position.value }
    }

    /// Returns a position that no event with a tag comes after.
    package func last(of tag: EventTag) -> Position {
        max(start, Position(tag.spelling.withUnsafeBytes { slots[TagRecency.slot(of: $0)] }))
    }

    private static func slot(of tag: UnsafeRawBufferPointer) -> Int {
        Int(truncatingIfNeeded: xxhi_128(tag.baseAddress, tag.count, 0).low) & (slotCount - 1)
    }
}
