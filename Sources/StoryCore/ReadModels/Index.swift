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

    /// The row's entry; nil when the row is not in this index.
    func entry<P: Projection>(_ projection: P.Type, _ row: P.Row, _ number: StreamNumber) -> IndexEntry? {
        var key = KeyWriter()
        for filter in filters {
            guard P.writeFilterKey(filter, of: row, to: &key) else { return nil }
        }
        let prefixCount = key.bytes.count
        P.writeSortKey(sort, of: row, to: &key)
        key.number(number)
        return IndexEntry(key: key.bytes, prefixCount: prefixCount)
    }
}

/// A key of an index, and how many of its bytes are prefix.
struct IndexEntry: Equatable {
    let key: [UInt8]
    let prefixCount: Int

    var prefix: ArraySlice<UInt8> { key[..<prefixCount] }
}

extension Filter {
    /// Writes what the filter's value is in the prefix of an index; false when no index has it.
    package func write(to key: inout KeyWriter) -> Bool {
        switch self {
        case .sender(let id), .recipient(let id), .owner(let id), .story(let id): key.name(id.bytes)
        case .between(let one, let other): key.conversation(one, other)
        case .prefecture(let number): key.byte(UInt8(clamping: number))
        case .unseen(let isWanted): return isWanted
        case .email: return false
        }
        return true
    }
}

extension KeyWriter {
    /// The two users of a conversation, the same whoever wrote.
    mutating func conversation(_ one: Identifier, _ other: Identifier) {
        let isOrdered = one.bytes.lexicographicallyPrecedes(other.bytes)
        name(isOrdered ? one.bytes : other.bytes)
        name(isOrdered ? other.bytes : one.bytes)
    }
}
