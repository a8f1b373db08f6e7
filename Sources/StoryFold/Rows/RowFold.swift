import StoryCore

/// The fold of events into rows by their schemas, in its own memory.
///
/// It is total: every event that a log may hold either fits or is a misfit.
struct RowFold: ~Copyable {
    private let draft = RowDraft()
    /// Two buffers, since the row to fold may be the one that the last fold wrote.
    private var current = KeyBuffer()
    private var other = KeyBuffer()

    /// Folds an event into a row; the outcome is valid until the fold after the next.
    mutating func fold(
        _ kind: KindPlan, _ event: FoldedEvent, _ members: UnsafeBufferPointer<JSONMember>, into old: RowView?
    ) -> FoldOutcome {
        guard let plan = kind.event(event.type) else { return .misfit }
        var membership: MembershipWrite?
        if let set = plan.pointee.membership {
            guard case .string(let name) = members.value(set.member, expectedAt: 0), name.isName else { return .misfit }
            membership = MembershipWrite(table: set.table, number: event.number, name: name, isPut: set.isPut)
        }
        switch plan.pointee.effect {
        case .creates:
            guard event.version == Version(1) else { return .fitting(nil, membership) }
            draft.begin(kind.layout.pointee)
        case .changes:
            // Without a row the data is checked all the same, since a misfit does not depend on the row.
            if let old { draft.begin(old) } else { draft.begin(kind.layout.pointee) }
        case .removes:
            let removal = old.map { old in
                RowChange(
                    kind: kind, number: event.number, key: event.id, position: event.position, before: old, after: nil,
                    fields: .max)
            }
            return .fitting(removal, membership)
        }
        for step in plan.pointee.changes {
            guard draft.apply(step, members, at: event.time) else { return .misfit }
        }
        guard plan.pointee.effect == .creates || old != nil else { return .fitting(nil, membership) }
        draft.write(kind.layout.pointee, event, to: &other)
        swap(&current, &other)
        let after = RowView(trusted: current.bytes, kind.layout)
        let fields = old == nil ? UInt64.max : plan.pointee.fields
        let change = RowChange(
            kind: kind, number: event.number, key: event.id, position: event.position, before: old, after: after,
            fields: fields)
        return .fitting(change, membership)
    }
}
