package import StoryCore
import StoryStorage

/// The head of a stream: its number, its newest version, and the position of its last event.
package struct StreamHead: Equatable, Sendable {
    /// The stream's number among all streams.
    package let number: StreamNumber
    /// The version of the last event.
    package let version: Version
    /// The position of the last event.
    package let position: Position

    /// Creates a head.
    package init(number: StreamNumber, version: Version, position: Position) {
        self.number = number
        self.version = version
        self.position = position
    }

    /// Parses `number 6 · version 6 · position 6` (in bytes); nil when there are fewer bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 18 else { return nil }
        number = StreamNumber(bytes.sixByteNumber(at: 0))
        version = Version(bytes.sixByteNumber(at: 6))
        position = Position(bytes.sixByteNumber(at: 12))
    }
}

/// The index of streams and categories: the head of each stream, and the positions of the events of each stream and
/// category.
///
/// It caches the newest chunk of each category, so `storeWasTakenBack` must be called when the store is rolled back.
package final class StreamIndex {
    /// The number of positions in one chunk: an event extends the newest chunk of its stream by six bytes, and most
    /// events begin no new chunk.
    package static let positionsPerChunk: UInt64 = 64

    /// The keys of the counts of categories and streams; no category has such a name.
    static let categoryCountKey: [UInt8] = [0]
    static let streamCountKey: [UInt8] = [1]

    let store: any TableStore
    @exclusivity(unchecked) private var recent = RecentCategories()
    @exclusivity(unchecked) private var key = KeyBuffer()
    @exclusivity(unchecked) private var value = KeyBuffer()

    /// Creates the index over the tables of a store.
    package init(_ store: any TableStore) { self.store = store }

    /// Drops cached state after the store was rolled back to an earlier state.
    package func storeWasTakenBack() { recent.removeAll() }

    /// Folds an event in.
    ///
    /// - Parameters:
    ///   - head: the head of its stream, this event included.
    ///   - name: the stream's name.
    /// - Throws: `.corrupt` when the category has an event at or after this position already, since folding an event
    ///   twice would spoil every position after it; otherwise any error of the store.
    package func fold(_ head: StreamHead, _ name: UnsafeRawBufferPointer) throws(StorageError) {
        try foldCategory(head.position, name)
        if head.version <= Version(1) {
            value.set(head.number.value)
            try StreamIndex.streamCountKey.withBytes { (key) throws(StorageError) in
                try store.put(value.bytes, in: StreamTables.categories.number, at: key)
            }
        } else {
            try foldPosition(head, name)
        }
        try StreamIndex.put(head, name, to: store, &value)
    }

    /// Writes the head of a stream.
    ///
    /// - Throws: any error of the tables.
    static func put(
        _ head: StreamHead, _ name: UnsafeRawBufferPointer, to tables: some TableWriting, _ value: inout KeyBuffer
    ) throws(StorageError) {
        guard KeyBuffer.keyLength.contains(name.count) else { return }
        value.set(head.number.value, head.version.value)
        value.add48(head.position.value)
        try tables.put(value.bytes, in: StreamTables.streams.number, at: name)
    }

    /// Adds the position of a stream's event to its chunks.
    ///
    /// A stream of one event has no chunk, since its head holds the position; the second event creates one.
    private func foldPosition(_ head: StreamHead, _ name: UnsafeRawBufferPointer) throws(StorageError) {
        let index = (head.version.value - 1) % StreamIndex.positionsPerChunk
        key.set(head.number.value, (head.version.value - 1) / StreamIndex.positionsPerChunk)
        let table = StreamTables.streamPositions.number
        if head.version == Version(2) {
            value.set(try self.head(of: name)?.position.value ?? 0, head.position.value)
            return try store.put(value.bytes, in: table, at: key.bytes)
        }
        value.set(head.position.value)
        if index == 0 { return try store.put(value.bytes, in: table, at: key.bytes) }
        try store.append(value.bytes, in: table, at: key.bytes)
    }

    private func foldCategory(_ position: Position, _ name: UnsafeRawBufferPointer) throws(StorageError) {
        let category = UnsafeRawBufferPointer(rebasing: name[..<(name.firstIndex(of: 0x2D) ?? 0)])
        let known = recent.find(category)
        let entry = if let known { known } else { try remember(category) }
        guard position.value > entry.pointee.last else {
            throw .corrupt("an event at position \(position.value) is folded a second time", at: position)
        }
        let isNew = entry.pointee.extend(to: position.value)
        key.set(entry.pointee.category, entry.pointee.first)
        value.set(position.value)
        let table = StreamTables.categoryPositions.number
        if isNew { return try store.put(value.bytes, in: table, at: key.bytes) }
        try store.append(value.bytes, in: table, at: key.bytes)
    }

    /// Reads the newest chunk of a category into the cache; a new category gets its number now.
    private func remember(
        _ category: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeMutablePointer<RecentCategories.Entry> {
        let number = try numbered(category)
        var entry = RecentCategories.Entry(category: number)
        if let newest = try newestChunk(of: number, through: .max) {
            entry.first = newest.first
            entry.count = newest.count
            entry.last = newest.last
        }
        return recent.add(entry, category)
    }

    /// Returns the number of a category, which is assigned now when it is new.
    private func numbered(_ category: UnsafeRawBufferPointer) throws(StorageError) -> UInt64 {
        if let number = try number(of: category) { return number }
        let table = StreamTables.categories.number
        let number = try count(at: StreamIndex.categoryCountKey) + 1
        value.set(number)
        if KeyBuffer.keyLength.contains(category.count) { try store.put(value.bytes, in: table, at: category) }
        try StreamIndex.categoryCountKey.withBytes { (key) throws(StorageError) in
            try store.put(value.bytes, in: table, at: key)
        }
        return number
    }
}
