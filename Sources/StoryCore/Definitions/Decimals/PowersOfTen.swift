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
