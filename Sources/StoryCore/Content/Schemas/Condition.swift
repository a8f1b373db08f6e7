/// What a filter compares with.
package enum FilterValue: Equatable, Sendable {
    case name([UInt8])
    /// Two names, in either order.
    case pair([UInt8], [UInt8])
    /// A text with its ASCII letters in lower case.
    case folded([UInt8])
    case integer(Int64)
    case number(Double)
    case date(Instant)
    /// For a filter of a flag that is not set: true asks for those rows, false for the others.
    case flag(Bool)
    /// The numerator in the lower half, the denominator in the upper one.
    case fraction(UInt64)
    /// The number of a word.
    case choice(UInt8)
}

/// One condition of a query: a filter of the kind, by its index, and a value.
package struct Condition: Equatable, Sendable {
    /// The index of the filter in the schema.
    package let filter: Int
    package let value: FilterValue

    package init(_ filter: Int, _ value: FilterValue) {
        self.filter = filter
        self.value = value
    }
}
