import StoryCore

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
