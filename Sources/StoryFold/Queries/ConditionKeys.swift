package import StoryCore

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
