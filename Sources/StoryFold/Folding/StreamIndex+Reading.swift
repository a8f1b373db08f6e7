package import StoryCore

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
