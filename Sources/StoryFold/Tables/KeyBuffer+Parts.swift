import StoryCore

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
