package import StoryCore

/// A range of an index, with the rows in the order of its sort.
package struct IndexRange: Equatable, Sendable {
    /// The index of the index in the schema.
    package let index: Int
    /// The prefix of all keys in the range.
    package let prefix: [UInt8]
    /// The number of prefix bytes before the sort key.
    package let prefixCount: Int
    /// The least key that may be in the range.
    package let lower: [UInt8]
    /// The first key after the range; nil: without end.
    package let upper: [UInt8]?
    /// The conditions that must be checked row by row.
    package let rest: [Condition]
    /// The key of the stored count of the rows that match the index's filters; nil where there is none.
    package let tally: [UInt8]?

    /// True when the range is only a part of the keys with its prefix.
    package var isBounded: Bool { lower != prefix || upper != prefix.prefixEnd }
}

/// The plan of a list or a count, made from a kind's schema alone.
package struct QueryPlan {
    /// A way to count the rows.
    package enum Count: Equatable, Sendable {
        /// The stored count at the first key, minus the one at the second.
        case tally([UInt8], less: [UInt8]?)
        /// At most one row, found by its unique text; the other conditions must be checked.
        case unique([UInt8], rest: [Condition])
        /// A walk of the narrowest index range that counts the rows that pass its rest; of all rows where there is
        /// none.
        case walk
    }

    private let schema: KindSchema
    private let conditions: [Condition]

    /// Creates the plan of a list or a count of the rows that pass all conditions.
    ///
    /// - Parameter conditions: at most one for each filter.
    package init(_ schema: KindSchema, _ conditions: [Condition]) {
        self.schema = schema
        self.conditions = conditions
    }

    /// The way to count the rows.
    package var count: Count {
        if let tally { return tally }
        if let unique { return .unique(unique.text, rest: unique.rest) }
        return .walk
    }

    /// The unique text that at most one row has, and the other conditions; nil where no condition gives a text.
    package var unique: (text: [UInt8], rest: [Condition])? {
        guard let field = schema.unique?.field else { return nil }
        for condition in conditions {
            if schema.filters[condition.filter].test == .folded(field), case .folded(let text) = condition.value {
                return (text, conditions.filter { $0 != condition })
            }
        }
        return nil
    }

    /// Returns the range of an index with this sort that leaves the fewest conditions to check; nil when none applies.
    package func ordered(by sort: Int) -> IndexRange? {
        ranges { $0.sort == sort }.min { ($0.rest.count, -$0.prefix.count) < ($1.rest.count, -$1.prefix.count) }
    }

    /// Returns the index range with the fewest rows, in whatever order; nil when no index applies.
    ///
    /// - Parameter count: reads a stored count.
    /// - Throws: any error of `count`.
    package func narrowest(
        _ count: (_ tally: [UInt8]) throws(StorageError) -> UInt64
    ) throws(StorageError) -> IndexRange? {
        var best: (range: IndexRange, rows: UInt64)?
        for range in ranges(where: { _ in true }) {
            let rows = try range.tally.map { (key) throws(StorageError) in try count(key) } ?? .max
            guard let known = best else {
                best = (range, rows)
                continue
            }
            let (left, right) = (range.rest.count, known.range.rest.count)
            if (rows, left, known.range.prefix.count) < (known.rows, right, range.prefix.count) { best = (range, rows) }
        }
        return best?.range
    }

    private var tally: Count? {
        let isSet = conditions.filter { isUnset($0) && $0.value == .flag(false) }
        guard isSet.count <= 1 else { return nil }
        let others = conditions.filter { !isSet.contains($0) }
        guard let all = tallyKey(others) else { return nil }
        guard let set = isSet.first else { return .tally(all, less: nil) }
        // The rows with the flag set are all rows minus those without it.
        guard let unset = tallyKey(others + [Condition(set.filter, .flag(true))]) else { return nil }
        return .tally(all, less: unset)
    }

    private func isUnset(_ condition: Condition) -> Bool {
        if case .unset = schema.filters[condition.filter].test { true } else { false }
    }

    /// Returns the key of the tally for exactly these conditions; nil when there is none.
    private func tallyKey(_ conditions: [Condition]) -> [UInt8]? {
        let wanted = Set(conditions.map(\.filter))
        guard let tally = schema.tallies.first(where: { Set($0.filters) == wanted }) else { return nil }
        var key = KeyBuffer()
        key.add(tally.number)
        for filter in tally.filters {
            guard let condition = conditions.first(where: { $0.filter == filter }), key.add(condition, schema)
            else { return nil }
        }
        return key.isKey ? Array(key.bytes) : nil
    }

    private func ranges(where isWanted: (IndexSchema) -> Bool) -> [IndexRange] {
        schema.indexes.indices.filter { isWanted(schema.indexes[$0]) }.compactMap { range($0) }
    }

    /// Returns the range of an index; nil when one of its filters is not given, or the prefix is too long for a key.
    private func range(_ number: Int) -> IndexRange? {
        let index = schema.indexes[number]
        var key = KeyBuffer()
        var rest = conditions
        for filter in index.filters {
            guard let condition = given(filter), key.add(condition, schema) else { return nil }
            rest.removeAll { $0.filter == filter }
            // For a pair made of two fields, a row that passes the condition on the first one passes that on the
            // second.
            if !conditions.contains(condition), case .pair(_, let other) = schema.filters[filter].test {
                rest.removeAll { schema.filters[$0.filter].test == .field(other) }
            }
        }
        let prefixCount = key.count
        // A condition on the sort field narrows the range: one sender's stories are a part of all stories by sender.
        let field = schema.sorts[index.sort].field
        if !schema.fields[field].isOptional,
            let condition = rest.first(where: { schema.filters[$0.filter].test == .field(field) }),
            schema.fields[field].type != .fraction, key.add(condition, schema)
        {
            rest.removeAll { $0 == condition }
        }
        guard key.count + 6 <= KeyBuffer.keyLength.upperBound else { return nil }
        let prefix = Array(key.bytes)
        let bounds = bounds(prefix, field, &rest)
        return IndexRange(
            index: number, prefix: prefix, prefixCount: prefixCount, lower: bounds.lower, upper: bounds.upper,
            rest: rest, tally: tallyKey(index.filters.compactMap { given($0) }))
    }

    /// Returns the bounds of the keys with a prefix; date conditions on the sort field narrow them, and leave `rest`.
    private func bounds(
        _ prefix: [UInt8], _ field: Int, _ rest: inout [Condition]
    ) -> (lower: [UInt8], upper: [UInt8]?) {
        var (lower, upper) = (prefix, prefix.prefixEnd)
        rest.removeAll { condition in
            guard case .date(let time) = condition.value else { return false }
            let test = schema.filters[condition.filter].test
            if test == .notBefore(field) {
                lower = prefix + time.key
            } else if test == .before(field) {
                upper = prefix + time.key
            } else {
                return false
            }
            return true
        }
        if let end = upper, end.precedes(lower) { upper = lower }
        return (lower, upper)
    }

    /// Returns the condition of a filter; for a pair also the one made of conditions on both fields.
    private func given(_ filter: Int) -> Condition? {
        if let condition = conditions.first(where: { $0.filter == filter }) { return condition }
        guard case .pair(let one, let other) = schema.filters[filter].test, let first = name(of: one),
            let second = name(of: other)
        else { return nil }
        return Condition(filter, .pair(first, second))
    }

    /// Returns the name that a condition requires of a field; nil when there is none.
    private func name(of field: Int) -> [UInt8]? {
        for condition in conditions where schema.filters[condition.filter].test == .field(field) {
            if case .name(let name) = condition.value { return name }
        }
        return nil
    }
}

extension Instant {
    /// The bytes of a date in a key.
    fileprivate var key: [UInt8] {
        var key = KeyBuffer(capacity: 16)
        key.addDate(self)
        return Array(key.bytes)
    }
}
