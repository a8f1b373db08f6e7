import StoryCore

/// The values of filters, each spelled as the schema of the target's kind has it.
extension LineParts {
    /// What a filter asks for; nil, and an error noted, when the text spells no value of it.
    ///
    /// - Parameter filter: its index in the schema.
    mutating func condition(
        _ filter: Int, _ text: UnsafeRawBufferPointer, _ scanner: JSONScanner
    ) throws(Failure) -> Condition? {
        let schema = catalogue[try known(kind)]
        let name = schema.filters[filter].name
        let value: FilterValue? =
            switch schema.filterShapes[filter] {
            case .name: identifier(text, field: name).map { .name([UInt8]($0.spelling)) }
            case .pair: pair(text, name)
            case .integer(let range, let rule): integer(text, name, range, rule).map { .integer($0) }
            case .number: number(text, name, scanner).map { .number($0) }
            case .folded(let maxCount, let noun): folded(text, name, maxCount, noun)
            case .date: time(text, name).map { .date($0) }
            case .flag: flag(text, name).map { .flag($0) }
            case .fraction: fraction(text, name).map { .fraction($0) }
            case .choice(let words): choice(text, name, words).map { .choice($0) }
            }
        return value.map { Condition(filter, $0) }
    }

    private mutating func pair(_ text: UnsafeRawBufferPointer, _ name: String) -> FilterValue? {
        let (first, second) = text.parted(at: 0x2C)
        guard first.spellsName(Identifier.length), second.spellsName(Identifier.length) else {
            reject(name, .malformed, "\(name)= is two IDs with a comma between them")
            return nil
        }
        return .pair([UInt8](copying: first), [UInt8](copying: second))
    }

    private mutating func integer(
        _ text: UnsafeRawBufferPointer, _ name: String, _ range: ClosedRange<Int64>, _ rule: FieldRule
    ) -> Int64? {
        let number: Int64?
        switch DecimalNumber(text) {
        case .value(let value): number = Int64(exactly: value)
        case .negative: number = Int64(negative: text.part(1..<text.count))
        case .tooGreat: number = nil
        case .malformed:
            reject(name, .malformed, "\(name)= is a whole number in decimal digits")
            return nil
        }
        if let number, range.contains(number) { return number }
        reject(name, rule, "\(name)= is \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    private mutating func number(_ text: UnsafeRawBufferPointer, _ name: String, _ scanner: JSONScanner) -> Double? {
        let document = scanner.scan(text, readable: text.count)
        if document.isValid {
            switch document.root.memberValue(in: text) {
            case .integer(let value): return Double(value)
            case .number(let value): return value
            case .null, .boolean, .string, .object, .array: break
            }
        }
        reject(name, .malformed, "\(name)= is a number, such as 1.4")
        return nil
    }

    private mutating func folded(
        _ text: UnsafeRawBufferPointer, _ name: String, _ maxCount: Int, _ noun: String
    ) -> FilterValue? {
        if 1...maxCount ~= text.count { return .folded(text.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }) }
        reject(name, text.count == 0 ? .empty : .tooLong, "\(noun) has 1–\(maxCount) bytes")
        return nil
    }

    private mutating func time(_ text: UnsafeRawBufferPointer, _ name: String) -> Instant? {
        if let time = Instant(utf8: text) { return time }
        reject(name, .malformed, "\(name)= is an RFC 3339 time, such as 2026-11-20T12:34:56Z")
        return nil
    }

    private mutating func flag(_ text: UnsafeRawBufferPointer, _ name: String) -> Bool? {
        if text.equals("true") { return true }
        if text.equals("false") { return false }
        reject(name, .notSelected, "\(name)= is true or false")
        return nil
    }

    /// The numerator in the lower half, the denominator in the upper one.
    private mutating func fraction(_ text: UnsafeRawBufferPointer, _ name: String) -> UInt64? {
        let (first, second) = text.parted(at: 0x2F)
        let limit = UInt64(UInt32.max)
        if case .value(let one) = DecimalNumber(first), case .value(let other) = DecimalNumber(second),
            1...limit ~= one, 1...limit ~= other
        {
            return one | other << 32
        }
        reject(name, .malformed, "\(name)= is a fraction above zero, such as 1/125")
        return nil
    }

    private mutating func choice(_ text: UnsafeRawBufferPointer, _ name: String, _ words: [String]) -> UInt8? {
        for (index, word) in words.enumerated() where text.elementsEqual(word.utf8) { return UInt8(index) }
        reject(name, .notSelected, "\(name)= is one of \(words.joined(separator: ", "))")
        return nil
    }
}

extension Int64 {
    /// The number below zero with these digits; nil where it does not fit.
    fileprivate init?(negative digits: UnsafeRawBufferPointer) {
        guard case .value(let magnitude) = DecimalNumber(digits), magnitude <= Int64.min.magnitude else { return nil }
        self = Int64(truncatingIfNeeded: 0 &- magnitude)
    }
}

extension UnsafeRawBufferPointer {
    /// What stands before the first such byte and what stands behind it; all and nothing where there is none.
    fileprivate func parted(at byte: UInt8) -> (first: UnsafeRawBufferPointer, second: UnsafeRawBufferPointer) {
        let index = first(byte) ?? count
        return (part(0..<index), part(Swift.min(index + 1, count)..<count))
    }
}
