package import StoryCore

extension Condition {
    /// Returns whether a row passes; a value of another type than the filter's passes no row.
    package func matches(_ row: borrowing RowView) -> Bool {
        switch row.schema.filters[filter].test {
        case .field(let field):
            guard row.has(field) else { return false }
            return isValue(of: field, in: row)
        case .pair(let one, let other):
            guard case .pair(let left, let right) = value, row.has(one), row.has(other) else { return false }
            let (first, second) = (row.text(one), row.text(other))
            return left.equals(first) && right.equals(second) || left.equals(second) && right.equals(first)
        case .folded(let field):
            guard case .folded(let text) = value, row.has(field) else { return false }
            let bytes = row.text(field)
            return text.elementsEqual(bytes.lazy.map(\.folded))
        case .contains(let field):
            guard case .text(let text) = value else { return false }
            var isThere = false
            row.forEachText(field) { element in
                isThere = text.equals(element)
                return !isThere
            }
            return isThere
        case .unset(let field): return value == .flag(!row.flag(field))
        case .notBefore(let field):
            guard case .date(let time) = value else { return false }
            return row.date(field) >= time
        case .before(let field):
            guard case .date(let time) = value else { return false }
            return row.date(field) < time
        }
    }

    private func isValue(of field: Int, in row: borrowing RowView) -> Bool {
        switch (row.layout.slots[field].storage, value) {
        case (.name, .name(let name)): name.equals(row.text(field))
        case (.integer, .integer(let number)): row.integer(field) == number
        case (.number, .number(let number)): row.double(field) == number
        case (.date, .date(let date)): row.date(field) == date
        case (.flag, .flag(let flag)): row.flag(field) == flag
        case (.fraction, .fraction(let bits)): row.bits(field) == bits
        case (.choice, .choice(let word)): row.bits(field) == UInt64(word)
        case (.text, _), (.texts, _), (.name, _), (.integer, _), (.number, _), (.date, _), (.flag, _), (.fraction, _),
            (.choice, _):
            false
        }
    }
}

extension [Condition] {
    /// Returns whether a row passes all conditions.
    package func match(_ row: borrowing RowView) -> Bool {
        for condition in self {
            guard condition.matches(row) else { return false }
        }
        return true
    }
}

extension KeyBuffer {
    /// Adds the key part of a condition; returns false when no key has such a part.
    mutating func add(_ condition: Condition, _ schema: KindSchema) -> Bool {
        switch (schema.filters[condition.filter].test, condition.value) {
        case (.unset, .flag(let isWanted)): return isWanted
        case (.pair, .pair(let one, let other)):
            one.withUnsafeBytes { one in other.withUnsafeBytes { addPair(one, $0) } }
        case (.field, .name(let name)): name.withUnsafeBytes { addName($0) }
        case (.field, .integer(let number)): addInteger(number)
        case (.field, .number(let number)): addDouble(number)
        case (.field, .date(let date)): addDate(date)
        case (.field, .flag(let flag)): add(flag ? 1 : 0)
        case (.field, .fraction(let bits)): addOrdered(bits)
        case (.field, .choice(let word)): add(word)
        case (.field, _), (.pair, _), (.folded, _), (.contains, _), (.unset, _), (.notBefore, _), (.before, _):
            return false
        }
        return true
    }
}
