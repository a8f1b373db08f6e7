package import StoryCore

/// The number of events of one type, and the first and the last of them.
package struct TypeTally: BitwiseCopyable, Equatable, Sendable {
    /// The number of bytes of a stored tally.
    static let size = 18

    /// The number of events.
    package private(set) var count: UInt64
    /// The position of the first event.
    package private(set) var first: Position
    /// The position of the last event.
    package private(set) var last: Position

    /// Creates the tally of one event.
    package init(_ position: Position) { (count, first, last) = (1, position, position) }

    /// Reads `count 6 · first 6 · last 6`; nil when there are fewer bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= TypeTally.size else { return nil }
        count = bytes.sixByteNumber(at: 0)
        first = Position(bytes.sixByteNumber(at: 6))
        last = Position(bytes.sixByteNumber(at: 12))
    }

    /// Adds other events.
    package mutating func add(_ other: TypeTally) {
        count += other.count
        first = min(first, other.first)
        last = max(last, other.last)
    }

    /// Replaces the content of a buffer with the stored form.
    func write(to buffer: inout KeyBuffer) {
        buffer.set(count, first.value)
        buffer.add48(last.value)
    }

    /// Counts one more event in the stored form.
    static func count(_ position: Position, in bytes: UnsafeMutableRawBufferPointer) {
        let stored = UnsafeRawBufferPointer(bytes)
        guard stored.count >= TypeTally.size, let start = bytes.baseAddress else { return }
        start.store48(stored.sixByteNumber(at: 0) + 1, 0)
        // Most come after all others; those of a sorted replay come in the order of their streams.
        if position.value > stored.sixByteNumber(at: 12) { start.store48(position.value, 12) }
        if position.value < stored.sixByteNumber(at: 6) { start.store48(position.value, 6) }
    }
}

/// The index of event types: a tally of each type in each category, and of each type in all of them.
///
/// The key of a type in a category is `CATEGORY-TYPE`, and `-TYPE` that of the type in all, since no category is empty.
package struct TypeIndex: ~Copyable {
    private static let dash = UInt8(ascii: "-")
    private static let table = StreamTables.types.number

    private let store: any TableStore
    private var key = KeyBuffer()
    private var value = KeyBuffer(capacity: TypeTally.size)

    /// Creates the index over the tables of a store.
    package init(_ store: any TableStore) { self.store = store }

    // MARK: Folding

    /// Folds an event in.
    ///
    /// - Throws: any error of the store.
    package mutating func fold(_ record: EventRecord) throws(StorageError) {
        guard let dash = setKey(of: record) else { return }
        try add(record.position, at: key.bytes)
        try add(record.position, at: UnsafeRawBufferPointer(rebasing: key.bytes[dash...]))
    }

    /// Folds an event into the tally of its type in its category alone; `merge` adds those of all categories.
    ///
    /// - Throws: any error of the store.
    package mutating func foldCategory(_ record: EventRecord) throws(StorageError) {
        guard setKey(of: record) != nil else { return }
        try add(record.position, at: key.bytes)
    }

    /// Adds the tallies of categories of another store, and makes those of all categories.
    ///
    /// - Throws: any error of either store.
    package mutating func merge(_ other: any TableStore) throws(StorageError) {
        try other.visit(TypeIndex.table, in: .all, order: .ascending) { (key, bytes) throws(StorageError) in
            guard let tally = TypeTally(bytes), let dash = key.firstIndex(of: TypeIndex.dash) else { return true }
            try add(tally, at: key)
            try add(tally, at: UnsafeRawBufferPointer(rebasing: key[dash...]))
            return true
        }
    }

    /// Writes the key of an event's type in its category, and returns the offset of the dash; nil where there is none.
    private mutating func setKey(of record: EventRecord) -> Int? {
        let name = record.streamName
        guard let dash = name.offset(of: TypeIndex.dash), dash > 0 else { return nil }
        key.set(name.slice(0, count: dash + 1))
        key.add(record.json.slice(record.type.lowerBound, count: record.type.count))
        return key.isKey ? dash : nil
    }

    /// Counts the event at a position.
    private mutating func add(_ position: Position, at key: UnsafeRawBufferPointer) throws(StorageError) {
        // Most types had an event a moment ago, and their tallies are changed in place.
        let isChanged = store.change(TypeIndex.table, at: key) { TypeTally.count(position, in: $0) }
        if !isChanged { try add(TypeTally(position), at: key) }
    }

    private mutating func add(_ tally: TypeTally, at key: UnsafeRawBufferPointer) throws(StorageError) {
        var sum = tally
        try store.withValue(TypeIndex.table, at: key) { TypeTally($0).map { sum.add($0) } }
        sum.write(to: &value)
        try store.put(value.bytes, in: TypeIndex.table, at: key)
    }

    // MARK: Reading

    /// Returns the tally of a type in a category, or in all of them; nil when there is no such event.
    ///
    /// - Throws: any read error of the store.
    package func tally(of type: EventType, in category: CategoryName?) throws(StorageError) -> TypeTally? {
        var tally: TypeTally?
        let key = TypeIndex.prefix(category) + type.bytes
        try key.withBytes { (key) throws(StorageError) in
            _ = try store.withValue(TypeIndex.table, at: key) { tally = TypeTally($0) }
        }
        return tally
    }

    /// Visits the types of a category, or of all of them, in the order of their bytes until `visit` returns false.
    ///
    /// - Parameter after: the type after which the visit begins; nil means from the first.
    /// - Throws: any read error of the store.
    package func walk(
        _ category: CategoryName?, after: EventType? = nil, _ visit: (EventType, TypeTally) -> Bool
    ) throws(StorageError) {
        let prefix = TypeIndex.prefix(category)
        let lower = after.map { prefix + $0.bytes + [0] } ?? prefix
        try KeyBounds.with(lower, prefix.prefixEnd) { (bounds) throws(StorageError) in
            try store.walk(TypeIndex.table, bounds, .ascending) { key, bytes in
                guard let type = EventType(key.dropFirst(prefix.count)), let tally = TypeTally(bytes) else {
                    return true
                }
                return visit(type, tally)
            }
        }
    }

    /// Returns the first categories that have events, in the order of their bytes.
    ///
    /// - Throws: any read error of the store.
    package func categories(atMost limit: Int) throws(StorageError) -> [String] {
        var names: [String] = []
        var lower = [TypeIndex.dash + 1]
        while names.count < limit {
            var found: [UInt8]?
            try KeyBounds.with(lower, nil) { (bounds) throws(StorageError) in
                try store.walk(TypeIndex.table, bounds, .ascending) { key, _ in
                    found = Array(key.prefix { $0 != TypeIndex.dash })
                    return false
                }
            }
            guard let found else { break }
            names.append(String(decoding: found, as: UTF8.self))
            lower = found + [TypeIndex.dash + 1]
        }
        return names
    }

    /// Returns the first types of some categories, or of all of them; a type that several have may be there repeatedly.
    ///
    /// - Throws: any read error of the store.
    package func types(of categories: Set<String>?, atMost limit: Int) throws(StorageError) -> [String] {
        var names: [String] = []
        let wanted: [CategoryName?] =
            if let categories { categories.sorted().map { CategoryName(trusted: Array($0.utf8)) } } else { [nil] }
        for category in wanted.prefix(limit) where names.count < limit {
            try walk(category) { type, _ in
                names.append("\(type)")
                return names.count < limit
            }
        }
        return names
    }

    private static func prefix(_ category: CategoryName?) -> [UInt8] { (category?.bytes ?? []) + [dash] }
}
