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
