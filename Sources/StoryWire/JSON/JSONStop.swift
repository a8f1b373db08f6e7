import StoryCore

/// A JSON reader that finds the first byte which is invalid at its offset.
///
/// It is used only for texts that the scanner refused.
struct JSONStop {
    /// The tokens that may come next.
    private enum Expectation {
        case value
        /// A value, or the end of an empty array.
        case element
        case key
        /// A key, or the end of an empty object.
        case firstKey
        case colon
        /// A comma, or the end of the innermost container.
        case separator
        case end
    }

    private let text: UnsafeRawBufferPointer
    private var index = 0
    /// The closing brackets of the open containers, the innermost last.
    private var closings: [UInt8] = []
    private var expected = Expectation.value

    private init(_ text: UnsafeRawBufferPointer) { self.text = text }

    /// Returns the offset of that byte, the text's length if it ends too early; nil if all of it is JSON.
    ///
    /// - Parameter text: well-formed UTF-8.
    static func offset(in text: UnsafeRawBufferPointer) -> Int? {
        var reader = JSONStop(text)
        while reader.consumePart() {}
        return reader.isComplete ? nil : reader.index
    }

    private var isComplete: Bool {
        switch expected {
        case .end: index == text.count
        case .value, .element, .key, .firstKey, .colon, .separator: false
        }
    }

    private var next: UInt8? { index < text.count ? text[index] : nil }

    /// Takes a bracket, a separator, a key or a scalar value, and the white space before it; returns false at the stop.
    private mutating func consumePart() -> Bool {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
        guard let byte = next else { return false }
        switch expected {
        case .element where byte == 0x5D, .firstKey where byte == 0x7D: return close()
        case .value, .element: return consumeValue(byte)
        case .key, .firstKey:
            guard byte == 0x22, consumeString() else { return false }
            expected = .colon
        case .colon:
            guard byte == 0x3A else { return false }
            index += 1
            expected = .value
        case .separator:
            if byte == closings.last { return close() }
            guard byte == 0x2C else { return false }
            index += 1
            expected = closings.last == 0x7D ? .key : .value
        case .end: return false
        }
        return true
    }

    private mutating func consumeValue(_ first: UInt8) -> Bool {
        switch first {
        case 0x7B: return open(closing: 0x7D, .firstKey)
        case 0x5B: return open(closing: 0x5D, .element)
        case 0x22: return consumeString() && endValue()
        case 0x74: return consume("true") && endValue()
        case 0x66: return consume("false") && endValue()
        case 0x6E: return consume("null") && endValue()
        default: return consumeNumber() && endValue()
        }
    }

    private mutating func open(closing: UInt8, _ next: Expectation) -> Bool {
        index += 1
        closings.append(closing)
        expected = next
        return true
    }

    private mutating func close() -> Bool {
        index += 1
        closings.removeLast()
        return endValue()
    }

    private mutating func endValue() -> Bool {
        expected = closings.isEmpty ? .end : .separator
        return true
    }

    private mutating func consume(_ word: StaticString) -> Bool {
        for offset in 0..<word.utf8CodeUnitCount {
            guard consume(where: { $0 == word.utf8Start[offset] }) else { return false }
        }
        return true
    }

    /// Takes one byte if it passes a test.
    private mutating func consume(where isRight: (UInt8) -> Bool) -> Bool {
        guard let byte = next, isRight(byte) else { return false }
        index += 1
        return true
    }
}

// MARK: Strings and numbers
extension JSONStop {
    private mutating func consumeString() -> Bool {
        index += 1
        while let byte = next, byte >= 0x20 {
            index += 1
            if byte == 0x22 { return true }
            if byte == 0x5C, !consumeEscape() { return false }
        }
        return false
    }

    /// Takes the rest of an escape after its backslash; of a surrogate pair, both halves.
    private mutating func consumeEscape() -> Bool {
        guard consume(where: { "\"\\/bfnrtu".utf8.contains($0) }) else { return false }
        guard text[index - 1] == 0x75 else { return true }
        guard consume(where: JSONStop.isHex) else { return false }
        guard text[index - 1] | 0x20 == 0x64 else { return consumeHex(3) }
        // D0 to D7 begin a character of their own, D8 to DB a high surrogate.
        guard consume(where: { JSONStop.isHex($0) && !JSONStop.isSecondHalf($0) }) else { return false }
        let isAlone = (0x30...0x37).contains(text[index - 1])
        guard consumeHex(2) else { return false }
        return isAlone
            || consume("\\u") && consume(where: { $0 | 0x20 == 0x64 }) && consume(where: JSONStop.isSecondHalf)
                && consumeHex(2)
    }

    private mutating func consumeHex(_ count: Int) -> Bool {
        for _ in 0..<count where !consume(where: JSONStop.isHex) { return false }
        return true
    }

    private mutating func consumeNumber() -> Bool {
        _ = consume { $0 == 0x2D }
        if !consume(where: { $0 == 0x30 }), !consumeDigits() { return false }
        if consume(where: { $0 == 0x2E }), !consumeDigits() { return false }
        guard consume(where: { $0 | 0x20 == 0x65 }) else { return true }
        _ = consume { $0 == 0x2B || $0 == 0x2D }
        return consumeDigits()
    }

    private mutating func consumeDigits() -> Bool {
        let start = index
        while consume(where: { (0x30...0x39).contains($0) }) {}
        return index > start
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    /// Returns whether a byte is the second digit of a low surrogate, C to F.
    private static func isSecondHalf(_ byte: UInt8) -> Bool { (0x63...0x66).contains(byte | 0x20) }
}
