/// The schema of one kind of content: everything that the store knows of it but its forms and deciders.
///
/// It is data, made when the program starts or while it serves.
package final class KindSchema: Sendable {
    /// The number in the catalogue, which no other kind of the process gets.
    package let number: Int
    /// The declaration that the schema was made from.
    let declaration: KindDeclaration
    /// The kind's name in targets and queries: `stories`.
    package let name: String
    /// The category of its streams: `story`.
    package let category: String
    /// The category as a name of streams.
    package let categoryName: CategoryName
    /// The prefix of its streams' names: the category and a dash.
    private let streamPrefix: [UInt8]
    /// True where a row is a user, who may send, receive or own other rows.
    package let isOfUsers: Bool
    /// The program that makes the rows; nil where the events of a category do.
    package let program: ProgramRows?
    /// The writes that the kind takes.
    package let writes: [WriteSchema]
    /// Hints for programs that show the rows.
    package let view: KindView
    /// The fields in the order of the row's JSON, after `id`, `version` and `position`.
    package let fields: [FieldSchema]
    /// The types of events that change the kind's rows.
    package let events: [EventSchema]
    /// The filters of `LIST` and `COUNT`.
    package let filters: [FilterSchema]
    /// The syntax of each filter's values.
    package let filterShapes: [FilterShape]
    /// The orders of `LIST`; the first is the default.
    package let sorts: [SortSchema]
    /// The rows by ID.
    package let rows: ModelTable
    /// The rows' IDs by number, in the order they were posted.
    package let numbers: ModelTable
    /// The indexes of the rows.
    package let indexes: [IndexSchema]
    /// The table of the tallies.
    package let counts: ModelTable
    /// The counts that are kept.
    package let tallies: [TallySchema]
    /// The field whose text is unique; nil where there is none.
    package let unique: UniqueSchema?
    /// The layout of a stored row, in the schema's arena.
    nonisolated(unsafe) package let layoutPointer: UnsafePointer<RowLayout>
    private let memory: FixedMemory
    private let filterNames: [[UInt8]]
    private let sortNames: [[UInt8]]

    /// Creates the schema of a declaration.
    ///
    /// - Throws: the first contradiction in the declaration.
    package init(_ declaration: KindDeclaration, number: Int) throws(SchemaError) {
        try declaration.check()
        self.number = number
        self.declaration = declaration
        name = declaration.name
        category = declaration.category
        categoryName = CategoryName(trusted: Array(declaration.category.utf8))
        streamPrefix = Array(declaration.category.utf8) + [0x2D]
        program = declaration.program
        isOfUsers = declaration.isOfUsers
        writes = declaration.writes
        view = declaration.view
        fields = declaration.fields
        events = declaration.events
        filters = declaration.filters
        filterShapes = try declaration.shapes()
        filterNames = declaration.filters.map { Array($0.name.utf8) }
        sorts = declaration.sorts
        sortNames = declaration.sorts.map { Array($0.name.utf8) }
        rows = declaration.rows
        numbers = declaration.numbers
        indexes = declaration.indexes
        counts = declaration.counts
        tallies = declaration.tallies
        unique = declaration.unique
        let memory = FixedMemory()
        self.memory = memory
        let layout = memory.room(for: RowLayout.self)
        layoutPointer = UnsafePointer(layout)
        // The layout refers to its schema, which is initialized only now.
        layout.initialize(
            to: RowLayout(declaration.fields, keys, of: .passUnretained(self), number: number, in: memory))
    }

    /// True when each row is changed by the events of one stream alone.
    package var areRowsOfOneStream: Bool { program?.areOfOneStream ?? true }
    /// The indexes of the fields whose words are searched; none for a kind without such.
    package var searchedFields: [Int] { fields.indices.filter { fields[$0].isSearched } }
    /// The form of the rows' keys.
    package var keys: RowKeyShape { program == nil ? .id : .someParts }

    /// The layout of a stored row, valid as long as the schema.
    package var layout: RowLayout { layoutPointer.pointee }

    /// Every table of the kind, the rows first, each once.
    package var tables: [ModelTable] {
        var tables = [rows, numbers] + indexes.map(\.table) + [counts]
        if let unique { tables.append(unique.table) }
        if let program { tables += program.tables }
        for event in events {
            if let table = event.membership?.table, !tables.contains(table) { tables.append(table) }
        }
        return tables
    }

    /// The kind that requests name, in the catalogue of this schema.
    package var kind: Kind { Kind(number: number) }

    /// Returns the stream that holds the history of one ID.
    package func stream(_ id: Identifier) -> StreamName {
        // Every write of content makes a name: it is assembled first, so that it is allocated once.
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

    /// Returns the address of a row: `stories/12345`.
    package func address(_ key: RowKey) -> String {
        key.spelling.withUnsafeBytes { name + "/" + String(decoding: keys.text(of: $0), as: UTF8.self) }
    }

    /// Returns the stream whose events change a row; nil where several may, or no stream has such an ID.
    package func stream(of key: RowKey) -> StreamName? {
        guard areRowsOfOneStream else { return nil }
        if keys == .id { return stream(key.id) }
        return key.spelling.withUnsafeBytes { key in RowKeyShape.firstPart(of: key).flatMap { Identifier($0) } }
            .map(stream)
    }

    /// Returns the members of the event that makes a row with the IDs of the users who have a part in it.
    package func members(of roles: [PersonRole]) -> [String] {
        let changes = events.filter { $0.effect == .creates }.flatMap(\.changes)
        return fields.indices.filter { fields[$0].role.map(roles.contains) == true }.flatMap { field in
            changes.filter { $0.field == field }.compactMap(\.member)
        }
    }

    /// Returns the write that a verb asks for; nil where the kind does not take it.
    package func write(_ verb: WriteVerb) -> WriteSchema? { writes.first { $0.verb == verb } }

    /// Returns the names of the fields in a form for this verb.
    package func formFields(of verb: Verb) -> [String] {
        guard case .write(let verb) = verb else { return [] }
        return write(verb)?.fields.map(\.name) ?? []
    }

    /// The filters as options of a line: of several bounds with one name the first.
    package var options: [FilterSchema] {
        filters.indices.filter { filterNames.firstIndex(of: filterNames[$0]) == $0 }.map { filters[$0] }
    }

    /// Returns true when a filter bounds the values that a list is sorted by, so that the sort decides which one it is.
    package func isBoundOfSort(_ filter: Int) -> Bool { program != nil && filters[filter].test.boundedField != nil }

    /// Returns the bound with the name of another one that is of a sort's values; nil where the sort has none.
    package func bound(like filter: Int, of sort: Int) -> Int? {
        guard let field = sorts[sort].order.field else { return nil }
        return filters.firstIndex { $0.name == filters[filter].name && $0.test.boundedField == field }
    }

    /// Returns the index of the filter with this name; nil when there is none.
    package func filter(named name: UnsafeRawBufferPointer) -> Int? {
        for index in filterNames.indices where filterNames[index].equals(name) { return index }
        return nil
    }

    /// Returns the index of the sort with this name; nil when there is none.
    package func sort(named name: UnsafeRawBufferPointer) -> Int? {
        for index in sortNames.indices where sortNames[index].equals(name) { return index }
        return nil
    }
}

/// The declaration of a kind, not yet checked.
package struct KindDeclaration: Sendable {
    /// The kind's name in targets and queries: `stories`.
    package var name: String
    /// The category of its streams: `story`.
    package var category: String
    /// The fields in the order of the row's JSON.
    package var fields: [FieldSchema]
    /// The types of events that change the kind's rows.
    package var events: [EventSchema]
    /// The program that makes the rows; nil where the events of the category do.
    package var program: ProgramRows?
    /// True where a row is a user.
    package var isOfUsers: Bool
    /// The filters of `LIST` and `COUNT`.
    package var filters: [FilterSchema]
    /// The orders of `LIST`; the first is the default.
    package var sorts: [SortSchema]
    /// The rows by ID.
    package var rows: ModelTable
    /// The rows' IDs by number.
    package var numbers: ModelTable
    /// The indexes of the rows.
    package var indexes: [IndexSchema]
    /// The table of the tallies.
    package var counts: ModelTable
    /// The counts that are kept.
    package var tallies: [TallySchema]
    /// The field whose text is unique; nil where there is none.
    package var unique: UniqueSchema?
    /// The writes that the kind takes.
    package var writes: [WriteSchema]
    /// Hints for programs that show the rows.
    package var view: KindView

    /// Creates a declaration from its parts.
    package init(
        name: String, category: String, fields: [FieldSchema], events: [EventSchema],
        filters: [FilterSchema] = [], sorts: [SortSchema] = [], rows: ModelTable, numbers: ModelTable,
        indexes: [IndexSchema] = [], counts: ModelTable, tallies: [TallySchema] = [], unique: UniqueSchema? = nil,
        writes: [WriteSchema] = [], view: KindView = KindView(), program: ProgramRows? = nil, isOfUsers: Bool = false
    ) {
        self.name = name
        self.category = category
        self.fields = fields
        self.events = events
        self.program = program
        self.isOfUsers = isOfUsers
        self.filters = filters
        self.sorts = sorts
        self.rows = rows
        self.numbers = numbers
        self.indexes = indexes
        self.counts = counts
        self.tallies = tallies
        self.unique = unique
        self.writes = writes
        self.view = view
    }
}

/// A contradiction in a declaration.
package struct SchemaError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sentence for a person.
    package let description: String

    /// Creates an error with a sentence.
    package init(_ description: String) { self.description = description }
}
