package import StoryCore

/// One ordered view of a kind's rows. A key is prefix ‖ sort key ‖ stream number; the value is empty.
///
/// The prefix holds what the filters name, so that the rows of one filter stand together in the order of the sort
/// key, and those with equal sort keys in the order they were posted.
package struct Index: Equatable, Sendable {
    package let table: Table
    package let filters: [FilterName]
    package let sort: SortKey
    /// True when the number of rows behind each prefix is kept, so that counting them needs no walk.
    package let isCounted: Bool

    init(_ table: Table, _ filters: [FilterName] = [], by sort: SortKey, isCounted: Bool = false) {
        self.table = table
        self.filters = filters
        self.sort = sort
        self.isCounted = isCounted
    }
}

/// A row's entry in one index, in a buffer that is used again for the next.
struct IndexEntry<Bytes: ByteWriting>: ~Copyable {
    private(set) var key: KeyWriterOf<Bytes>
    /// How many bytes of the key are prefix.
    private var prefixCount = 0
    /// False when the row is not in the index.
    private(set) var isThere = false

    init(_ bytes: Bytes) { key = KeyWriterOf(bytes) }

    mutating func set<P: RowKeeping>(_ projection: P.Type, _ index: Index, _ row: P.Row, _ number: StreamNumber) {
        clear()
        for filter in index.filters {
            guard P.writeFilterKey(filter, of: row, to: &key) else { return }
        }
        prefixCount = key.bytes.withWritten { $0.count }
        P.writeSortKey(index.sort, of: row, to: &key)
        key.number(number)
        isThere = true
    }

    /// Makes it the entry of no row.
    mutating func clear() {
        key.clear()
        isThere = false
    }

    /// True when nothing has to be done to come from the other to this.
    func isSame(as other: borrowing IndexEntry) -> Bool {
        guard isThere, other.isThere else { return isThere == other.isThere }
        return key.bytes.withWritten { one in other.key.bytes.withWritten { one.elementsEqual($0) } }
    }

    /// True when both are counted under one prefix.
    func isCounted(with other: borrowing IndexEntry) -> Bool {
        guard isThere, other.isThere else { return isThere == other.isThere }
        return withPrefix { one in other.withPrefix { one.elementsEqual($0) } }
    }

    /// Lends what is counted.
    func withPrefix<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        key.bytes.withWritten { body(UnsafeRawBufferPointer(rebasing: $0[..<prefixCount])) }
    }
}

extension Filter {
    /// Writes what the filter's value is in the prefix of an index; false when no index has it.
    package func write(to key: inout KeyWriter) -> Bool {
        switch self {
        case .sender(let id), .recipient(let id), .owner(let id), .story(let id): key.name(id.bytes)
        case .between(let one, let other): key.conversation(one, other)
        case .prefecture(let number): key.byte(UInt8(clamping: number))
        case .unseen(let isWanted): return isWanted
        case .email, .since, .until: return false
        }
        return true
    }
}

extension KeyWriterOf {
    /// The two users of a conversation, the same whoever wrote.
    mutating func conversation<Name: HeldBytes>(_ one: Name, _ other: Name) {
        let isOrdered = one.withRawBytes { one in other.withRawBytes { one.lexicographicallyPrecedes($0) } }
        name(isOrdered ? one : other)
        name(isOrdered ? other : one)
    }
}
