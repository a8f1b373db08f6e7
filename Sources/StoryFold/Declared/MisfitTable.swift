package import StoryCore

/// The misfits of a declared model: how many, and the newest ones.
///
/// The table has `line 4 · rule 1` at each position of 6 bytes, and at the key 00 the number of all and the position of the
/// oldest one that is kept, 6 bytes each, so that it is found without a search among removed ones. A line is
/// little-endian; a rule is its index among `MisfitRule.allCases`.
package struct MisfitTable {
    /// The number of misfits that are kept.
    package static let limit: UInt64 = 1_000
    /// The key of the number of all misfits; positions have six bytes.
    private static let totalKey: [UInt8] = [0]

    /// One event that did not fit.
    package struct NotedMisfit: Equatable, Sendable {
        /// The position of the event.
        package let position: Position
        /// The line of the statement, from 1.
        package let line: Int
        /// The rule that the event breaks.
        package let rule: MisfitRule
    }

    private let store: any TableStore

    /// Creates the table over a model's own store.
    package init(_ store: any TableStore) { self.store = store }

    /// Returns the number of all misfits, those that are no longer kept included.
    ///
    /// - Throws: any read error of the store.
    package func total() throws(StorageError) -> UInt64 {
        try store.number(ProgramTables.misfits.number, at: MisfitTable.totalKey) ?? 0
    }

    /// Returns the number of misfits after a position; nil where they are more than a limit, below that of those kept.
    ///
    /// - Throws: any read error of the store.
    package func count(after position: Position, atMost limit: Int) throws(StorageError) -> UInt64? {
        var count = 0
        try KeyBounds.with(position.next.key, nil) { (bounds) throws(StorageError) in
            try store.walk(ProgramTables.misfits.number, bounds, .ascending) { key, _ in
                if key.count == 6 { count += 1 }
                return count <= limit
            }
        }
        return count <= limit ? UInt64(count) : nil
    }

    /// Returns the first misfit from a position on in an order; from the first one without a position.
    ///
    /// - Throws: any read error of the store.
    package func first(from position: Position?, _ order: Order) throws(StorageError) -> NotedMisfit? {
        var found: NotedMisfit?
        let visit = { (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) in
            // The number of all has a shorter key, and comes first.
            guard key.count == 6 else { return true }
            found = NotedMisfit(key, value)
            return found == nil
        }
        let (lower, upper) = order == .ascending ? (position, Position?.none) : (nil, position?.next)
        try KeyBounds.with(lower?.key ?? [], upper?.key) { (bounds) throws(StorageError) in
            try store.walk(ProgramTables.misfits.number, bounds, order, visit)
        }
        return found
    }

    /// Adds a misfit, in place of the oldest one where the limit is reached.
    ///
    /// - Throws: any error of the store.
    func add(_ misfit: Misfit, at position: Position) throws(StorageError) {
        var (total, oldest) = try counts()
        if total >= MisfitTable.limit, let removed = oldest {
            try removed.key.withBytes { (key) throws(StorageError) in
                try store.remove(in: ProgramTables.misfits.number, at: key)
            }
            oldest = try first(from: removed.next, .ascending)?.position
        }
        try MisfitTable.value(misfit.line, misfit.rule).withBytes { (value) throws(StorageError) in
            try position.key.withBytes { (key) throws(StorageError) in
                try store.put(value, in: ProgramTables.misfits.number, at: key)
            }
        }
        try (Position(total + 1).key + (oldest ?? position).key).withBytes { (value) throws(StorageError) in
            try MisfitTable.totalKey.withBytes { (key) throws(StorageError) in
                try store.put(value, in: ProgramTables.misfits.number, at: key)
            }
        }
    }

    /// Returns the number of all misfits, and the position of the oldest one that is kept.
    private func counts() throws(StorageError) -> (total: UInt64, oldest: Position?) {
        var counts: (UInt64, Position?) = (0, nil)
        try MisfitTable.totalKey.withBytes { (key) throws(StorageError) in
            _ = try store.withValue(ProgramTables.misfits.number, at: key) { value in
                guard value.count == 12 else { return }
                counts = (value.sixByteNumber(at: 0), Position(value.sixByteNumber(at: 6)))
            }
        }
        return counts
    }

    /// Returns a value of the table with its line in another text; the number of all misfits stays as it is.
    static func moved(_ value: UnsafeRawBufferPointer, to lines: LineMapping) -> [UInt8] {
        guard let (line, rule) = parts(value), let moved = lines[line] else { return [UInt8](value) }
        return MisfitTable.value(moved, rule)
    }

    private static func value(_ line: Int, _ rule: MisfitRule) -> [UInt8] {
        var value: [UInt8] = []
        value.append(littleEndian: UInt32(clamping: line))
        value.append(UInt8(MisfitRule.allCases.firstIndex(of: rule) ?? 0))
        return value
    }

    fileprivate static func parts(_ value: UnsafeRawBufferPointer) -> (line: Int, rule: MisfitRule)? {
        guard value.count == 5, MisfitRule.allCases.indices.contains(Int(value[4])) else { return nil }
        return (Int(value.number(at: 0, as: UInt32.self)), MisfitRule.allCases[Int(value[4])])
    }
}

extension MisfitTable.NotedMisfit {
    fileprivate init?(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard let (line, rule) = MisfitTable.parts(value) else { return nil }
        self.init(position: Position(key.sixByteNumber(at: 0)), line: line, rule: rule)
    }
}

extension Position {
    /// The position as a key: six bytes in its order.
    fileprivate var key: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: value >> (40 - 8 * UInt64($0))) } }
}
