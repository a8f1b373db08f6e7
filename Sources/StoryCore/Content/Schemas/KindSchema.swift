/// Everything that the store knows of one kind of content but its forms and deciders: data, made when the program runs.
package final class KindSchema: Sendable {
    /// A small dense number: 0, 1, 2 …, the place in the catalogue.
    package let number: Int
    /// The kind's name in targets and queries: `stories`.
    package let name: String
    /// The category of its streams: `story`.
    package let category: String
    /// The same as streams have it.
    package let categoryName: CategoryName
    /// The verbs that change what is there; every kind takes `POST` besides.
    package let verbs: [Verb]
    /// The fields in the order of the row's JSON, behind `id`, `version` and `position`.
    package let fields: [FieldSchema]
    package let events: [EventSchema]
    package let filters: [FilterSchema]
    /// The default is the first.
    package let sorts: [SortSchema]
    /// The rows by ID.
    package let rows: ModelTable
    /// The rows' IDs by number: the order they were posted.
    package let numbers: ModelTable
    package let indexes: [IndexSchema]
    /// Where the tallies are kept.
    package let counts: ModelTable
    package let tallies: [TallySchema]
    package let unique: UniqueSchema?
    /// Where the parts of a stored row lie.
    package let layout: RowLayout

    /// - Throws: what in the declaration contradicts itself.
    package init(_ declaration: KindDeclaration, number: Int) throws(SchemaError) {
        try declaration.check()
        self.number = number
        name = declaration.name
        category = declaration.category
        categoryName = CategoryName(trusted: Array(declaration.category.utf8))
        verbs = declaration.verbs
        fields = declaration.fields
        events = declaration.events
        filters = declaration.filters
        sorts = declaration.sorts
        rows = declaration.rows
        numbers = declaration.numbers
        indexes = declaration.indexes
        counts = declaration.counts
        tallies = declaration.tallies
        unique = declaration.unique
        layout = RowLayout(declaration.fields)
    }

    /// Every table of the kind, the rows first, each once.
    package var tables: [ModelTable] {
        var tables = [rows, numbers] + indexes.map(\.table) + [counts]
        if let unique { tables.append(unique.table) }
        for event in events {
            if let table = event.membership?.table, !tables.contains(table) { tables.append(table) }
        }
        return tables
    }

    /// The index of the filter with this name; nil when there is none.
    package func filter(named name: some Collection<UInt8>) -> Int? {
        filters.firstIndex { $0.name.utf8.elementsEqual(name) }
    }

    /// The index of the sort with this name; nil when there is none.
    package func sort(named name: some Collection<UInt8>) -> Int? {
        sorts.firstIndex { $0.name.utf8.elementsEqual(name) }
    }
}

/// A kind as it is written down, before anybody has checked it.
package struct KindDeclaration: Sendable {
    package var name: String
    package var category: String
    package var verbs: [Verb]
    package var fields: [FieldSchema]
    package var events: [EventSchema]
    package var filters: [FilterSchema]
    package var sorts: [SortSchema]
    package var rows: ModelTable
    package var numbers: ModelTable
    package var indexes: [IndexSchema]
    package var counts: ModelTable
    package var tallies: [TallySchema]
    package var unique: UniqueSchema?

    package init(
        name: String, category: String, verbs: [Verb] = [], fields: [FieldSchema], events: [EventSchema],
        filters: [FilterSchema] = [], sorts: [SortSchema] = [], rows: ModelTable, numbers: ModelTable,
        indexes: [IndexSchema] = [], counts: ModelTable, tallies: [TallySchema] = [], unique: UniqueSchema? = nil
    ) {
        self.name = name
        self.category = category
        self.verbs = verbs
        self.fields = fields
        self.events = events
        self.filters = filters
        self.sorts = sorts
        self.rows = rows
        self.numbers = numbers
        self.indexes = indexes
        self.counts = counts
        self.tallies = tallies
        self.unique = unique
    }
}

/// What in a declaration contradicts itself.
package struct SchemaError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sentence for a person.
    package let description: String

    package init(_ description: String) { self.description = description }
}
