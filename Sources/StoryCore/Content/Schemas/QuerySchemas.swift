/// The comparison that a filter makes. Fields are named by their index in the schema.
package enum FilterTest: Equatable, Sendable {
    /// Equal to a value of the field's own type.
    case field(Int)
    /// Two names equal to those in two fields, in either order.
    case pair(Int, Int)
    /// Equal to a text once both have their ASCII letters in lower case.
    case folded(Int)
    /// A list that contains a value.
    case contains(Int)
    /// True where the flag is not set.
    case unset(Int)
    /// At a value or behind it in the order of lists; a text is compared as a whole.
    case notBefore(Int)
    /// Before a value in the order of lists.
    case before(Int)

    /// The field whose values the test bounds; nil for another test.
    package var boundedField: Int? {
        switch self {
        case .notBefore(let field), .before(let field): field
        case .field, .pair, .folded, .contains, .unset: nil
        }
    }
}

/// The order of the rows of a list or of an index. Texts sort by their first 200 bytes; rows that lack the field come last
/// in both directions.
package enum RowOrder: BitwiseCopyable, Equatable, Sendable {
    /// The order in which the rows were made.
    case created
    /// The order of a field's values, then that in which the rows were made.
    case field(Int)
    /// The order of a text without regard to the case of ASCII letters.
    case folded(Int)

    /// The index of the field; nil for the order in which the rows were made.
    package var field: Int? {
        switch self {
        case .created: nil
        case .field(let field), .folded(let field): field
        }
    }
}

extension FilterSchema {
    /// Returns the filters that every kind with a date has: `since=` includes its time, `until=` excludes it.
    ///
    /// - Parameter field: the index of the date.
    package static func bounds(of field: Int) -> [FilterSchema] {
        [
            FilterSchema("since", .notBefore(field), "TIME", "only those with this date or a later one"),
            FilterSchema("until", .before(field), "TIME", "only those with an earlier date"),
        ]
    }
}

/// One filter of `LIST` and `COUNT`.
package struct FilterSchema: Equatable, Sendable {
    /// The option's name: `sender`.
    package let name: String
    /// The comparison with the filter's value.
    package let test: FilterTest
    /// The word after the equals sign in a line of help: `ID`.
    package let placeholder: String
    /// The sentence for a person.
    package let summary: String
    /// The limit of the values; nil where the field's type alone limits them.
    package let limit: FilterLimit?

    /// Creates a filter.
    package init(
        _ name: String, _ test: FilterTest, _ placeholder: String, _ summary: String,
        limit: FilterLimit? = nil
    ) {
        self.name = name
        self.test = test
        self.placeholder = placeholder
        self.summary = summary
        self.limit = limit
    }
}

/// One order of `LIST`.
package struct SortSchema: Equatable, Sendable {
    /// The sort's name on the wire, which is the field's.
    package let name: String
    /// The title of the column, for a person.
    package let title: String
    /// The order of the rows.
    package let order: RowOrder

    /// Creates a sort.
    package init(_ name: String, _ title: String, by order: RowOrder) {
        self.name = name
        self.title = title
        self.order = order
    }
}

/// One index of a kind's rows. A key is the filters' parts, the sort key and the row's number; the value is empty.
///
/// So the rows of one filter are adjacent and in the order of the sort, and those with equal sort keys in the order
/// they were posted. A row has a key for each distinct element of the list that the first filter looks into.
package struct IndexSchema: Equatable, Sendable {
    /// The table of the index.
    package let table: ModelTable
    /// The indexes of the filters in the schema.
    package let filters: [Int]
    /// The order of the rows with one value of each filter.
    package let order: RowOrder

    /// Creates an index; its table becomes a set.
    package init(_ table: ModelTable, _ filters: [Int] = [], by order: RowOrder) {
        self.table = ModelTable(table.number, table.name, of: table.model, isSet: true)
        self.filters = filters
        self.order = order
    }
}

/// A count that is kept for each combination of some filters' values. Its key is the tally's number and the filters'
/// parts. A row counts once for each distinct element of the list that the first filter looks into.
package struct TallySchema: Equatable, Sendable {
    /// The tally's identity on disk within its table.
    package let number: UInt8
    /// The indexes of the filters in the schema.
    package let filters: [Int]

    /// Creates a tally.
    package init(_ number: UInt8, _ filters: [Int]) {
        self.number = number
        self.filters = filters
    }
}

/// A text that is unique among the rows, compared with its ASCII letters in lower case.
///
/// The entry's key is the folded text; its value is the row's number and ID.
package struct UniqueSchema: Equatable, Sendable {
    /// The table of the entries.
    package let table: ModelTable
    /// The index of the field.
    package let field: Int
}

/// A table of the read models: its identity on disk, its name there, and the model that it belongs to.
///
/// A model is the set of tables with its name: they are folded, counted, compared and discarded together.
package struct ModelTable: Hashable, Sendable {
    /// The table's identity in digests and checkpoints; its meaning never changes.
    package let number: UInt8
    /// The name of its ordered map.
    package let name: String
    /// The model's name: `stories`.
    package let model: String
    /// True when the table has only keys, many of which are stored in one value.
    package let isSet: Bool

    /// Creates a table.
    package init(_ number: UInt8, _ name: String, of model: String, isSet: Bool = false) {
        self.number = number
        self.name = name
        self.model = model
        self.isSet = isSet
    }
}
