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
