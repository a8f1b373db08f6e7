import StoryCore

/// A reader of the value of one filter, spelled as the schema of its kind says.
struct FilterReader {
    /// The filter's name, for errors.
    let name: String
    /// The scanner that reads numbers.
    let scanner: JSONScanner

    /// Returns the value of a filter of such a shape.
    ///
    /// - Throws: the reason why the text is no such value.
    func value(_ text: UnsafeRawBufferPointer, as shape: FilterShape) throws(FieldError) -> FilterValue {
        switch shape {
        case .name: .name([UInt8](try Identifier(spelled: text, field: name).spelling))
        case .pair: try pair(text)
        case .integer(let range, let rule): .integer(try integer(text, range, rule))
        case .number: .number(try number(text))
        case .folded(let maxCount, let noun): try folded(text, maxCount, noun)
        case .text(let maxCount, let noun): .text(try exact(text, maxCount, noun))
        case .date: .date(try time(text))
        case .flag: .flag(try flag(text))
        case .fraction: .fraction(try fraction(text))
        case .choice(let words): .choice(try choice(text, words))
        case .decimal: .decimal(try decimal(text))
        }
    }

    private func pair(_ text: UnsafeRawBufferPointer) throws(FieldError) -> FilterValue {
        let (first, second) = text.parted(at: 0x2C)
        guard first.spellsName(Identifier.length), second.spellsName(Identifier.length) else {
            throw refused(.malformed, "\(name)= is two IDs with a comma between them")
        }
        return .pair([UInt8](copying: first), [UInt8](copying: second))
    }

    private func integer(
        _ text: UnsafeRawBufferPointer, _ range: ClosedRange<Int64>, _ rule: FieldRule
    ) throws(FieldError) -> Int64 {
        let number: Int64?
        switch DecimalNumber(text) {
        case .value(let value): number = Int64(exactly: value)
        case .negative: number = Int64(negative: text.part(1..<text.count))
        case .tooGreat: number = nil
        case .malformed: throw refused(.malformed, "\(name)= is a whole number in decimal digits")
        }
        if let number, range.contains(number) { return number }
        throw refused(rule, "\(name)= is \(range.lowerBound) to \(range.upperBound)")
    }

    private func number(_ text: UnsafeRawBufferPointer) throws(FieldError) -> Double {
        let document = scanner.scan(text, readable: text.count)
        if document.isValid {
            switch document.root.memberValue(in: text) {
            case .integer(let value): return Double(value)
            case .number(let value): return value
            case .null, .boolean, .string, .object, .array: break
            }
        }
        throw refused(.malformed, "\(name)= is a number, such as 1.4")
    }

    private func folded(
        _ text: UnsafeRawBufferPointer, _ maxCount: Int, _ noun: String
    ) throws(FieldError) -> FilterValue {
        if 1...maxCount ~= text.count { return .folded(text.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }) }
        throw refused(text.count == 0 ? .empty : .tooLong, "\(noun) has 1–\(maxCount) bytes")
    }

    private func exact(
        _ text: UnsafeRawBufferPointer, _ maxCount: Int, _ noun: String
    ) throws(FieldError) -> [UInt8] {
        if text.count <= maxCount { return [UInt8](copying: text) }
        throw refused(.tooLong, "\(noun) has at most \(maxCount) bytes")
    }

    private func decimal(_ text: UnsafeRawBufferPointer) throws(FieldError) -> ModelNumber {
        switch ModelNumber.read(text) {
        case .number(let number): return number
        case .outOfRange: throw refused(.outOfRange, "\(name)= is a number below 10^18")
        case .malformed: throw refused(.malformed, "\(name)= is a number, such as 1.4")
        }
    }

    private func time(_ text: UnsafeRawBufferPointer) throws(FieldError) -> Instant {
        switch Instant.read(utf8: text) {
        case .instant(let time): return time
        case .outOfRange: throw refused(.outOfRange, "\(name)= is \(Instant.calendar)")
        case .malformed: throw refused(.malformed, "\(name)= is an RFC 3339 time, such as 2026-11-20T12:34:56Z")
        }
    }

    private func flag(_ text: UnsafeRawBufferPointer) throws(FieldError) -> Bool {
        if text.equals("true") { return true }
        if text.equals("false") { return false }
        throw refused(.notSelected, "\(name)= is true or false")
    }

    /// Returns the numerator in the lower half and the denominator in the upper half.
    private func fraction(_ text: UnsafeRawBufferPointer) throws(FieldError) -> UInt64 {
        let (first, second) = text.parted(at: 0x2F)
        let limit = UInt64(UInt32.max)
        if case .value(let one) = DecimalNumber(first), case .value(let other) = DecimalNumber(second),
            1...limit ~= one, 1...limit ~= other
        {
            return one | other << 32
        }
        throw refused(.malformed, "\(name)= is a fraction above zero, such as 1/125")
    }

    private func choice(_ text: UnsafeRawBufferPointer, _ words: [String]) throws(FieldError) -> UInt8 {
        for (index, word) in words.enumerated() where text.equals(text: word) { return UInt8(index) }
        throw refused(.notSelected, "\(name)= is one of \(words.joined(separator: ", "))")
    }

    private func refused(_ rule: FieldRule, _ message: String) -> FieldError {
        FieldError(field: name, rule: rule, message: message)
    }
}

extension Int64 {
    /// Creates the negative number with these digits; nil if it does not fit.
    fileprivate init?(negative digits: UnsafeRawBufferPointer) {
        guard case .value(let magnitude) = DecimalNumber(digits), magnitude <= Int64.min.magnitude else { return nil }
        self = Int64(truncatingIfNeeded: 0 &- magnitude)
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the parts before and after the first such byte; the second is empty if there is none.
    fileprivate func parted(at byte: UInt8) -> (first: UnsafeRawBufferPointer, second: UnsafeRawBufferPointer) {
        let index = first(byte) ?? count
        return (part(0..<index), part(Swift.min(index + 1, count)..<count))
    }
}
