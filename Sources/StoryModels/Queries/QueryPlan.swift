package import StoryCore

/// A part of an index whose rows come in the order of its sort.
package struct IndexRange: Equatable, Sendable {
    /// The index of the index in the schema.
    package let index: Int
    /// What the keys begin with.
    package let prefix: [UInt8]
    /// How many of those bytes stand before the sort key.
    package let prefixCount: Int
    /// The first key that may be in it, and the first one behind it; nil: without end.
    package let lower: [UInt8]
    package let upper: [UInt8]?
    /// What has to be checked row by row.
    package let rest: [Condition]
    /// The key of the kept count of the rows with that prefix; nil where none is kept.
    package let tally: [UInt8]?

    /// True when it is a part of the keys that begin with its prefix.
    package var isBounded: Bool { lower != prefix || upper != prefix.prefixEnd }
}

/// How a list is found and a count is made, from a kind's schema alone.
package struct QueryPlan {
    /// How many rows there are.
    package enum Count: Equatable, Sendable {
        /// The kept count at the first key, less the one at the second.
        case tally([UInt8], less: [UInt8]?)
        /// At most one row, which the unique text leads to; all other conditions have to be checked.
        case unique([UInt8], rest: [Condition])
        /// The rows of the narrowest part of an index that pass the rest; all rows where there is none.
        case walk
    }

    private let schema: KindSchema
    private let conditions: [Condition]

    /// - Parameter conditions: each filter at most once.
    package init(_ schema: KindSchema, _ conditions: [Condition]) {
        self.schema = schema
        self.conditions = conditions
    }

    /// How the count is made.
    package var count: Count {
        if let tally { return tally }
        if let unique { return .unique(unique.text, rest: unique.rest) }
        return .walk
    }

    /// The text that leads to the only row there can be, and what else is asked of it; nil where none is given.
    package var unique: (text: [UInt8], rest: [Condition])? {
        guard let field = schema.unique?.field else { return nil }
        for condition in conditions {
            if schema.filters[condition.filter].test == .folded(field), case .folded(let text) = condition.value {
                return (text, conditions.filter { $0 != condition })
            }
        }
        return nil
    }

    /// The index in the order of a sort that leaves the least to check; nil when none is of that sort.
    package func ordered(by sort: Int) -> IndexRange? {
        ranges { $0.sort == sort }.min { ($0.rest.count, -$0.prefix.count) < ($1.rest.count, -$1.prefix.count) }
    }

    /// The part of an index, whatever its order, that has the fewest rows; nil when the kind has no index.
    ///
    /// - Parameter count: reads a kept count.
    /// - Throws: what reading failed with.
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
        // Those that have the flag set are all but those that have it not.
        guard let unset = tallyKey(others + [Condition(set.filter, .flag(true))]) else { return nil }
        return .tally(all, less: unset)
    }

    private func isUnset(_ condition: Condition) -> Bool {
        if case .unset = schema.filters[condition.filter].test { true } else { false }
    }

    /// The key of the tally that is kept for exactly these conditions; nil when there is none.
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

    /// Nil when the index wants a filter that is not given.
    private func range(_ number: Int) -> IndexRange? {
        let index = schema.indexes[number]
        var key = KeyBuffer()
        var rest = conditions
        for filter in index.filters {
            guard let condition = given(filter), key.add(condition, schema) else { return nil }
            rest.removeAll { $0.filter == filter }
            // Of a pair made of two fields, what has the one in its place has the other in the other.
            if !conditions.contains(condition), case .pair(_, let other) = schema.filters[filter].test {
                rest.removeAll { schema.filters[$0.filter].test == .field(other) }
            }
        }
        let prefixCount = key.count
        // A list of one sender's stories by sender is a part of all stories by sender.
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

    /// The keys behind a prefix; where they go by a date, only those between the bounds, which `rest` then has no more.
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
        if let end = upper, end.lexicographicallyPrecedes(lower) { upper = lower }
        return (lower, upper)
    }

    /// The condition of a filter; conditions of both fields also give the pair of the two.
    private func given(_ filter: Int) -> Condition? {
        if let condition = conditions.first(where: { $0.filter == filter }) { return condition }
        guard case .pair(let one, let other) = schema.filters[filter].test, let first = name(of: one),
            let second = name(of: other)
        else { return nil }
        return Condition(filter, .pair(first, second))
    }

    /// The name that a field is to have; nil when nothing is said of it.
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
