/// A decimal number of a model: at most 18 significant digits, at most 18 digits after the point, below 10^18.
///
/// The value is `digits` × 10^-`scale`, without trailing zeros after the point, so that equal numbers are equal bits.
package struct ModelNumber: Hashable, BitwiseCopyable, Sendable {
    /// The maximum number of significant digits, and of digits after the point.
    package static let precision = 18
    /// Zero.
    package static var zero: ModelNumber { ModelNumber(digits: 0, scale: 0) }

    /// The significant digits with the sign, within ±(10^18 - 1).
    package let digits: Int64
    /// The number of digits after the point, 0 to 18.
    package let scale: UInt8

    /// Creates a number of digits without trailing zeros after the point.
    private init(digits: Int64, scale: UInt8) {
        self.digits = digits
        self.scale = scale
    }

    /// Creates a number as it is packed; a scale that no number has counts as the greatest one.
    init(packedDigits digits: Int64, scale: UInt8) {
        self.init(digits: digits, scale: min(scale, UInt8(ModelNumber.precision)))
    }

    /// Creates a whole number; nil from 10^18 on.
    package init?(_ whole: some BinaryInteger) {
        guard let digits = Int64(exactly: whole), digits.magnitude < PowersOfTen.limit else { return nil }
        self.init(digits: digits, scale: 0)
    }

    /// Creates the number of digits and a scale, and removes the trailing zeros after the point; nil from 10^18 on.
    ///
    /// - Parameters:
    ///   - magnitude: at most 10^18.
    ///   - scale: 0 to 18.
    init?(isNegative: Bool, magnitude: UInt64, scale: Int) {
        guard magnitude < PowersOfTen.limit || scale > 0 else { return nil }
        var (magnitude, scale) = (magnitude, scale)
        while scale > 0, magnitude % 10 == 0 {
            magnitude /= 10
            scale -= 1
        }
        let digits = Int64(truncatingIfNeeded: magnitude)
        self.init(digits: isNegative ? -digits : digits, scale: UInt8(truncatingIfNeeded: scale))
    }

    /// The digits without the sign.
    var magnitude: UInt64 { digits.magnitude }
    /// True below zero.
    var isNegative: Bool { digits < 0 }

    /// The number as an integer; nil where it has digits after the point.
    package var whole: Int64? { scale == 0 ? digits : nil }

    /// The number with the other sign.
    package var negated: ModelNumber { ModelNumber(digits: -digits, scale: scale) }
}

extension ModelNumber: Comparable {
    package static func < (left: ModelNumber, right: ModelNumber) -> Bool {
        if left.scale == right.scale { return left.digits < right.digits }
        let aligned = ModelNumber.aligned(left, right)
        return aligned.left < aligned.right
    }

    /// Returns the digits of two numbers at the greater of their scales: each below 10^36.
    static func aligned(_ left: ModelNumber, _ right: ModelNumber) -> (left: Int128, right: Int128, scale: Int) {
        let scale = Int(max(left.scale, right.scale))
        return (left.digits(at: scale), right.digits(at: scale), scale)
    }

    private func digits(at scale: Int) -> Int128 {
        Int128(digits) * Int128(truncatingIfNeeded: PowersOfTen.power(scale - Int(self.scale)))
    }
}

/// Each result is the exact one, rounded once; nil where it is 10^18 or more.
extension ModelNumber {
    /// Returns the sum.
    package func adding(_ other: ModelNumber) -> ModelNumber? {
        if let sum = sumOfWords(other) { return sum }
        let (left, right, scale) = ModelNumber.aligned(self, other)
        let sum = left + right
        return ExactDecimal(isNegative: sum < 0, magnitude: sum.magnitude, scale: scale).rounded
    }

    /// Returns the sum where it needs no rounding and no more than 64 bits on the way, as most sums.
    private func sumOfWords(_ other: ModelNumber) -> ModelNumber? {
        let scale = max(scale, other.scale)
        guard let left = word(at: scale), let right = other.word(at: scale) else { return nil }
        let (sum, isOver) = left.addingReportingOverflow(right)
        guard !isOver, sum.magnitude < PowersOfTen.limit else { return nil }
        return ModelNumber(isNegative: sum < 0, magnitude: sum.magnitude, scale: Int(scale))
    }

    /// Returns the digits at a scale that is not below its own; nil where they need more than 64 bits.
    private func word(at scale: UInt8) -> Int64? {
        var word = digits
        var missing = scale - self.scale
        while missing > 0 {
            let (product, isOver) = word.multipliedReportingOverflow(by: 10)
            guard !isOver else { return nil }
            word = product
            missing -= 1
        }
        return word
    }

    /// Returns the difference.
    package func subtracting(_ other: ModelNumber) -> ModelNumber? { adding(other.negated) }

    /// Returns the product.
    package func multiplied(by other: ModelNumber) -> ModelNumber? {
        ExactDecimal(
            isNegative: isNegative != other.isNegative, magnitude: UInt128(magnitude) * UInt128(other.magnitude),
            scale: Int(scale) + Int(other.scale)
        ).rounded
    }

    /// Returns the quotient; nil where the divisor is zero, too.
    package func divided(by divisor: ModelNumber) -> ModelNumber? {
        guard divisor.digits != 0 else { return nil }
        // The dividend gets 38 digits, so that the quotient has at least 20.
        let shift = PowersOfTen.maxExponent - PowersOfTen.digitCount(UInt128(magnitude))
        let dividend = UInt128(magnitude) * PowersOfTen.power(shift)
        let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: UInt128(divisor.magnitude))
        return ExactDecimal(
            isNegative: isNegative != divisor.isNegative, magnitude: quotient,
            scale: shift + Int(scale) - Int(divisor.scale), hasMore: rest != 0
        ).rounded
    }

    /// Returns the number rounded to a number of digits after the point, halves to even.
    ///
    /// - Parameter digits: 0 to 18.
    package func rounded(toDigits digits: Int) -> ModelNumber? {
        ExactDecimal(isNegative: isNegative, magnitude: UInt128(magnitude), scale: Int(scale))
            .rounded(toScale: digits)
    }

    /// The greatest whole number that is not greater.
    package var floor: ModelNumber? {
        let unit = Int64(truncatingIfNeeded: PowersOfTen.power(Int(scale)))
        let (quotient, rest) = digits.quotientAndRemainder(dividingBy: unit)
        return ModelNumber(rest < 0 ? quotient - 1 : quotient)
    }
}

/// The powers of ten that 128 bits hold.
enum PowersOfTen {
    /// 10^18: numbers are below it.
    static let limit: UInt64 = 1_000_000_000_000_000_000
    /// The greatest exponent of the table.
    static let maxExponent = 38

    private static let powers: [UInt128] = {
        var powers: [UInt128] = [1]
        for _ in 0..<maxExponent { powers.append((powers.last ?? 1) * 10) }
        return powers
    }()

    /// Returns 10^exponent; an exponent outside 0 to 38 counts as the nearest one within.
    static func power(_ exponent: Int) -> UInt128 { powers[min(max(exponent, 0), maxExponent)] }

    /// Returns the number of decimal digits of a number; 0 for zero.
    static func digitCount(_ number: UInt128) -> Int {
        (0..<maxExponent + 1).partitionPoint { powers[$0] <= number }
    }
}
