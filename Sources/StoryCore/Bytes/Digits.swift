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

extension Range<Int> {
    /// Returns the index at which the indices that precede something end, by binary search.
    ///
    /// - Parameter precedes: returns true for each index up to some one, and false for all after it.
    /// - Throws: the error of `precedes`.
    @inlinable
    @inline(__always)
    package func partitionPoint<Failure: Error>(
        _ precedes: (Int) throws(Failure) -> Bool
    ) throws(Failure) -> Int {
        var (lower, upper) = (lowerBound, upperBound)
        while lower < upper {
            let middle = (lower + upper) / 2
            if try precedes(middle) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}

extension Array where Element: Equatable {
    /// The elements in order without repetitions, each at its first occurrence.
    package var distinct: [Element] {
        reduce(into: []) { found, element in
            if !found.contains(element) { found.append(element) }
        }
    }
}
