/// A limit of a filter's values, where the field's type has none.
package enum FilterLimit: Equatable, Sendable {
    /// A whole number within a range.
    case range(ClosedRange<Int64>)
    /// One of the whole numbers of a list, which is a range.
    case selection(ClosedRange<Int64>)
    /// A text of 1 to `maxCount` bytes; where bytes are compared, also the empty one.
    ///
    /// - Parameter noun: the name of such a text in a sentence: `an email address`.
    case text(maxCount: Int, noun: String)
}

/// The syntax of a filter's value on a line, derived from its test and its field.
package enum FilterShape: Equatable, Sendable {
    /// An ID.
    case name
    /// Two IDs with a comma between them.
    case pair
    /// A whole number within a range; a number outside breaks the rule.
    case integer(ClosedRange<Int64>, FieldRule)
    /// A number as JSON has it.
    case number
    /// A text of 1 to `maxCount` bytes, compared with its ASCII letters in lower case.
    case folded(maxCount: Int, noun: String)
    /// A text of at most `maxCount` bytes, compared byte by byte.
    case text(maxCount: Int, noun: String)
    /// An RFC 3339 time.
    case date
    /// `true` or `false`.
    case flag
    /// Two whole numbers above zero with a slash between them.
    case fraction
    /// One of these words.
    case choice([String])
    /// A number as JSON has it, read from its text.
    case decimal
}

extension KindDeclaration {
    /// Returns the syntax of the values of each filter.
    ///
    /// - Throws: the first contradiction.
    func shapes() throws(SchemaError) -> [FilterShape] {
        var shapes: [FilterShape] = []
        for filter in filters { shapes.append(try shape(of: filter)) }
        return shapes
    }

    /// Returns the syntax of a filter's values.
    ///
    /// - Throws: a `SchemaError` where the test does not suit its field, or the limit the test.
    func shape(of filter: FilterSchema) throws(SchemaError) -> FilterShape {
        let what = "the filter \(filter.name) of \(name)"
        let shape: FilterShape?
        switch filter.test {
        case .field(let field):
            shape = FilterShape(equalTo: try type(of: field, for: what), filter.limit)
        case .pair(let one, let other):
            let types = (try type(of: one, for: what), try type(of: other, for: what))
            shape = types == (.name, .name) && filter.limit == nil ? .pair : nil
        case .folded(let field):
            shape = FilterShape(folded: try type(of: field, for: what), filter.limit)
        case .contains(let field):
            if case .list(let scalar) = try type(of: field, for: what) {
                shape = FilterShape(equalTo: scalar.fieldType, filter.limit)
            } else {
                shape = nil
            }
        case .unset(let field):
            shape = try type(of: field, for: what) == .flag && filter.limit == nil ? .flag : nil
        case .notBefore(let field), .before(let field):
            let type = try type(of: field, for: what)
            shape = type.isBounded ? FilterShape(equalTo: type, filter.limit) : nil
        }
        guard let shape else { throw SchemaError("\(what) compares a field of a type that does not do, or limits it") }
        return shape
    }
}

extension FilterShape {
    /// Creates the syntax of a field's values; nil for a list or a map, for a text without a limit, and for a limit that
    /// does not suit the type.
    fileprivate init?(equalTo type: FieldType, _ limit: FilterLimit?) {
        switch (type, limit) {
        case (.name, nil): self = .name
        case (.integer, nil): self = .integer(.min ... .max, .outOfRange)
        case (.integer, .range(let range)?): self = .integer(range, .outOfRange)
        case (.integer, .selection(let range)?): self = .integer(range, .notSelected)
        case (.number, nil): self = .number
        case (.date, nil): self = .date
        case (.flag, nil): self = .flag
        case (.fraction, nil): self = .fraction
        case (.choice(let words), nil): self = .choice(words)
        case (.decimal, nil): self = .decimal
        case (.text, .text(let maxCount, let noun)?): self = .text(maxCount: maxCount, noun: noun)
        case (.text, _), (.list, _), (.map, _), (_, .range?), (_, .selection?), (_, .text?): return nil
        }
    }

    /// Creates the syntax of a text whose case is ignored; nil for other types and where there is no limit.
    fileprivate init?(folded type: FieldType, _ limit: FilterLimit?) {
        guard type == .text, case .text(let maxCount, let noun)? = limit else { return nil }
        self = .folded(maxCount: maxCount, noun: noun)
    }
}

extension FieldType {
    /// True when lists that are sorted by such a field may have bounds.
    fileprivate var isBounded: Bool {
        switch self {
        case .text, .decimal, .date, .flag: true
        case .name, .integer, .number, .fraction, .list, .map, .choice: false
        }
    }
}

extension PackedScalar {
    /// The type of a field with one such value.
    package var fieldType: FieldType {
        switch self {
        case .text: .text
        case .number: .decimal
        case .boolean: .flag
        case .time: .date
        }
    }
}

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
