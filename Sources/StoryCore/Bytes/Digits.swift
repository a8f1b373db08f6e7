extension UInt64 {
    /// The number of its decimal digits.
    @inlinable
    @inline(__always)
    package var decimalDigitCount: Int {
        // One digit is checked first, since it is the commonest: versions, positions of young logs, uids.
        if self < 10 { return 1 }
        if self < 100 { return 2 }
        if self < 1_000 { return 3 }
        if self < 10_000 { return 4 }
        if self < 100_000 { return 5 }
        if self < 1_000_000 { return 6 }
        var count = 7
        var bound: UInt64 = 10_000_000
        while self >= bound {
            count += 1
            let (next, isPast) = bound.multipliedReportingOverflow(by: 10)
            if isPast { break }
            bound = next
        }
        return count
    }
}

extension [UInt8] {
    /// The bytes as hexadecimal digits, two for each.
    package var hexadecimal: [UInt8] {
        let digits = [UInt8]("0123456789abcdef".utf8)
        return flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}
