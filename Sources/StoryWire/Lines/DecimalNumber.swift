/// The result of reading a text as a whole number in decimal digits.
enum DecimalNumber: Equatable {
    case value(UInt64)
    /// Digits only, but more than 64 bits.
    case tooGreat
    /// A minus sign, then digits.
    case negative
    case malformed

    init(_ text: UnsafeRawBufferPointer) {
        let isNegative = text.count > 0 && text[0] == 0x2D
        let digits = isNegative ? text.part(1..<text.count) : text
        guard digits.count > 0 else {
            self = .malformed
            return
        }
        var value: UInt64? = 0
        for byte in digits {
            guard byte &- 0x30 < 10 else {
                self = .malformed
                return
            }
            value = value.flatMap { DecimalNumber.extend($0, by: UInt64(byte &- 0x30)) }
        }
        guard !isNegative else {
            self = .negative
            return
        }
        self = value.map { .value($0) } ?? .tooGreat
    }

    private static func extend(_ value: UInt64, by digit: UInt64) -> UInt64? {
        let (tens, tensOverflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, sumOverflow) = tens.addingReportingOverflow(digit)
        return tensOverflow || sumOverflow ? nil : sum
    }
}
