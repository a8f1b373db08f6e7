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
            var isThere = false
            row.list(field).forEachValue { element in
                isThere = value.isElement(element)
                return !isThere
            }
            return isThere
        case .unset(let field): return value == .flag(!row.flag(field))
        case .notBefore(let field):
            guard row.has(field), let order = order(of: field, in: row) else { return false }
            return order >= 0
        case .before(let field):
            guard row.has(field), let order = order(of: field, in: row) else { return false }
            return order < 0
        }
    }

    /// Returns the order of a row's value to that of the condition, negative where it comes before; nil where they are of
    /// different types.
    private func order(of field: Int, in row: borrowing RowView) -> Int? {
        switch (row.layout.slots[field].storage, value) {
        case (.date, .date(let time)): row.date(field).order(to: time)
        case (.decimal, .decimal(let number)): row.decimal(field).order(to: number)
        case (.flag, .flag(let flag)): (row.flag(field) ? 1 : 0) - (flag ? 1 : 0)
        case (.text, .text(let text)): -text.order(to: row.text(field))
        case (.text, _), (.list, _), (.map, _), (.name, _), (.integer, _), (.number, _), (.decimal, _), (.date, _),
            (.flag, _), (.fraction, _), (.choice, _):
            nil
        }
    }

    private func isValue(of field: Int, in row: borrowing RowView) -> Bool {
        switch (row.layout.slots[field].storage, value) {
        case (.name, .name(let name)): name.equals(row.text(field))
        case (.text, .text(let text)): text.equals(row.text(field))
        case (.decimal, .decimal(let number)): row.decimal(field) == number
        case (.integer, .integer(let number)): row.integer(field) == number
        case (.number, .number(let number)): row.double(field) == number
        case (.date, .date(let date)): row.date(field) == date
        case (.flag, .flag(let flag)): row.flag(field) == flag
        case (.fraction, .fraction(let bits)): row.bits(field) == bits
        case (.choice, .choice(let word)): row.bits(field) == UInt64(word)
        case (.text, _), (.list, _), (.map, _), (.name, _), (.integer, _), (.number, _), (.decimal, _), (.date, _),
            (.flag, _), (.fraction, _), (.choice, _):
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

extension [UInt8] {
    /// Returns the order to other bytes: negative, 0 or positive.
    fileprivate func order(to other: UnsafeRawBufferPointer) -> Int { withUnsafeBytes { $0.compare(other) } }
}

extension Comparable {
    /// Returns the order to another value: negative, 0 or positive.
    fileprivate func order(to other: Self) -> Int { self < other ? -1 : self == other ? 0 : 1 }
}

extension FilterValue {
    /// Returns true when the value is an element of a list.
    fileprivate func isElement(_ element: ModelValue) -> Bool {
        switch (self, element) {
        case (.text(let text), .text(let other)): text.equals(other)
        case (.decimal(let number), .number(let other)): number == other
        case (.flag(let flag), .boolean(let other)): flag == other
        case (.date(let time), .time(let other)): time == other
        case (.name, _), (.pair, _), (.folded, _), (.text, _), (.integer, _), (.number, _), (.decimal, _), (.date, _),
            (.flag, _), (.fraction, _), (.choice, _):
            false
        }
    }
}

extension FilterValue {
    /// True when a key part for equality has a hash of the value, so that rows with the part need not have the value.
    var isHashed: Bool {
        if case .text(let text) = self { text.count > KeyBuffer.wholeText } else { false }
    }

    /// True when the sort part of the value is that of greater or lesser values too.
    var isCutInSort: Bool {
        if case .text(let text) = self { text.count > KeyBuffer.textPrefix } else { false }
    }
}

extension KeyBuffer {
    /// Adds the key part of a condition; returns false when no key has such a part.
    mutating func add(_ condition: Condition, _ schema: KindSchema) -> Bool {
        switch (schema.filters[condition.filter].test, condition.value) {
        case (.unset, .flag(let isWanted)): return isWanted
        case (.pair, .pair(let one, let other)):
            one.withUnsafeBytes { one in other.withUnsafeBytes { addPair(one, $0) } }
        case (.field, .text(let text)), (.contains, .text(let text)): text.withUnsafeBytes { addEqual($0) }
        case (.field, _), (.contains, _): return addFixed(condition.value)
        case (.pair, _), (.folded, _), (.unset, _), (.notBefore, _), (.before, _): return false
        }
        return true
    }

    /// Adds the sort part of rows whose field has a value; returns false when the sort part is not made of it.
    ///
    /// - Parameter isOptional: true when rows may lack the field.
    mutating func addSort(_ value: FilterValue, isOptional: Bool) -> Bool {
        if isOptional { add(0) }
        switch value {
        case .text(let text): text.withUnsafeBytes { addText($0, isFolded: false) }
        case .fraction: return false
        case .name, .integer, .number, .decimal, .date, .flag, .choice, .pair, .folded: return addFixed(value)
        }
        return true
    }

    /// Adds a value whose parts for equality and for sorting are the same; returns false for others.
    package mutating func addFixed(_ value: FilterValue) -> Bool {
        switch value {
        case .name(let name): name.withUnsafeBytes { addName($0) }
        case .integer(let number): addInteger(number)
        case .number(let number): addDouble(number)
        case .decimal(let number): addDecimal(number)
        case .date(let date): addDate(date)
        case .flag(let flag): add(flag ? 1 : 0)
        case .fraction(let bits): addOrdered(bits)
        case .choice(let word): add(word)
        case .text, .pair, .folded: return false
        }
        return true
    }
}
