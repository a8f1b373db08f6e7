extension ModelNumber {
    /// The result of reading a number.
    package enum Reading: Equatable, Sendable {
        case number(ModelNumber)
        /// A number of 10^18 or more.
        case outOfRange
        /// Bytes that are no number of JSON.
        case malformed
    }

    /// Reads a JSON number from its text, never through a double; a number of any length takes time in proportion.
    package static func read(_ text: some Collection<UInt8>) -> Reading { Array(text).withUnsafeBytes { read($0) } }

    /// Reads a JSON number from its bytes. Up to 18 digits without exponent, which most are, take one pass.
    package static func read(_ text: UnsafeRawBufferPointer) -> Reading {
        if let number = readWord(text) { return .number(number) }
        guard let token = NumberToken(text) else { return .malformed }
        return token.value.map(Reading.number) ?? .outOfRange
    }

    private static func readWord(_ text: UnsafeRawBufferPointer) -> ModelNumber? {
        let isNegative = text.first == 0x2D
        let first = isNegative ? 1 : 0
        guard text.count > first, text.count <= precision else { return nil }
        // A zero in front is left to the reader of tokens but before a point.
        if text[first] == 0x30, text.count > first + 1, text[first + 1] != 0x2E { return nil }
        var (word, point): (UInt64, Int?) = (0, nil)
        for index in first..<text.count {
            let digit = text[index] &- 0x30
            if digit < 10 {
                word = word * 10 + UInt64(digit)
            } else {
                guard text[index] == 0x2E, point == nil, index > first, index + 1 < text.count else { return nil }
                point = index
            }
        }
        return ModelNumber(isNegative: isNegative, magnitude: word, scale: point.map { text.count - 1 - $0 } ?? 0)
    }

    /// The maximum length of a number's text, in bytes.
    package static let maxTextCount = 24

    /// Writes the number without exponent and without trailing zeros to memory that has room for `maxTextCount` bytes.
    ///
    /// - Returns: the number of bytes.
    package func write(to start: UnsafeMutableRawPointer) -> Int {
        var text = start
        if isNegative {
            text.storeBytes(of: 0x2D, as: UInt8.self)
            text += 1
        }
        let scale = Int(scale)
        var digitCount = 1
        var rest = magnitude
        while rest >= 10 {
            rest /= 10
            digitCount += 1
        }
        // A zero is in front of the point at least.
        let count = max(digitCount, scale + 1)
        rest = magnitude
        for index in stride(from: count - 1, through: 0, by: -1) {
            let offset = index >= count - scale ? index + 1 : index
            text.storeBytes(of: UInt8(truncatingIfNeeded: 0x30 + rest % 10), toByteOffset: offset, as: UInt8.self)
            rest /= 10
        }
        if scale > 0 { text.storeBytes(of: 0x2E, toByteOffset: count - scale, as: UInt8.self) }
        return text - start + count + (scale > 0 ? 1 : 0)
    }

    /// Appends the same.
    package func append(to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: ModelNumber.maxTextCount, alignment: 1) { text in
            guard let start = text.baseAddress else { return }
            bytes += UnsafeRawBufferPointer(rebasing: text[..<write(to: start)])
        }
    }

    /// The number as text: `-12.5`.
    package var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The parts of a JSON number: the first 36 significant digits, and the exponent.
private struct NumberToken {
    private static let keptDigits = 36
    /// An exponent that no number of digits of a text makes up for.
    private static let maxPower = 1 << 40

    private var isNegative = false
    private var kept: UInt128 = 0
    private var keptCount = 0
    /// The number of significant digits, without zeros in front.
    private var count = 0
    private var hasMore = false
    /// The exponent of ten of the last digit.
    private var exponent = 0

    /// Creates the parts of a text; nil when it is no JSON number.
    init?(_ text: UnsafeRawBufferPointer) {
        var rest = text[...]
        isNegative = rest.take(0x2D)
        guard let first = rest.digit() else { return nil }
        add(first)
        if first != 0 { while let digit = rest.digit() { add(digit) } }
        if rest.take(0x2E) {
            guard let first = rest.digit() else { return nil }
            addFraction(first)
            while let digit = rest.digit() { addFraction(digit) }
        }
        if rest.take(0x45) || rest.take(0x65) {
            guard let power = NumberToken.power(&rest) else { return nil }
            exponent += power
        }
        guard rest.isEmpty else { return nil }
    }

    /// The number, rounded; nil from 10^18 on.
    var value: ModelNumber? {
        guard count > 0, count + exponent >= -ModelNumber.precision else { return .zero }
        guard count + exponent <= ModelNumber.precision else { return nil }
        return ExactDecimal(
            isNegative: isNegative, magnitude: kept, scale: -(exponent + count - keptCount), hasMore: hasMore
        ).rounded
    }

    private mutating func add(_ digit: UInt8) {
        guard count > 0 || digit != 0 else { return }
        count += 1
        if keptCount < NumberToken.keptDigits {
            kept = kept * 10 + UInt128(digit)
            keptCount += 1
        } else if digit != 0 {
            hasMore = true
        }
    }

    private mutating func addFraction(_ digit: UInt8) {
        exponent -= 1
        add(digit)
    }

    private static func power(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Int? {
        let isBelow = rest.take(0x2D)
        if !isBelow { _ = rest.take(0x2B) }
        guard let first = rest.digit() else { return nil }
        var power = Int(first)
        while let digit = rest.digit() { power = min(power * 10 + Int(digit), maxPower) }
        return isBelow ? -power : power
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Takes a byte where it is next.
    fileprivate mutating func take(_ byte: UInt8) -> Bool {
        guard first == byte else { return false }
        removeFirst()
        return true
    }

    /// Takes a decimal digit where it is next, and returns its value.
    fileprivate mutating func digit() -> UInt8? {
        guard let byte = first, 0x30...0x39 ~= byte else { return nil }
        removeFirst()
        return byte - 0x30
    }
}

/// The exact result of an operation, before it is rounded once to a `ModelNumber`.
struct ExactDecimal {
    var isNegative: Bool
    /// The digits, below 10^38.
    var magnitude: UInt128
    /// The number of digits after the point; below zero where zeros follow the digits.
    var scale: Int
    /// True when the exact value has further digits after these, which are not all zero.
    var hasMore = false

    /// The nearest number, halves to even; nil from 10^18 on.
    var rounded: ModelNumber? {
        let count = PowersOfTen.digitCount(magnitude)
        guard count > 0 else { return .zero }
        guard count - scale <= ModelNumber.precision else { return nil }
        guard scale >= 0 else {
            let whole = magnitude * PowersOfTen.power(-scale)
            return make(UInt64(truncatingIfNeeded: whole), scale: 0)
        }
        let dropped = max(count - ModelNumber.precision, scale - ModelNumber.precision, 0)
        guard dropped <= PowersOfTen.maxExponent else { return .zero }
        return make(quotient(dropping: dropped), scale: scale - dropped)
    }

    /// The number that is rounded to a number of digits after the point, halves to even; nil from 10^18 on.
    func rounded(toScale digits: Int) -> ModelNumber? {
        guard scale > digits else { return rounded }
        return make(quotient(dropping: scale - digits), scale: digits)
    }

    /// Returns the digits without the last ones, rounded to the nearest, halves to even.
    private func quotient(dropping dropped: Int) -> UInt64 {
        let unit = PowersOfTen.power(dropped)
        let (quotient, rest) = magnitude.quotientAndRemainder(dividingBy: unit)
        let twice = rest * 2
        let isOver = twice > unit || twice == unit && (hasMore || quotient % 2 == 1)
        return UInt64(truncatingIfNeeded: quotient) + (isOver ? 1 : 0)
    }

    private func make(_ magnitude: UInt64, scale: Int) -> ModelNumber? {
        ModelNumber(isNegative: isNegative, magnitude: magnitude, scale: scale)
    }
}
