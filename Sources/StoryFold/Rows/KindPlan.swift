package import StoryCore

/// The plan of the fold and the projection of one kind, computed from its schema once.
///
/// It is in the memory of its catalogue's plan, so that passing it needs no retain and release: it is valid as long as
/// the plan, which its user keeps.
///
/// Unchecked: the memory that it points to never changes.
package struct KindPlan: BitwiseCopyable, @unchecked Sendable {
    /// The content of that memory.
    private struct Contents: BitwiseCopyable {
        let layout: UnsafePointer<RowLayout>
        let events: UnsafeBufferPointer<EventPlan>
        let keyParts: UnsafeBufferPointer<SharedPart>
        /// The plans of all indexes, in the order of the schema.
        let indexes: UnsafeBufferPointer<EntryPlan>
        let (entries, elementEntries): (UnsafeBufferPointer<EntryPlan>, UnsafeBufferPointer<EntryPlan>)
        let unique: UniquePlan?
        let (rows, numbers, counts): (UInt8, UInt8, UInt8)
    }

    private let contents: UnsafePointer<Contents>

    fileprivate init(_ schema: KindSchema, in memory: FixedMemory) {
        var parts = SharedParts()
        let indexes = schema.indexes.map { EntryPlan($0, schema, &parts, in: memory) }
        let entries = indexes + schema.tallies.map { EntryPlan($0, schema, &parts, in: memory) }
        let contents = memory.room(for: Contents.self)
        contents.initialize(
            to: Contents(
                layout: schema.layoutPointer,
                events: memory.table(schema.events.map { EventPlan($0, schema, in: memory) }),
                keyParts: memory.table(parts.all), indexes: memory.table(indexes),
                entries: memory.table(entries.filter { $0.element == nil }),
                elementEntries: memory.table(entries.filter { $0.element != nil }),
                unique: schema.unique.map { UniquePlan(table: $0.table.number, field: $0.field) },
                rows: schema.rows.number, numbers: schema.numbers.number, counts: schema.counts.number))
        self.contents = UnsafePointer(contents)
    }

    /// The schema of the kind.
    package var schema: KindSchema { contents.pointee.layout.pointee.schema }
    /// The layout of its rows.
    package var layout: UnsafePointer<RowLayout> { contents.pointee.layout }
    /// The distinct parts of the keys in indexes and tallies.
    var keyParts: UnsafeBufferPointer<SharedPart> { contents.pointee.keyParts }
    /// The indexes in which a row has one key, then the tallies that count a row once.
    var entries: UnsafeBufferPointer<EntryPlan> { contents.pointee.entries }
    /// The indexes and tallies in which a row has a key for each element of a list.
    var elementEntries: UnsafeBufferPointer<EntryPlan> { contents.pointee.elementEntries }
    var unique: UniquePlan? { contents.pointee.unique }
    /// The table of the rows.
    package var rows: UInt8 { contents.pointee.rows }
    /// The table of the IDs by number.
    package var numbers: UInt8 { contents.pointee.numbers }
    /// The table of the tallies.
    package var counts: UInt8 { contents.pointee.counts }

    /// Returns the plan of events of this type; nil when the kind has none.
    func event(_ type: UnsafeRawBufferPointer) -> UnsafePointer<EventPlan>? {
        let events = contents.pointee.events
        return events.firstIndex { $0.type.equals(type) }.flatMap { index in events.baseAddress.map { $0 + index } }
    }
}

extension KindPlan {
    /// Returns a row's key in the order of a list: its sort key, then its number.
    ///
    /// - Parameter sort: the index of the sort in the schema.
    package func listKey(of row: borrowing RowView, by sort: Int) -> [UInt8] {
        var key = KeyBuffer()
        if let part = KeyPart(schema.sorts[sort].order, schema) { _ = key.add(part, of: row) }
        key.add48(row.number)
        return Array(key.bytes)
    }

    /// Returns a row's key in the table of a range, which begins with the range's prefix; nil when it has none.
    package func key(of row: borrowing RowView, in range: IndexRange) -> [UInt8]? {
        var key = KeyBuffer()
        guard let index = range.index else {
            key.set(row.number)
            return Array(key.bytes)
        }
        let plan = contents.pointee.indexes[index]
        if let field = plan.element {
            guard let part = element(of: row.list(field), beginning: range.prefix) else { return nil }
            part.withUnsafeBytes { key.add($0) }
        }
        for part in plan.parts {
            guard key.add(keyParts[part].part, of: row) else { return nil }
        }
        key.add48(row.number)
        return key.isKey && key.bytes.starts(with: range.prefix) ? Array(key.bytes) : nil
    }

    /// Returns the key part of the element with which a prefix begins; nil where a list has no such element.
    private func element(of list: PackedList, beginning prefix: [UInt8]) -> [UInt8]? {
        var key = KeyBuffer()
        var found: [UInt8]?
        list.forEachValue { value in
            key.clear()
            key.addElement(value)
            if prefix.starts(with: key.bytes) { found = Array(key.bytes) }
            return found == nil
        }
        return found
    }
}

/// The plans of all kinds of a catalogue.
package final class CataloguePlan: Sendable {
    /// The catalogue that the plans are made from.
    package let catalogue: Catalogue
    /// The plans, indexed by the kinds' numbers.
    private let kinds: [KindPlan?]
    /// The memory of the plans.
    private let memory: FixedMemory

    /// Creates the plans of a catalogue's kinds.
    package init(_ catalogue: Catalogue) {
        let memory = FixedMemory()
        self.memory = memory
        self.catalogue = catalogue
        var kinds = [KindPlan?](repeating: nil, count: catalogue.numberEnd)
        for kind in catalogue.kinds { kinds[kind.number] = KindPlan(kind, in: memory) }
        self.kinds = kinds
    }

    /// Returns true where another plan has the same kinds whose rows are stored together: those of definitions are not.
    package func folds(asDoes other: CataloguePlan) -> Bool {
        catalogue.storedTogether.elementsEqual(other.catalogue.storedTogether) { $0 === $1 }
    }

    /// The plan of a kind of this catalogue.
    package subscript(kind: Kind) -> KindPlan {
        guard Int(kind.number) < kinds.count, let plan = kinds[Int(kind.number)] else {
            preconditionFailure("epoch \(catalogue.epoch) lacks kind \(kind.number)")
        }
        return plan
    }
}

/// The effect of events of one type; it is in the memory of its kind's plan, as is everything that it points to.
struct EventPlan: BitwiseCopyable {
    let type: UnsafeRawBufferPointer
    let effect: EventSchema.Effect
    let changes: UnsafeBufferPointer<ChangePlan>
    let membership: MembershipPlan?
    /// The fields that it may change, one bit each.
    let fields: UInt64

    init(_ event: EventSchema, _ schema: KindSchema, in memory: FixedMemory) {
        type = memory.bytes(event.type)
        effect = event.effect
        var expected = 0
        changes = memory.table(
            event.changes.map { change in
                defer { if change.member != nil { expected += 1 } }
                return ChangePlan(change, schema, expected: expected, in: memory)
            })
        membership = event.membership.map {
            MembershipPlan(table: $0.table.number, member: memory.bytes($0.member), isPut: $0.isPut)
        }
        fields = event.changes.reduce(0) { $0 | 1 << UInt64($1.field) }
    }
}

/// One step of an event's effect.
struct ChangePlan: BitwiseCopyable {
    /// A `FieldChange` without its field and its member.
    enum Step: BitwiseCopyable {
        case set, setIfGiven, setOrTime, setTime
        case add(Int64)
        case setFlag(Bool)
    }

    let step: Step
    /// The slot of the field that it changes.
    let slot: RowLayout.Slot
    /// The name of the member that it reads; empty where it reads none.
    let member: UnsafeRawBufferPointer
    /// The index among the members that is looked at first.
    let expected: Int
    /// The words of a choice.
    let choices: UnsafeBufferPointer<UnsafeRawBufferPointer>

    init(_ change: FieldChange, _ schema: KindSchema, expected: Int, in memory: FixedMemory) {
        step = Step(change)
        slot = schema.layout.slots[change.field]
        member = memory.bytes(change.member ?? "")
        self.expected = expected
        var words: [String] = []
        if case .choice(let list) = schema.fields[change.field].type { words = list }
        choices = memory.table(words.map { memory.bytes($0) })
    }
}

extension ChangePlan.Step {
    fileprivate init(_ change: FieldChange) {
        switch change {
        case .set: self = .set
        case .setIfGiven: self = .setIfGiven
        case .setOrTime: self = .setOrTime
        case .setTime: self = .setTime
        case .add(_, let amount): self = .add(amount)
        case .setFlag(_, let flag): self = .setFlag(flag)
        }
    }
}

/// An entry of a set that an event puts or removes.
struct MembershipPlan: BitwiseCopyable {
    let table: UInt8
    let member: UnsafeRawBufferPointer
    let isPut: Bool
}

extension Catalogue {
    /// The kinds whose rows are stored together.
    fileprivate var storedTogether: [KindSchema] { kinds.filter { $0.program == nil } }
}
