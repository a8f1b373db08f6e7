import CXXHash
package import StoryCore

extension KeyBuffer {
    /// Adds a part of a row's key; returns false when the row has no such key.
    mutating func add(_ part: KeyPart, of row: borrowing RowView) -> Bool {
        switch part.source {
        case .value(let field):
            guard row.has(field) else { return false }
            addValue(field, of: row)
        case .text(let field):
            guard row.has(field) else { return false }
            addEqual(row.text(field))
        case .pair(let one, let other):
            guard row.has(one), row.has(other) else { return false }
            addPair(row.text(one), row.text(other))
        case .unset(let field): return !row.flag(field)
        case .sort(let field, let isFolded): addSort(field, isFolded: isFolded, of: row)
        }
        return true
    }

    private mutating func addValue(_ field: Int, of row: borrowing RowView) {
        switch row.layout.slots[field].storage {
        case .name: addName(row.text(field))
        case .text: addText(row.text(field), isFolded: false)
        case .integer: addInteger(row.integer(field))
        case .number: addDouble(row.double(field))
        case .decimal: addDecimal(row.decimal(field))
        case .date: addDate(row.date(field))
        case .flag: add(row.flag(field) ? 1 : 0)
        case .fraction: addOrdered(row.bits(field))
        case .choice: add(UInt8(truncatingIfNeeded: row.bits(field)))
        case .list, .map: break
        }
    }

    private mutating func addSort(_ field: Int, isFolded: Bool, of row: borrowing RowView) {
        let slot = row.layout.slots[field]
        if slot.presence >= 0 {
            let isThere = row.has(field)
            add(isThere ? 0 : 1)
            guard isThere else { return }
        }
        switch slot.storage {
        case .text: addText(row.text(field), isFolded: isFolded)
        case .fraction:
            let bits = row.bits(field)
            addDouble(Double(bits & 0xFFFF_FFFF) / Double(max(bits >> 32, 1)))
        case .name, .list, .map, .integer, .number, .decimal, .date, .flag, .choice: addValue(field, of: row)
        }
    }

    /// Adds an element of a list.
    mutating func addElement(_ value: ModelValue) {
        switch value {
        case .text(let text): addEqual(text)
        case .number(let number): addDecimal(number)
        case .boolean(let flag): add(flag ? 1 : 0)
        case .time(let time): addDate(time)
        case .absent, .list, .map, .array, .object: break
        }
    }
}

/// The parts of keys with the values of declared models.
extension KeyBuffer {
    /// The number of bytes up to which a text is whole in a part that only equality looks at.
    package static let wholeText = 32
    /// The number of bytes of a longer text in such a part, before the hash.
    private static let textHead = 16

    /// Adds a text that is only compared for equality: its length and its bytes, or of one of more than 32 bytes the
    /// first 16 and a hash of all.
    package mutating func addEqual(_ text: UnsafeRawBufferPointer) {
        guard text.count > KeyBuffer.wholeText else {
            add(UInt8(truncatingIfNeeded: text.count))
            return add(text)
        }
        add(UInt8(KeyBuffer.wholeText + 1))
        add(text.slice(0, count: KeyBuffer.textHead))
        let hash = xxhi_128(text.baseAddress, text.count, 0)
        addOrdered(hash.high)
        addOrdered(hash.low)
    }

    /// Adds a decimal in its order: the sign and the exponent of the first digit in a byte, then 18 digits as a number
    /// of eight bytes; of a negative one the complement of both.
    package mutating func addDecimal(_ number: ModelNumber) {
        var digits = number.digits.magnitude
        guard digits > 0 else {
            add(0x80)
            return addOrdered(0)
        }
        // 18 digits at most, of which as many as the scale are behind the point.
        var exponent = ModelNumber.precision - Int(number.scale)
        while digits < KeyBuffer.leastDigits {
            digits *= 10
            exponent -= 1
        }
        let head = UInt8(truncatingIfNeeded: 0xC0 + exponent)
        add(number.digits < 0 ? ~head : head)
        addOrdered(number.digits < 0 ? ~digits : digits)
    }

    /// The least number of 18 digits.
    private static let leastDigits: UInt64 = 100_000_000_000_000_000
}
