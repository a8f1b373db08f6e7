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
