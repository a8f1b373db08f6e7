import StoryCore
import StoryFold

/// A cursor that counts the rows of a part of a table in steps, exact at the position where the last step ends.
///
/// The projection reports changes between the steps: a row whose key is in the part that was walked is counted again,
/// and one with a later key is counted when the walk reaches it.
final class RowCount: AnswerCursor, RowObserver {
    let readsRows = true
    private let schema: KindSchema
    /// The part of a table that is walked.
    private let range: IndexRange
    private let world: World
    private let feed: ChangeFeed
    /// The greatest number of counts that observe changes at a time.
    private let mostCounts: Int
    private var count = 0
    /// The last key that was walked; nil before the first.
    private var last: [UInt8]?
    /// True once it observes changes.
    private var hasBegun = false

    init(_ schema: KindSchema, _ range: IndexRange, in world: World, _ feed: ChangeFeed, atMost mostCounts: Int) {
        (self.schema, self.range) = (schema, range)
        (self.world, self.feed, self.mostCounts) = (world, feed, mostCounts)
    }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        guard world.serves(schema) else {
            feed.remove(self)
            return .ended(.failed(.removedKind), restsOn: world.head)
        }
        guard begins() else { return .more }
        var walked = last ?? []
        var isWhole = true
        let (left, rest) = (lines.workLeft, range.rest)
        var spent = Work.zero
        defer { lines.spend(spent) }
        let walk = IndexWalk(range, of: schema, in: world)
        try walk.keys(.ascending, after: last) { (key) throws(StorageError) in
            guard spent < left else {
                isWhole = false
                return false
            }
            spent += rest.isEmpty ? .key : .row
            if try isCounted(key, rest) { count += 1 }
            walked.removeAll(keepingCapacity: true)
            walked.append(contentsOf: key)
            return true
        }
        if !walked.isEmpty { last = walked }
        guard isWhole else { return .more }
        feed.remove(self)
        let head = world.head
        return .ended(.done(.counted(count, position: head)), restsOn: head)
    }

    /// Begins to observe changes; returns false while too many counts are active.
    private func begins() -> Bool {
        if !hasBegun { hasBegun = feed.add(self, atMost: mostCounts) }
        return hasBegun
    }

    private func isCounted(_ key: UnsafeRawBufferPointer, _ rest: [Condition]) throws(StorageError) -> Bool {
        guard !rest.isEmpty else { return true }
        guard let number = key.lastNumber else { return false }
        var passes = false
        try world.rows(of: schema).row(schema, number: number) { passes = rest.match($0) }
        return passes
    }

    // MARK: RowObserver

    func rowChanged(_ change: borrowing RowChange) {
        guard change.kind.schema === schema, last != nil else { return }
        if wasWalked(change.before, change.kind) { count -= 1 }
        if wasWalked(change.after, change.kind) { count += 1 }
    }

    func rowsRolledBack() {
        count = 0
        last = nil
    }

    /// Returns whether a row passes the conditions and its key was walked.
    private func wasWalked(_ row: RowView?, _ kind: KindPlan) -> Bool {
        guard let last, let row, range.rest.match(row), let key = kind.key(of: row, in: range) else { return false }
        return !key.precedes(range.lower) && !last.precedes(key)
    }
}
