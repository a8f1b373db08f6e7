import StoryCore

/// One part of a key, made from a row.
struct KeyPart: BitwiseCopyable, Equatable {
    /// The source of a part's bytes.
    enum Source: BitwiseCopyable, Equatable {
        /// The value of a field; rows without it have no key.
        case value(Int)
        /// A text for equality alone; rows without it have no key.
        case text(Int)
        /// Two names in either order.
        case pair(Int, Int)
        /// No bytes; rows with the flag set have no key.
        case unset(Int)
        /// The value of a field in the order of lists; rows without it sort last.
        case sort(Int, isFolded: Bool)
    }

    let source: Source
    /// The fields that it looks at, one bit each.
    let fields: UInt64

    init(filter: FilterSchema, _ schema: KindSchema) {
        switch filter.test {
        case .field(let field):
            source = schema.fields[field].type == .text ? .text(field) : .value(field)
            fields = 1 << UInt64(field)
        case .pair(let one, let other):
            source = .pair(one, other)
            fields = 1 << UInt64(one) | 1 << UInt64(other)
        case .unset(let field):
            source = .unset(field)
            fields = 1 << UInt64(field)
        case .folded, .contains, .notBefore, .before:
            preconditionFailure("an index has a filter of test \(filter.test)")
        }
    }

    /// Creates the sort part of an order; nil for the order in which the rows were made, which their numbers have.
    init?(_ order: RowOrder, _ schema: KindSchema) {
        guard let number = order.field else { return nil }
        let (field, isFolded) = (schema.fields[number], order == .folded(number))
        source =
            isFolded || field.isOptional || field.type == .fraction
            ? .sort(number, isFolded: isFolded) : .value(number)
        fields = 1 << UInt64(number)
    }
}

/// A key part that keys of a kind share.
struct SharedPart: BitwiseCopyable {
    let part: KeyPart
    /// The fields that the keys with this part look at, one bit each.
    fileprivate(set) var fields: UInt64 = 0
}

/// The distinct parts of a kind's keys, gathered while its plan is made.
struct SharedParts {
    private(set) var all: [SharedPart] = []

    /// Adds the parts of a key; returns their numbers, and the fields that the key looks at, one bit each.
    ///
    /// - Parameter element: the list of whose elements the keys have one each; nil where there is none.
    fileprivate mutating func add(_ parts: [KeyPart], element: Int?) -> (numbers: [Int], fields: UInt64) {
        let fields = parts.reduce(element.map { 1 << UInt64($0) } ?? 0) { $0 | $1.fields }
        let numbers = parts.map { part in
            if let number = all.firstIndex(where: { $0.part == part }) { return number }
            all.append(SharedPart(part: part))
            return all.count - 1
        }
        for number in numbers { all[number].fields |= fields }
        return (numbers, fields)
    }
}

/// The plan of the entries of one index, or of the keys of one tally; it points into the memory of its kind's plan.
struct EntryPlan: BitwiseCopyable {
    /// The table of the index, or of the kind's tallies.
    let table: UInt8
    /// The number of the tally, with which its keys begin; nil for an index, whose keys end with the rows' numbers.
    let tally: UInt8?
    /// The list whose elements are the first parts of a row's keys; nil where a row has one key.
    let element: Int?
    /// The numbers of its keys' other parts in the kind's plan.
    let parts: UnsafeBufferPointer<Int>
    /// The fields that it looks at, one bit each.
    let fields: UInt64

    init(_ index: IndexSchema, _ schema: KindSchema, _ shared: inout SharedParts, in memory: FixedMemory) {
        let sort = KeyPart(index.order, schema)
        self.init(index.table, tally: nil, index.filters, sort: sort, schema, &shared, in: memory)
    }

    init(_ tally: TallySchema, _ schema: KindSchema, _ shared: inout SharedParts, in memory: FixedMemory) {
        self.init(schema.counts, tally: tally.number, tally.filters, sort: nil, schema, &shared, in: memory)
    }

    private init(
        _ table: ModelTable, tally: UInt8?, _ filters: [Int], sort: KeyPart?, _ schema: KindSchema,
        _ shared: inout SharedParts, in memory: FixedMemory
    ) {
        var (element, parts) = (Int?.none, [KeyPart]())
        for filter in filters.map({ schema.filters[$0] }) {
            if case .contains(let field) = filter.test {
                element = field
            } else {
                parts.append(KeyPart(filter: filter, schema))
            }
        }
        if let sort { parts.append(sort) }
        let (numbers, fields) = shared.add(parts, element: element)
        (self.table, self.tally, self.element) = (table.number, tally, element)
        (self.parts, self.fields) = (memory.table(numbers), fields)
    }

    /// The write that takes a row's entry away.
    var removal: WriteBatch.Action { tally == nil ? .remove : .add(-1) }
    /// The write that adds a row's entry.
    var addition: WriteBatch.Action { tally == nil ? .put(.none) : .add(1) }
}

/// The table and the field of a kind's unique texts, which no two rows share.
struct UniquePlan: BitwiseCopyable {
    let table: UInt8
    let field: Int
}
