import StoryCore

/// The fold of events into rows by their schemas, in its own memory.
///
/// It is total: every event that a log may hold either fits or is a misfit.
struct RowFold: ~Copyable {
    private let json: any JSONReading
    private let draft = RowDraft()
    /// Two buffers, since the row to fold may be the one that the last fold wrote.
    private var current = KeyBuffer()
    private var other = KeyBuffer()

    /// Creates a fold.
    ///
    /// - Parameter json: the reader of the lists in the events' data.
    init(_ json: any JSONReading) { self.json = json }

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
            return .fitting(old.map { removal($0, kind, event) }, membership)
        }
        for step in plan.pointee.changes {
            guard draft.apply(step, members, at: event.time, json) else { return .misfit }
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

    private func removal(_ old: RowView, _ kind: KindPlan, _ event: FoldedEvent) -> RowChange {
        RowChange(
            kind: kind, number: event.number, key: event.id, position: event.position, before: old, after: nil,
            fields: .max)
    }
}

/// The rows of a kind that numbers them itself, while an event is folded into them.
protocol OwnRows: AnyObject {
    /// Returns the row with a key, valid until the next call; nil where there is none.
    ///
    /// - Throws: any error of the store.
    func row(_ kind: KindPlan, _ key: UnsafeRawBufferPointer) throws(StorageError) -> RowView?
    /// Takes the number of a new row.
    ///
    /// - Throws: any error of the store.
    func nextNumber(_ kind: KindPlan) throws(StorageError) -> UInt64
    /// Takes a change of a row, valid until this returns.
    ///
    /// - Throws: any error of the store.
    func rowChanged(_ change: RowChange) throws(StorageError)
}

extension RowFold {
    /// Folds an event into the rows that it names, one after the other; an event that does not fit changes none.
    ///
    /// - Throws: any error of the rows.
    mutating func fold(
        _ kind: KindPlan, _ event: FoldedEvent, _ members: UnsafeBufferPointer<JSONMember>, into rows: any OwnRows
    ) throws(StorageError) {
        guard let plan = kind.event(event.type), let keys = keys(plan.pointee.rows, of: event, members),
            fits(plan.pointee, of: kind, event, members)
        else { return }
        for key in keys {
            try key.withBytes { (key) throws(StorageError) in
                try fold(plan.pointee, of: kind, event, members, at: key, into: rows)
            }
        }
    }

    /// Returns true when the event's data fits all steps, which does not depend on a row.
    private func fits(
        _ plan: EventPlan, of kind: KindPlan, _ event: FoldedEvent, _ members: UnsafeBufferPointer<JSONMember>
    ) -> Bool {
        draft.begin(kind.layout.pointee)
        return plan.changes.allSatisfy { draft.apply($0, members, at: event.time, json) }
    }

    private mutating func fold(
        _ plan: EventPlan, of kind: KindPlan, _ event: FoldedEvent, _ members: UnsafeBufferPointer<JSONMember>,
        at key: UnsafeRawBufferPointer, into rows: any OwnRows
    ) throws(StorageError) {
        let old = try rows.row(kind, key)
        if plan.effect == .removes || (plan.effect == .changes && old == nil) {
            guard plan.effect == .removes, let old else { return }
            let removed = RowChange(
                kind: kind, number: old.number, key: key, position: event.position, before: old, after: nil,
                fields: .max)
            return try rows.rowChanged(removed)
        }
        if let old { draft.begin(old) } else { draft.begin(kind.layout.pointee) }
        for step in plan.changes { _ = draft.apply(step, members, at: event.time, json) }
        // An event counts once, also where it names the row twice.
        let changes = old.map { $0.position == event.position ? $0.version : $0.version.next } ?? Version(1)
        let number: UInt64
        if let old { number = old.number } else { number = try rows.nextNumber(kind) }
        let head = FoldedEvent(
            position: event.position, version: changes, time: event.time, number: number, id: key, type: event.type)
        draft.write(kind.layout.pointee, head, to: &other)
        if let old, other.bytes.isAlike(old.bytes) { return }
        swap(&current, &other)
        let change = RowChange(
            kind: kind, number: number, key: key, position: event.position, before: old,
            after: RowView(trusted: current.bytes, kind.layout),
            fields: old == nil ? .max : plan.fields)
        try rows.rowChanged(change)
    }

    /// Returns the keys of the rows that an event names; nil where one cannot be made.
    private func keys(
        _ rows: SelectionPlan, of event: FoldedEvent, _ members: UnsafeBufferPointer<JSONMember>
    ) -> [[UInt8]]? {
        var key: [UInt8] = []
        guard let last = rows.members.last else {
            return RowKeyShape.append(event.id, to: &key) ? [key] : nil
        }
        for member in rows.isList ? rows.members.dropLast() : rows.members[...] {
            guard case .string(let part)? = members.value(member, expectedAt: 0), RowKeyShape.append(part, to: &key)
            else { return nil }
        }
        let shape = RowKeyShape.parts(rows.members.count)
        guard rows.isList else { return shape.isValid(count: key.count) ? [key] : nil }
        guard case .array(let array)? = members.value(last, expectedAt: 0) else { return nil }
        var keys: [[UInt8]] = []
        var areValid = true
        let isList = json.forEachText(ofArray: array) { part in
            var whole = key
            areValid = areValid && RowKeyShape.append(part, to: &whole) && shape.isValid(count: whole.count)
            keys.append(whole)
        }
        return isList && areValid ? keys : nil
    }
}

extension UnsafeRawBufferPointer {
    /// Returns true when two rows differ in their changes and their position alone.
    fileprivate func isAlike(_ other: UnsafeRawBufferPointer) -> Bool {
        let start = RowLayout.bitsOffset
        guard count == other.count, count >= start else { return false }
        return slice(start, count: count - start).equals(other.slice(start, count: count - start))
    }
}
