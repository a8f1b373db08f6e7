import StoryCore

/// One part of a key, made from a row.
struct KeyPart: BitwiseCopyable {
    enum Source: BitwiseCopyable {
        /// The value of a field: the rows that lack it have no key.
        case value(Int)
        /// Two names in either order.
        case pair(Int, Int)
        /// No bytes: the rows that have the flag set have no key.
        case unset(Int)
        /// The value of a field as lists sort by it: the rows that lack it stand last.
        case sort(Int, isFolded: Bool)
    }

    let source: Source
    /// The fields that it looks at, one bit each.
    let fields: UInt64

    init(filter: FilterSchema) {
        switch filter.test {
        case .field(let field):
            source = .value(field)
            fields = 1 << UInt64(field)
        case .pair(let one, let other):
            source = .pair(one, other)
            fields = 1 << UInt64(one) | 1 << UInt64(other)
        case .unset(let field):
            source = .unset(field)
            fields = 1 << UInt64(field)
        case .folded, .notBefore, .before:
            preconditionFailure("A schema with an index of a folded text or of a bound is refused when it is made.")
        }
    }

    init(sort: SortSchema) {
        source = .sort(sort.field, isFolded: sort.isFolded)
        fields = 1 << UInt64(sort.field)
    }
}

/// How the entries of one index are made. Its parts lie in the memory of its kind's plan.
struct IndexPlan: BitwiseCopyable {
    let table: UInt8
    let parts: UnsafeBufferPointer<KeyPart>
    /// The fields that it looks at, one bit each.
    let fields: UInt64

    init(_ index: IndexSchema, _ schema: KindSchema, in memory: FixedMemory) {
        table = index.table.number
        parts = memory.table(
            index.filters.map { KeyPart(filter: schema.filters[$0]) } + [KeyPart(sort: schema.sorts[index.sort])])
        fields = parts.reduce(0) { $0 | $1.fields }
    }
}

/// How the keys of one tally are made. Its parts lie in the memory of its kind's plan.
struct TallyPlan: BitwiseCopyable {
    let number: UInt8
    let parts: UnsafeBufferPointer<KeyPart>
    /// The fields that it looks at, one bit each.
    let fields: UInt64

    init(_ tally: TallySchema, _ schema: KindSchema, in memory: FixedMemory) {
        number = tally.number
        parts = memory.table(tally.filters.map { KeyPart(filter: schema.filters[$0]) })
        fields = parts.reduce(0) { $0 | $1.fields }
    }
}

/// The table and the field of texts that no two rows share.
struct UniquePlan: BitwiseCopyable {
    let table: UInt8
    let field: Int
}
