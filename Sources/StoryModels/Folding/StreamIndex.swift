package import StoryCore
import StoryStorage

/// How far a stream is.
package struct StreamHead: Equatable, Sendable {
    /// The stream's number among all streams.
    package let number: StreamNumber
    package let version: Version
    /// Where its last event lies.
    package let position: Position

    package init(number: StreamNumber, version: Version, position: Position) {
        self.number = number
        self.version = version
        self.position = position
    }

    /// Reads `number 6 · version 6 · position 6`; nil when the bytes are fewer.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 18 else { return nil }
        number = StreamNumber(bytes.sixByteNumber(at: 0))
        version = Version(bytes.sixByteNumber(at: 6))
        position = Position(bytes.sixByteNumber(at: 12))
    }
}

/// Which streams there are, how far each is, where its events lie in the log, and where those of a category lie.
///
/// It remembers where the next event of a category goes, so it has to be told when a store is taken back.
package final class StreamIndex {
    /// How many positions stand in one entry: an event makes the newest entry of its stream six bytes longer, and most
    /// events make no new one.
    package static let chunk: UInt64 = 64

    /// How many categories and streams there are stands under names that no category has.
    static let categoryCountKey: [UInt8] = [0]
    static let streamCountKey: [UInt8] = [1]

    let store: any TableStore
    @exclusivity(unchecked) private var recent = RecentCategories()
    @exclusivity(unchecked) private var key = KeyBuffer()
    @exclusivity(unchecked) private var value = KeyBuffer()

    package init(_ store: any TableStore) { self.store = store }

    /// The store is as it was at some moment before: what is remembered of it is forgotten.
    package func storeWasTakenBack() { recent.removeAll() }

    /// Folds an event in.
    ///
    /// - Parameters:
    ///   - head: how far its stream is with it.
    ///   - name: the stream's name.
    /// - Throws: `.corrupt` when the category has an event at this position or behind it already: folding an event twice
    ///   would spoil every position after it. Otherwise what the store failed with.
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

    /// Writes how far a stream is.
    ///
    /// - Throws: what the tables cannot do any more.
    static func put(
        _ head: StreamHead, _ name: UnsafeRawBufferPointer, to tables: some EntryWriting, _ value: inout KeyBuffer
    ) throws(StorageError) {
        guard KeyBuffer.keyLength.contains(name.count) else { return }
        value.set(head.number.value, head.version.value)
        value.add48(head.position.value)
        try tables.put(value.bytes, in: StreamTables.streams.number, at: name)
    }

    /// A stream of one event has no entry of positions: its head says where that is. The second event makes one.
    private func foldPosition(_ head: StreamHead, _ name: UnsafeRawBufferPointer) throws(StorageError) {
        let index = (head.version.value - 1) % StreamIndex.chunk
        key.set(head.number.value, (head.version.value - 1) / StreamIndex.chunk)
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

    /// The newest entry of a category, which gets a number now when it is new.
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

    /// The number of a category, given now when it is new.
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
