import StoryCore

/// Folds events into rows by their schemas, in memory of its own.
///
/// It is total: whatever event a log may hold makes a change or is a misfit.
struct RowFold: ~Copyable {
    private let draft = RowDraft()
    /// A row that is folded may be the one that the last fold wrote, so two are kept.
    private var current = KeyBuffer()
    private var other = KeyBuffer()

    /// What an event makes of a row. What is lent is good until the fold after the next.
    mutating func fold(
        _ kind: KindPlan, _ event: FoldedEvent, _ members: UnsafeBufferPointer<JSONMember>, into old: RowView?
    ) -> FoldOutcome {
        guard let plan = kind.event(event.type) else { return .misfit }
        var membership: MembershipEntry?
        if let set = plan.pointee.membership {
            guard case .string(let name) = members.value(set.member, expectedAt: 0), name.isName else { return .misfit }
            membership = MembershipEntry(table: set.table, number: event.number, name: name, isPut: set.isPut)
        }
        let isFitting: Bool
        switch plan.pointee.effect {
        case .creates where event.version == Version(1): isFitting = create(kind, plan, event, members)
        case .creates: return .fitting(nil, membership)
        case .changes: isFitting = change(kind, plan, event, members, old)
        case .removes:
            return .fitting(old.map { removal($0, kind, event) }, membership)
        }
        guard isFitting else { return .misfit }
        guard plan.pointee.effect == .creates || old != nil else { return .fitting(nil, membership) }
        swap()
        let after = RowView(trusted: current.bytes, kind.layout)
        let fields = old == nil ? UInt64.max : plan.pointee.fields
        let change = RowChange(
            kind: kind, number: event.number, id: event.id, before: old, after: after, fields: fields)
        return .fitting(change, membership)
    }

    private func removal(_ old: RowView, _ kind: KindPlan, _ event: FoldedEvent) -> RowChange {
        RowChange(kind: kind, number: event.number, id: event.id, before: old, after: nil, fields: .max)
    }

    private mutating func create(
        _ kind: KindPlan, _ plan: UnsafePointer<EventPlan>, _ event: FoldedEvent,
        _ members: UnsafeBufferPointer<JSONMember>
    ) -> Bool {
        draft.begin(kind.layout.pointee)
        for step in plan.pointee.changes {
            guard draft.apply(step, members, at: event.time) else { return false }
        }
        draft.write(kind.layout.pointee, event, to: &other)
        return true
    }

    private mutating func change(
        _ kind: KindPlan, _ plan: UnsafePointer<EventPlan>, _ event: FoldedEvent,
        _ members: UnsafeBufferPointer<JSONMember>, _ old: RowView?
    ) -> Bool {
        // Without a row the data is looked at all the same: a misfit is one whether or not there is a row.
        if let old { draft.begin(old) } else { draft.begin(kind.layout.pointee) }
        for step in plan.pointee.changes {
            guard draft.apply(step, members, at: event.time) else { return false }
        }
        if old != nil { draft.write(kind.layout.pointee, event, to: &other) }
        return true
    }

    private mutating func swap() { Swift.swap(&current, &other) }
}
