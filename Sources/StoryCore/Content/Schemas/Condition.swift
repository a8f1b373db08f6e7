/// The value that a filter compares with.
package enum FilterValue: Equatable, Sendable {
    /// A name, in bytes.
    case name([UInt8])
    /// Two names, in either order.
    case pair([UInt8], [UInt8])
    /// A text with its ASCII letters in lower case.
    case folded([UInt8])
    /// A text, byte by byte.
    case text([UInt8])
    case integer(Int64)
    case number(Double)
    case decimal(ModelNumber)
    case date(Instant)
    /// For a filter of an unset flag: true asks for rows without it, false for the others.
    case flag(Bool)
    /// The numerator in the lower 32 bits, the denominator in the upper ones.
    case fraction(UInt64)
    /// The index of a word.
    case choice(UInt8)
}

/// One condition of a query: the index of a filter, and a value.
package struct Condition: Equatable, Sendable {
    /// The index of the filter in the schema.
    package let filter: Int
    /// The value to compare with.
    package let value: FilterValue

    /// Creates a condition.
    package init(_ filter: Int, _ value: FilterValue) {
        self.filter = filter
        self.value = value
    }
}
