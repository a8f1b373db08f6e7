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
    /// What its streams' names begin with: the category and a dash.
    private let streamPrefix: [UInt8]
    /// The verbs that change what is there; every kind takes `POST` besides.
    package let verbs: [Verb]
    /// The fields in the order of the row's JSON, behind `id`, `version` and `position`.
    package let fields: [FieldSchema]
    package let events: [EventSchema]
    package let filters: [FilterSchema]
    /// How the values of each filter are spelled.
    package let filterShapes: [FilterShape]
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
    /// What makes commands of the kind; nil where it takes none.
    let commands: CommandMaking?
    /// Where the parts of a stored row lie, in memory of the schema.
    nonisolated(unsafe) package let layoutPointer: UnsafePointer<RowLayout>
    private let memory: FixedMemory
    private let filterNames: [[UInt8]]
    private let sortNames: [[UInt8]]
    /// Which filters look at nothing that an event changes after the first one.
    private let settledFilters: [Bool]

    /// - Throws: what in the declaration contradicts itself.
    package init(_ declaration: KindDeclaration, number: Int) throws(SchemaError) {
        try declaration.check()
        self.number = number
        name = declaration.name
        category = declaration.category
        categoryName = CategoryName(trusted: Array(declaration.category.utf8))
        streamPrefix = Array(declaration.category.utf8) + [0x2D]
        verbs = declaration.verbs
        fields = declaration.fields
        events = declaration.events
        filters = declaration.filters
        filterShapes = try declaration.shapes()
        filterNames = declaration.filters.map { Array($0.name.utf8) }
        let changing = declaration.events.filter { $0.effect == .changes }.flatMap(\.changes)
            .reduce(0 as UInt64) { $0 | 1 << UInt64($1.field) }
        settledFilters = declaration.filters.map { $0.test.fields & changing == 0 }
        sorts = declaration.sorts
        sortNames = declaration.sorts.map { Array($0.name.utf8) }
        rows = declaration.rows
        numbers = declaration.numbers
        indexes = declaration.indexes
        counts = declaration.counts
        tallies = declaration.tallies
        unique = declaration.unique
        commands = declaration.commands
        let memory = FixedMemory()
        self.memory = memory
        let layout = memory.room(for: RowLayout.self)
        layoutPointer = UnsafePointer(layout)
        // The layout names its schema, which is whole only now.
        layout.initialize(to: RowLayout(declaration.fields, of: .passUnretained(self), number: number, in: memory))
    }

    /// Where the parts of a stored row lie; good for as long as the schema is.
    package var layout: RowLayout { layoutPointer.pointee }

    /// Every table of the kind, the rows first, each once.
    package var tables: [ModelTable] {
        var tables = [rows, numbers] + indexes.map(\.table) + [counts]
        if let unique { tables.append(unique.table) }
        for event in events {
            if let table = event.membership?.table, !tables.contains(table) { tables.append(table) }
        }
        return tables
    }

    /// True when no event changes whether a row that is there passes the conditions.
    package func areSettled(_ conditions: [Condition]) -> Bool {
        conditions.allSatisfy { settledFilters[$0.filter] }
    }

    /// What requests name it by in the catalogue that it is of.
    package var kind: Kind { Kind(number: number) }

    /// The stream that holds the history of one ID.
    package func stream(_ id: Identifier) -> StreamName {
        // Every write of content makes one: put together first, so that it is allocated once.
        let count = streamPrefix.count + id.spelling.count
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { bytes in
            bytes.copyBytes(from: streamPrefix)
            id.spelling.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: bytes[streamPrefix.count...]).copyMemory(from: $0)
            }
            let name = ByteView(copying: UnsafeRawBufferPointer(bytes))
            return StreamName(trusted: name, categoryCount: streamPrefix.count - 1)
        }
    }

    /// The names of what a form for this verb may have, as far as events keep it.
    package func formFields(of verb: Verb) -> [String] {
        let members: [String] =
            switch verb {
            case .post: ["id"] + events.filter { $0.effect == .creates }.flatMap { $0.changes.compactMap(\.member) }
            case .edit: events.filter { $0.effect == .changes }.flatMap { $0.changes.compactMap(\.member) }
            case .like, .unlike: events.compactMap { $0.membership?.member }
            default: []
            }
        return members.distinct
    }

    /// The index of the filter with this name; nil when there is none.
    package func filter(named name: UnsafeRawBufferPointer) -> Int? {
        for index in filterNames.indices where filterNames[index].equals(name) { return index }
        return nil
    }

    /// The index of the sort with this name; nil when there is none.
    package func sort(named name: UnsafeRawBufferPointer) -> Int? {
        for index in sortNames.indices where sortNames[index].equals(name) { return index }
        return nil
    }
}

/// Makes a kind's command of a request, or tells every wrong field of its form; nil when the kind does not take it.
package typealias CommandMaking = @Sendable (ContentAction, any Directory) -> Result<ContentCommand, Failure>?

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
    /// What makes the kind's commands; nil where it takes no write.
    package var commands: CommandMaking?

    package init(
        name: String, category: String, verbs: [Verb] = [], fields: [FieldSchema], events: [EventSchema],
        filters: [FilterSchema] = [], sorts: [SortSchema] = [], rows: ModelTable, numbers: ModelTable,
        indexes: [IndexSchema] = [], counts: ModelTable, tallies: [TallySchema] = [], unique: UniqueSchema? = nil,
        commands: CommandMaking? = nil
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
        self.commands = commands
    }
}

/// What in a declaration contradicts itself.
package struct SchemaError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sentence for a person.
    package let description: String

    package init(_ description: String) { self.description = description }
}
