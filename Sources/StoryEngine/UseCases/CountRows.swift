import StoryCore
import StoryModels

/// `COUNT`: out of kept counts where they give it, otherwise in steps.
enum CountRows {
    /// How a count is found.
    enum Answer {
        case known(Int)
        case counting(any AnswerCursor)
    }

    static func answer(_ kind: Kind, _ filters: [Filter], in source: QuerySource) -> Answer {
        switch kind {
        case .users: answer(UserProjection.self, filters, in: source)
        case .stories: answer(StoryProjection.self, filters, in: source)
        case .messages: answer(MessageProjection.self, filters, in: source)
        case .photos: answer(PhotoProjection.self, filters, in: source)
        }
    }

    private static func answer<P: Projection>(
        _ projection: P.Type, _ filters: [Filter], in source: QuerySource
    ) -> Answer {
        let store = source.world().store
        if let numbers = Candidates.byEmail(P.self, filters, in: store) { return .known(numbers.count) }
        if let count = known(P.self, filters, in: store) { return .known(count) }
        guard let path = ListPlan.narrowest(filters, P.indexes) else { return .known(0) }
        return .counting(RowCount<P>(path, in: source))
    }

    /// What kept counts give; nil where they do not.
    static func known<P: Projection>(_ projection: P.Type, _ filters: [Filter], in store: any ModelStore) -> Int? {
        if let count = kept(P.self, filters, in: store) { return count }
        // Those that were seen are all but those that were not.
        guard filters.contains(.unseen(false)) else { return nil }
        let others = filters.filter { $0 != .unseen(false) }
        guard let unseen = kept(P.self, others + [.unseen(true)], in: store),
            let all = kept(P.self, others, in: store)
        else { return nil }
        return all - unseen
    }

    private static func kept<P: Projection>(
        _ projection: P.Type, _ filters: [Filter], in store: any ModelStore
    ) -> Int? {
        guard let path = ListPlan.counted(filters, P.indexes) else { return nil }
        let key = CountKey.bytes(path.index.table, path.prefix)
        return Int(clamping: CountKey.count(store.value(in: P.counts, at: key)))
    }
}

/// Counts the rows behind a part of an index in steps, exact at the position where the last one ends.
///
/// What changes between the steps is told by the projection: a row whose key lies in the part that was walked already
/// is counted anew, one that lies behind it will be met. While as many counts as may go on at once do, it waits.
final class RowCount<P: Projection>: AnswerCursor, RowObserver {
    private let path: ListPlan.Path
    private let source: QuerySource
    private var count = 0
    /// The last key that was walked; nil: none was.
    private var last: [UInt8]?
    /// True once it is told of changes.
    private var hasBegun = false

    init(_ path: ListPlan.Path, in source: QuerySource) {
        self.path = path
        self.source = source
    }

    func step(_ budget: inout Budget, into lines: any AnswerLines) -> CursorStep {
        let world = source.world()
        guard begins(in: world) else { return .more }
        var range = path.range
        if let last { range.lower = last + [0] }
        var walked = last ?? []
        var isWhole = true
        world.store.walk(path.index.table, range, .ascending) { key, _ in
            guard !budget.isSpent else {
                isWhole = false
                return false
            }
            if isCounted(key, &budget, in: world.store) { count += 1 }
            walked.removeAll(keepingCapacity: true)
            walked.append(contentsOf: key)
            return true
        }
        if !walked.isEmpty { last = walked }
        guard isWhole else { return .more }
        source.changes.remove(self)
        return .ended(.done(.counted(count, position: world.head)), restsOn: world.head)
    }

    /// False while it has to wait for others.
    private func begins(in world: World) -> Bool {
        if !hasBegun { hasBegun = source.changes.add(self, atMost: world.limits.counts) }
        return hasBegun
    }

    private func isCounted(
        _ key: UnsafeRawBufferPointer, _ budget: inout Budget, in store: any ModelStore
    ) -> Bool {
        guard !path.rest.isEmpty else {
            budget.skip()
            return true
        }
        budget.look(at: Budget.rowUnits)
        guard let number = KeyReader.lastNumber(key) else { return false }
        var passes = false
        Rows.lend(P.kind, number, in: store) { passes = P.passes($0, path.rest) }
        return passes
    }

    // MARK: RowObserver

    func rowChanged(_ change: RowChange) {
        guard change.kind == P.kind, last != nil else { return }
        if wasWalked(change.before) { count -= 1 }
        if wasWalked(change.after) { count += 1 }
    }

    func rowsRolledBack() {
        count = 0
        last = nil
    }

    /// True for a row that is to be counted and stands where the walk has been.
    private func wasWalked(_ row: Row?) -> Bool {
        guard let last, let row = row.flatMap(P.unwrapped), let key = P.key(of: row, in: path.index) else {
            return false
        }
        return !key.lexicographicallyPrecedes(path.range.lower) && !last.lexicographicallyPrecedes(key)
            && P.passes(row, path.rest)
    }
}
