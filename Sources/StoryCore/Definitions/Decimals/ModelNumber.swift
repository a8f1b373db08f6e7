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
