/// A decimal number, slowly: a whole number of units of 10^-18, below 10^36 of them.
struct PlainNumber: Hashable, Comparable {
    static let zero = PlainNumber(units: 0)
    /// The units that make one.
    static let one = power(18)

    let units: Int128

    private init(units: Int128) { self.units = units }

    init(_ whole: Int) { units = Int128(whole) * PlainNumber.one }

    static func power(_ exponent: Int) -> Int128 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

    static func < (left: PlainNumber, right: PlainNumber) -> Bool { left.units < right.units }

    /// The number of decimal digits of a number that is not negative; none for 0.
    private static func digits(_ number: Int128) -> Int {
        var (count, rest) = (0, number)
        while rest > 0 { (count, rest) = (count + 1, rest / 10) }
        return count
    }

    /// A whole number without its last digits, halves to even.
    ///
    /// - Parameter isMore: whether something follows behind the last digit.
    private static func shortened(_ number: Int128, by count: Int, isMore: Bool = false) -> Int128 {
        guard count > 0 else { return number }
        guard count < 39 else { return 0 }
        let unit = power(count)
        let (short, rest) = (number / unit, number % unit)
        let half = unit / 2
        if rest > half || (rest == half && isMore) { return short + 1 }
        if rest == half { return Planted.is(.halvesUp) ? short + 1 : short + short % 2 }
        return short
    }

    /// The number of a sign and units, rounded to 18 digits; nil out of range.
    private static func rounded(_ units: Int128) -> PlainNumber? {
        rounded(isNegative: units < 0, units.magnitude128, exponent: 0)
    }

    /// The number `digits` · 10^`exponent` units, rounded once.
    private static func rounded(
        isNegative: Bool, _ number: Int128, exponent: Int, isMore: Bool = false
    ) -> PlainNumber? {
        let most = Planted.is(.seventeenDigits) ? 17 : 18
        let count = digits(number)
        guard count > 0 else { return .zero }
        guard count + exponent <= 36 else { return nil }
        let dropped = max(count - most, -exponent, 0)
        let short = shortened(number, by: dropped, isMore: isMore)
        guard short > 0 else { return .zero }
        let units = short * power(exponent + dropped)
        guard units < power(36) else { return nil }
        return PlainNumber(units: isNegative ? -units : units)
    }

    static func + (left: PlainNumber, right: PlainNumber) -> PlainNumber? { rounded(left.units + right.units) }

    static func - (left: PlainNumber, right: PlainNumber) -> PlainNumber? { rounded(left.units - right.units) }

    static prefix func - (number: PlainNumber) -> PlainNumber { PlainNumber(units: -number.units) }

    /// Up to 18 digits, and the units that the last one counts, as a power of ten.
    private var parts: (digits: Int128, exponent: Int) {
        var (digits, exponent) = (units.magnitude128, 0)
        while digits > 0, digits % 10 == 0 { (digits, exponent) = (digits / 10, exponent + 1) }
        return (digits, exponent)
    }

    static func * (left: PlainNumber, right: PlainNumber) -> PlainNumber? {
        let (one, other) = (left.parts, right.parts)
        return rounded(
            isNegative: (left.units < 0) != (right.units < 0), one.digits * other.digits,
            exponent: one.exponent + other.exponent - 18)
    }

    static func / (left: PlainNumber, right: PlainNumber) -> PlainNumber? {
        guard right.units != 0 else { return nil }
        guard left.units != 0 else { return .zero }
        var one = left.parts
        let other = right.parts
        let more = 37 - digits(one.digits)
        one = (one.digits * power(more), one.exponent - more)
        var quotient = one.digits / other.digits
        if Planted.is(.quotientsAreCut) { quotient -= quotient % power(digits(quotient) - 18) }
        let isMore = one.digits % other.digits != 0 && !Planted.is(.quotientsAreCut)
        // One digit more, so that a rest is never a half.
        return rounded(
            isNegative: (left.units < 0) != (right.units < 0), quotient * 10 + (isMore ? 1 : 0),
            exponent: one.exponent - other.exponent + 17)
    }

    /// Rounded to so many digits behind the point.
    func rounded(digits: Int) -> PlainNumber? {
        let short = PlainNumber.shortened(units.magnitude128, by: 18 - digits) * PlainNumber.power(18 - digits)
        return PlainNumber.rounded(units < 0 ? -short : short)
    }

    var floor: PlainNumber {
        let rest = units % PlainNumber.one
        let isBelow = rest < 0 && !Planted.is(.floorIsTowardsZero)
        return PlainNumber(units: units - rest - (isBelow ? PlainNumber.one : 0))
    }

    /// The whole number, where it is one and small.
    var index: Int? { units % PlainNumber.one == 0 ? Int(exactly: units / PlainNumber.one) : nil }

    /// Without an exponent and without zeros at its ends.
    var text: String {
        let all = units.magnitude128
        var behind = String(all % PlainNumber.one)
        behind = String(repeating: "0", count: 18 - behind.count) + behind
        while behind.hasSuffix("0") { behind.removeLast() }
        return (units < 0 ? "-" : "") + "\(all / PlainNumber.one)" + (behind.isEmpty ? "" : "." + behind)
    }
}

extension Int128 {
    fileprivate var magnitude128: Int128 { self < 0 ? -self : self }
}

/// Numbers out of tokens.
extension PlainNumber {
    /// The result of reading a text as a number.
    enum Token: Equatable {
        case number(PlainNumber)
        case outOfRange
        case none
    }

    /// Reads a JSON number.
    static func read(_ text: [UInt8]) -> Token {
        var rest = text[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        let whole = taken(&rest)
        guard !whole.isEmpty, whole.count == 1 || whole.first != 0 else { return .none }
        var (part, exponent): ([Int128], Int) = ([], 0)
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            part = taken(&rest)
            guard !part.isEmpty else { return .none }
        }
        if let mark = rest.first, mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") {
            rest.removeFirst()
            let isDown = rest.first == UInt8(ascii: "-")
            if isDown || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            let power = taken(&rest)
            guard !power.isEmpty else { return .none }
            exponent = power.reduce(0) { min($0 * 10 + Int($1), 1_000_000) } * (isDown ? -1 : 1)
        }
        guard rest.isEmpty else { return .none }
        return number(isNegative, Array((whole + part).drop { $0 == 0 }), exponent - part.count)
    }

    private static func taken(_ rest: inout ArraySlice<UInt8>) -> [Int128] {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(digits.count)
        return digits.map { Int128($0 - UInt8(ascii: "0")) }
    }

    private static func number(_ isNegative: Bool, _ digits: [Int128], _ point: Int) -> Token {
        guard !digits.isEmpty, digits.count + point >= -18 else { return .number(.zero) }
        guard digits.count + point <= 18 else { return .outOfRange }
        let kept = digits.prefix(30)
        let isMore = digits.dropFirst(30).contains { $0 != 0 }
        // One digit more, so that a rest is never a half.
        let number = kept.reduce(0) { $0 * 10 + $1 } * 10 + (isMore ? 1 : 0)
        let rounded = rounded(
            isNegative: isNegative, number, exponent: point + 18 - 1 + (digits.count - kept.count))
        return rounded.map { .number($0) } ?? .outOfRange
    }
}
