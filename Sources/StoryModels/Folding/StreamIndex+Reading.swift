package import StoryCore
import StoryStorage

extension StreamIndex {
    /// Returns the head of the stream with this name; nil when it has no event.
    ///
    /// - Throws: any read error of the store.
    package func head(of name: UnsafeRawBufferPointer) throws(StorageError) -> StreamHead? {
        var head: StreamHead?
        try store.withValue(StreamTables.streams.number, at: name) { head = StreamHead($0) }
        return head
    }

    /// Returns the head of a stream; nil when it has no event.
    ///
    /// - Throws: any read error of the store.
    package func head(of stream: StreamName) throws(StorageError) -> StreamHead? {
        try stream.spelling.withUnsafeBytes { (name) throws(StorageError) in try head(of: name) }
    }

    /// Returns the largest stream number in use; 0 when there is none.
    ///
    /// - Throws: any read error of the store.
    package func lastNumber() throws(StorageError) -> StreamNumber {
        StreamNumber(try count(at: StreamIndex.streamCountKey))
    }

    /// Returns the number of a category; nil when no stream has it.
    ///
    /// - Throws: any read error of the store.
    package func number(of category: CategoryName) throws(StorageError) -> UInt64? {
        try category.spelling.withUnsafeBytes { (name) throws(StorageError) in try number(of: name) }
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

    /// Returns the number of a category; nil when no stream has it.
    ///
    /// - Throws: any read error of the store.
    package func number(of category: UnsafeRawBufferPointer) throws(StorageError) -> UInt64? {
        try store.number(StreamTables.categories.number, at: category)
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
        let first = (lower - 1) / StreamIndex.positionsPerChunk
        let last = (upper - 1) / StreamIndex.positionsPerChunk
        var key = KeyBuffer(capacity: 12)
        var goesOn = true
        for offset in 0...(last - first) where goesOn {
            let chunk = order == .ascending ? first + offset : last - offset
            key.set(head.number.value, chunk)
            try store.withValue(StreamTables.streamPositions.number, at: key.bytes) { bytes in
                let list = PositionList(bytes: bytes, firstVersion: chunk * StreamIndex.positionsPerChunk + 1)
                goesOn = list.visit(lower...upper, order, visit)
            }
        }
    }

    /// Visits the positions `from` … `through` of a category's events, in the given order, until `visit` returns false.
    ///
    /// - Throws: any read error of the store.
    package func scanCategory(
        _ category: UInt64, from: Position, through: Position, _ order: Order, _ visit: (Position) -> Bool
    ) throws(StorageError) {
        guard from <= through else { return }
        // The first chunk may begin before `from`.
        let first = try lastChunk(of: category, through: from.value) ?? from.value
        var lower = KeyBuffer(capacity: 12)
        var upper = KeyBuffer(capacity: 13)
        lower.set(category, first)
        upper.set(category, min(through.value, StreamIndex.maxNumber))
        upper.add(0)
        let range = KeyBounds(lower: lower.bytes, upper: upper.bytes)
        try store.walk(StreamTables.categoryPositions.number, range, order) { _, bytes in
            PositionList(bytes: bytes, firstVersion: 1).visitPositions(order) { position in
                guard position >= from, position <= through else { return true }
                return visit(position)
            }
        }
    }

    /// The largest number that six bytes hold.
    private static let maxNumber: UInt64 = 1 << 48 - 1

    /// Returns the first position of the last chunk of a category that begins at or before a position; nil when there is
    /// none.
    private func lastChunk(of category: UInt64, through position: UInt64) throws(StorageError) -> UInt64? {
        var first: UInt64?
        var lower = KeyBuffer(capacity: 12)
        var upper = KeyBuffer(capacity: 13)
        lower.set(category, 0)
        upper.set(category, min(position, StreamIndex.maxNumber))
        upper.add(0)
        let range = KeyBounds(lower: lower.bytes, upper: upper.bytes)
        try store.walk(StreamTables.categoryPositions.number, range, .descending) { key, _ in
            if key.count >= 12 { first = key.sixByteNumber(at: 6) }
            return false
        }
        return first
    }

    func count(at key: [UInt8]) throws(StorageError) -> UInt64 {
        try key.withBytes { (key) throws(StorageError) in
            try store.number(StreamTables.categories.number, at: key)
        } ?? 0
    }
}

/// A chunk of positions, six bytes each, oldest first.
private struct PositionList {
    let bytes: UnsafeRawBufferPointer
    /// The version of the first position.
    let firstVersion: UInt64

    private var count: Int { bytes.count / 6 }

    /// Visits the positions of a range of versions; returns false when the visitor stopped.
    func visit(_ versions: ClosedRange<UInt64>, _ order: Order, _ visit: (Version, Position) -> Bool) -> Bool {
        let lower = versions.lowerBound > firstVersion ? Int(versions.lowerBound - firstVersion) : 0
        let upper = versions.upperBound < firstVersion ? 0 : Int(versions.upperBound - firstVersion) + 1
        let end = min(upper, count)
        guard lower < end else { return true }
        for step in 0..<(end - lower) {
            let index = order == .ascending ? lower + step : end - 1 - step
            let version = Version(firstVersion + UInt64(index))
            guard visit(version, Position(bytes.sixByteNumber(at: 6 * index))) else { return false }
        }
        return true
    }

    func visitPositions(_ order: Order, _ visit: (Position) -> Bool) -> Bool {
        for step in 0..<count {
            let index = order == .ascending ? step : count - 1 - step
            guard visit(Position(bytes.sixByteNumber(at: 6 * index))) else { return false }
        }
        return true
    }
}
