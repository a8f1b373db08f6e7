package import StoryCore

/// What a fold and a projection do for one kind, worked out from its schema once.
package final class KindPlan: Sendable {
    package let schema: KindSchema
    let events: [EventPlan]
    let indexes: [IndexPlan]
    let tallies: [TallyPlan]
    let unique: UniquePlan?
    /// The tables of the rows, of the IDs by number, and of the tallies.
    package let rows: UInt8
    package let numbers: UInt8
    package let counts: UInt8

    package init(_ schema: KindSchema) {
        self.schema = schema
        events = schema.events.map { EventPlan($0, schema) }
        indexes = schema.indexes.map { IndexPlan($0, schema) }
        tallies = schema.tallies.map { TallyPlan($0, schema) }
        unique = schema.unique.map { UniquePlan(table: $0.table.number, field: $0.field) }
        rows = schema.rows.number
        numbers = schema.numbers.number
        counts = schema.counts.number
    }

    /// The plan of an event of this type; nil when the kind has none.
    func event(_ type: UnsafeRawBufferPointer) -> EventPlan? {
        for index in events.indices where events[index].type.equals(type) { return events[index] }
        return nil
    }
}

extension KindPlan {
    /// A row's place in a list: its sort key, and its number behind that.
    ///
    /// - Parameter sort: the index of the sort in the schema.
    package func place(of row: borrowing RowView, by sort: Int) -> [UInt8] {
        var key = KeyBuffer()
        _ = key.add(KeyPart(sort: schema.sorts[sort]), of: row)
        key.add48(row.number)
        return Array(key.bytes)
    }

    /// A row's key in an index; nil when it has none.
    ///
    /// - Parameter index: the index of the index in the schema.
    package func key(of row: borrowing RowView, in index: Int) -> [UInt8]? {
        var key = KeyBuffer()
        for part in indexes[index].parts {
            guard key.add(part, of: row) else { return nil }
        }
        key.add48(row.number)
        return key.isKey ? Array(key.bytes) : nil
    }
}

/// The plans of all kinds, by the kinds' numbers.
package final class CataloguePlan: Sendable {
    package let catalogue: Catalogue
    package let kinds: [KindPlan]

    package init(_ catalogue: Catalogue) {
        self.catalogue = catalogue
        kinds = catalogue.kinds.map { KindPlan($0) }
    }
}

/// What an event of one type does.
final class EventPlan: Sendable {
    let type: [UInt8]
    let effect: EventSchema.Effect
    let changes: [ChangePlan]
    let membership: MembershipPlan?
    /// The fields that it may change, one bit each.
    let fields: UInt64

    init(_ event: EventSchema, _ schema: KindSchema) {
        type = Array(event.type.utf8)
        effect = event.effect
        var expected = 0
        changes = event.changes.map { change in
            defer { if change.member != nil { expected += 1 } }
            return ChangePlan(change, schema.fields[change.field].type, expected: expected)
        }
        membership = event.membership.map {
            MembershipPlan(table: $0.table.number, member: Array($0.member.utf8), isPut: $0.isPut)
        }
        fields = event.changes.reduce(0) { $0 | 1 << UInt64($1.field) }
    }
}

/// One step of what an event does.
final class ChangePlan: Sendable {
    let change: FieldChange
    let field: Int
    let storage: RowLayout.Storage
    /// The name of the member that it looks at.
    let member: [UInt8]
    /// Where among the members it is looked for first.
    let expected: Int
    let choices: [[UInt8]]

    init(_ change: FieldChange, _ type: FieldType, expected: Int) {
        self.change = change
        field = change.field
        storage = RowLayout.Storage(type)
        member = Array((change.member ?? "").utf8)
        self.expected = expected
        if case .choice(let words) = type { choices = words.map { Array($0.utf8) } } else { choices = [] }
    }
}

/// An entry of a set that an event puts or removes.
struct MembershipPlan: Sendable {
    let table: UInt8
    let member: [UInt8]
    let isPut: Bool
}

/// The table and the field of texts that no two rows share.
struct UniquePlan: Sendable {
    let table: UInt8
    let field: Int
}

/// One part of a key, made from a row.
struct KeyPart: Sendable {
    enum Source: Sendable {
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

/// How the entries of one index are made.
struct IndexPlan: Sendable {
    let table: UInt8
    let parts: [KeyPart]
    /// The fields that it looks at, one bit each.
    let fields: UInt64

    init(_ index: IndexSchema, _ schema: KindSchema) {
        table = index.table.number
        parts = index.filters.map { KeyPart(filter: schema.filters[$0]) } + [KeyPart(sort: schema.sorts[index.sort])]
        fields = parts.reduce(0) { $0 | $1.fields }
    }
}

/// How the keys of one tally are made.
struct TallyPlan: Sendable {
    let number: UInt8
    let parts: [KeyPart]
    /// The fields that it looks at, one bit each.
    let fields: UInt64

    init(_ tally: TallySchema, _ schema: KindSchema) {
        number = tally.number
        parts = tally.filters.map { KeyPart(filter: schema.filters[$0]) }
        fields = parts.reduce(0) { $0 | $1.fields }
    }
}
