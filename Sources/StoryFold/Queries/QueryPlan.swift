package import StoryCore

/// A range of an index, with the rows in the order of its sort, or of all rows in the order in which they were made.
package struct IndexRange: Equatable, Sendable {
    /// The index of the index in the schema; nil for the table of all rows by number.
    package let index: Int?
    /// The table, whose keys end with the rows' numbers.
    package let table: ModelTable
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
    /// True when all of those are of texts that the keys have a hash of, so that hardly a row fails.
    package let isHashed: Bool
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

    /// Returns the range with this sort that leaves the fewest conditions to check; nil when none applies.
    package func ordered(by sort: Int) -> IndexRange? {
        let order = schema.sorts[sort].order
        let best = ranges { $0.order == order }.min {
            ($0.rest.count, -$0.prefix.count) < ($1.rest.count, -$1.prefix.count)
        }
        return best ?? (order == .created ? all : nil)
    }

    /// The range of all rows in the order in which they were made.
    private var all: IndexRange {
        IndexRange(
            index: nil, table: schema.numbers, prefix: [], prefixCount: 0, lower: [], upper: nil, rest: conditions,
            isHashed: conditions.isEmpty, tally: tallyKey([]))
    }

    /// Returns the index range with the fewest rows, in whatever order; that of all rows where no index applies.
    ///
    /// - Parameter count: reads a stored count.
    /// - Throws: any error of `count`.
    package func narrowest(
        _ count: (_ tally: [UInt8]) throws(StorageError) -> UInt64
    ) throws(StorageError) -> IndexRange {
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
        return best?.range ?? all
    }

    private var tally: Count? {
        let isSet = conditions.filter { isUnset($0) && $0.value == .flag(false) }
        guard isSet.count <= 1, !conditions.contains(where: \.value.isHashed) else { return nil }
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
        var (rest, hashed) = (conditions, 0)
        for filter in index.filters {
            guard let condition = given(filter), key.add(condition, schema) else { return nil }
            if condition.value.isHashed { hashed += 1 } else { rest.removeAll { $0.filter == filter } }
            // For a pair made of two fields, a row that passes the condition on the first one passes that on the
            // second.
            if !conditions.contains(condition), case .pair(_, let other) = schema.filters[filter].test {
                rest.removeAll { schema.filters[$0.filter].test == .field(other) }
            }
        }
        let head = Array(key.bytes)
        narrow(&key, by: index.order, leaving: &rest)
        guard key.count + 6 <= KeyBuffer.keyLength.upperBound else { return nil }
        let prefix = Array(key.bytes)
        let bounds = bounds(prefix, behind: head, by: index.order, leaving: &rest)
        return IndexRange(
            index: number, table: index.table, prefix: prefix, prefixCount: head.count, lower: bounds.lower,
            upper: bounds.upper, rest: rest, isHashed: hashed == rest.count,
            tally: tallyKey(index.filters.compactMap { given($0) }))
    }

    /// Adds the sort part of a condition on the sort field, which narrows the range: one sender's stories are a part of
    /// all stories by sender.
    private func narrow(_ key: inout KeyBuffer, by order: RowOrder, leaving rest: inout [Condition]) {
        guard case .field(let field) = order,
            let condition = rest.first(where: { schema.filters[$0.filter].test == .field(field) }),
            !condition.value.isCutInSort
        else { return }
        let count = key.count
        guard key.addSort(condition.value, isOptional: schema.fields[field].isOptional) else {
            return key.cut(to: count)
        }
        // A text of as many bytes as sorting looks at has the part of longer ones.
        if case .text(let text) = condition.value, text.count == KeyBuffer.textPrefix { return }
        rest.removeAll { $0 == condition }
    }

    /// Returns the bounds of the keys with a prefix; conditions on the order of the sort field narrow them, and leave
    /// `rest` where keys are as exact as the field.
    ///
    /// - Parameter head: the part of the prefix before the sort part.
    private func bounds(
        _ prefix: [UInt8], behind head: [UInt8], by order: RowOrder, leaving rest: inout [Condition]
    ) -> (lower: [UInt8], upper: [UInt8]?) {
        var (lower, upper) = (prefix, prefix.prefixEnd)
        guard case .field(let field) = order else { return (lower, upper) }
        let isOptional = schema.fields[field].isOptional
        rest.removeAll { condition in
            let test = schema.filters[condition.filter].test
            guard test.boundedField == field, let key = condition.value.sortKey(behind: head, isOptional) else {
                return false
            }
            // Rows without the field are in no bounds.
            let present = isOptional ? head + [0] : head
            let isCut = condition.value.isCutInSort
            if test == .notBefore(field) {
                lower = lower.greatest(key)
                upper = upper.least(present.prefixEnd)
            } else {
                lower = lower.greatest(present)
                upper = upper.least(isCut ? key.prefixEnd : key)
            }
            return !isCut
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

extension FilterValue {
    /// Returns the beginning of the keys whose sort part is of the value; nil when no sort part is made of it.
    fileprivate func sortKey(behind head: [UInt8], _ isOptional: Bool) -> [UInt8]? {
        var key = KeyBuffer(capacity: 16)
        guard key.addSort(self, isOptional: isOptional) else { return nil }
        return head + key.bytes
    }
}
