package import StoryCore

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

    /// Creates the head of a stream that ends with an event.
    package init(_ event: EventMetadata) {
        self.init(number: event.streamNumber, version: event.version, position: event.position)
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
package final class StreamIndex {
    /// The keys of the counts of categories and streams; no category has such a name.
    static let categoryCountKey: [UInt8] = [0]
    static let streamCountKey: [UInt8] = [1]

    let store: any TableStore
    /// The index of tags in the same store, for cursors that read both.
    package let tags: TagIndex
    /// The positions of each stream's events, by the stream's number and by version.
    var streamPositions: PositionLists
    /// The positions of each category's events, by the category's number.
    var categoryPositions: PositionLists
    private var value = KeyBuffer()

    /// Creates the index over the tables of a store.
    package init(_ store: any TableStore) {
        self.store = store
        tags = TagIndex(store)
        streamPositions = PositionLists(store, in: StreamTables.streamPositions)
        categoryPositions = PositionLists(store, in: StreamTables.categoryPositions)
    }

    /// Folds an event in.
    ///
    /// - Parameters:
    ///   - head: the head of its stream, this event included.
    ///   - name: the stream's name.
    ///   - previous: the head before the event; nil for the first event of the stream.
    /// - Throws: `.corrupt` when the stream has an event at or after this position already, since folding an event
    ///   twice would spoil every position after it; otherwise any error of the store.
    package func fold(
        _ head: StreamHead, _ name: UnsafeRawBufferPointer, after previous: StreamHead?
    ) throws(StorageError) {
        if let previous, previous.position >= head.position {
            throw .corrupt(
                "an event at position \(head.position.value) is folded a second time", at: head.position)
        }
        try foldCategory(head.position, name)
        if head.version <= Version(1) {
            value.set(head.number.value)
            try store.put(value.bytes, in: StreamTables.categories.number, at: StreamIndex.streamCountKey)
        } else {
            try foldPosition(head, after: previous)
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

    /// Adds the position of a stream's event to its list.
    ///
    /// A stream of one event has no list, since its head holds the position; the second event begins one.
    private func foldPosition(_ head: StreamHead, after previous: StreamHead?) throws(StorageError) {
        guard head.version > Version(2) else {
            return try streamPositions.begin(head.number.value, with: previous?.position ?? .zero, head.position)
        }
        try streamPositions.add(head.position, at: head.version.value - 1, to: head.number.value)
    }

    /// Adds the position of an event to the list of its category.
    private func foldCategory(_ position: Position, _ name: UnsafeRawBufferPointer) throws(StorageError) {
        let category = UnsafeRawBufferPointer(rebasing: name[..<(name.offset(of: 0x2D) ?? 0)])
        guard KeyBuffer.keyLength.contains(category.count) else { return }
        var (number, chunk) = (UInt64(0), UInt64(0))
        try store.withValue(StreamTables.categories.number, at: category) { bytes in
            if bytes.count >= 12 { (number, chunk) = (bytes.sixByteNumber(at: 0), bytes.sixByteNumber(at: 6)) }
        }
        if number == 0 { number = try addCategory() }
        let newest = try categoryPositions.add(position, to: number, newest: chunk)
        guard newest != chunk else { return }
        value.set(number, newest)
        try store.put(value.bytes, in: StreamTables.categories.number, at: category)
    }

    /// Returns the number of a new category.
    private func addCategory() throws(StorageError) -> UInt64 {
        let number = try count(at: StreamIndex.categoryCountKey) + 1
        value.set(number)
        try store.put(value.bytes, in: StreamTables.categories.number, at: StreamIndex.categoryCountKey)
        return number
    }
}

extension StreamIndex {
    /// Returns the head of the stream with this name; nil when it has no event.
    ///
    /// - Parameter isProven: true where a write rests on it.
    /// - Throws: any read error of the store.
    package func head(
        of name: UnsafeRawBufferPointer, isProven: Bool = false
    ) throws(StorageError) -> StreamHead? {
        var head: StreamHead?
        try store.withValue(StreamTables.streams.number, at: name, isProven: isProven) { head = StreamHead($0) }
        return head
    }

    /// Returns the head of a stream; nil when it has no event.
    ///
    /// - Parameter isProven: true where a write rests on it.
    /// - Throws: any read error of the store.
    package func head(of stream: StreamName, isProven: Bool = false) throws(StorageError) -> StreamHead? {
        try stream.spelling.withUnsafeBytes { (name) throws(StorageError) in try head(of: name, isProven: isProven) }
    }

    /// Returns the largest stream number in use, on which the number of the next stream rests; 0 when there is none.
    ///
    /// - Throws: any read error of the store.
    package func lastNumber() throws(StorageError) -> StreamNumber {
        let key = StreamIndex.streamCountKey
        return StreamNumber(try store.number(StreamTables.categories.number, at: key, isProven: true) ?? 0)
    }

    /// Returns the number of a category; nil when no stream has it.
    ///
    /// - Throws: any read error of the store.
    package func number(of category: CategoryName) throws(StorageError) -> UInt64? {
        try category.spelling.withUnsafeBytes { (name) throws(StorageError) in
            try store.number(StreamTables.categories.number, at: name)
        }
    }

    /// Returns the first version of a stream at or after a position, or one past the last, by binary search: versions
    /// and positions grow together.
    ///
    /// - Throws: any read error of the store.
    package func version(atOrAfter position: Position, in head: StreamHead) throws(StorageError) -> Version {
        var low: UInt64 = 1
        var high = head.version.value + 1
        while low < high {
            let middle = low + (high - low) / 2
            let found = try self.position(of: Version(middle), in: head) ?? head.position
            if found < position { low = middle + 1 } else { high = middle }
        }
        return Version(low)
    }

    /// Returns the position of the event of a version; nil for version 0 and past the stream's end.
    ///
    /// - Throws: any read error of the store.
    package func position(of version: Version, in head: StreamHead) throws(StorageError) -> Position? {
        guard version > .zero, version <= head.version else { return nil }
        if version == head.version { return head.position }
        var position: Position?
        try scanVersions(of: head, from: version, through: version, .ascending) {
            position = $1
            return false
        }
        return position
    }

    /// Visits the versions `from` … `through` of a stream with their positions, in the given order, until `visit`
    /// returns false.
    ///
    /// - Throws: any read error of the store.
    package func scanVersions(
        of head: StreamHead, from: Version, through: Version, _ order: Order,
        _ visit: (Version, Position) -> Bool
    ) throws(StorageError) {
        let lower = max(from.value, 1)
        let upper = min(through.value, head.version.value)
        guard lower <= upper else { return }
        if head.version == Version(1) {
            _ = visit(head.version, head.position)
            return
        }
        try streamPositions.scan(head.number.value, lower - 1...upper - 1, order) { visit(Version($0 + 1), $1) }
    }

    /// Visits the positions `from` … `through` of a category's events, in the given order, until `visit` returns false.
    ///
    /// - Throws: any read error of the store.
    package func scanCategory(
        _ category: UInt64, from: Position, through: Position, _ order: Order, _ visit: (Position) -> Bool
    ) throws(StorageError) {
        try categoryPositions.scan(category, from: from, through: through, order, visit)
    }

    func count(at key: [UInt8]) throws(StorageError) -> UInt64 {
        try store.number(StreamTables.categories.number, at: key) ?? 0
    }
}
