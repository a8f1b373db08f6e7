import StoryCore
import StoryFold

/// `COUNT events…`: from the index of types where that has the number, otherwise from the keys of another index, or by
/// reading, in steps.
///
/// A number of the index includes the events that are not durable yet, and rests on the last of them. Only durable events
/// are read in steps, since others may be undone between two of them.
final class CountEvents: AnswerCursor {
    /// The number of types in a category whose tallies are added; the events of a category with more are counted.
    private static let mostTypes = 1_000
    /// The number of index entries that are counted at a time.
    private static let batchCount = 512

    private let query: ReadQuery
    private let world: World
    private let identity: LogIdentity
    /// The last event that was durable when the request was handled.
    private let durable: Position
    /// The events that are read; nil before the first step.
    private var cursor: LogCursor?
    private var count = 0

    init(_ query: ReadQuery, in world: World, _ identity: LogIdentity, durable: Position) {
        self.query = query
        self.world = world
        self.identity = identity
        self.durable = durable
    }

    /// The approximate size in bytes, with the selection.
    var keptBytes: Int { 1_024 + query.selection.keptBytes + LogCursor.keptBytes(query.selection) }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        guard !lines.isSpent else { return .more }
        if cursor == nil {
            do throws(Failure) {
                if let known = try begin(lines) { return known }
            } catch {
                return .ended(.failed(error), restsOn: .zero)
            }
        }
        while let cursor, !cursor.isAtEnd {
            guard try read(lines) else { return .more }
        }
        return ended(count, durable)
    }

    private func ended(_ count: Int, _ position: Position) -> CursorStep {
        .ended(.done(.counted(count, position: position)), restsOn: position)
    }

    /// Returns the end of the answer if the number is known; otherwise begins to read.
    private func begin(_ lines: any AnswerLines) throws(Failure) -> CursorStep? {
        let head = world.head
        let whole = try ReadEvents.plan(query, in: world, endingAt: head, identity)
        if let known = try Failure.reading(try known(whole, lines)) { return ended(known, head) }
        let plan = try ReadEvents.plan(query, in: world, endingAt: durable, identity)
        cursor = LogCursor(plan, log: world.log, index: world.streams)
        return nil
    }

    /// Counts some of the next events; returns false when no work is left.
    private func read(_ lines: any AnswerLines) throws(StorageError) -> Bool {
        if isInOneIndex {
            let limit = max(1, min(lines.workLeft.count(of: .key), CountEvents.batchCount))
            let found = try cursor?.count(atMost: limit) ?? (0, .zero)
            lines.spend(found.work)
            count += found.count
        } else {
            let selection = query.selection
            let work = try cursor?.step(atMost: lines.workLeft.count(of: selection.recordWork) + 1) { record, _, _ in
                guard !lines.isSpent else { return false }
                lines.spend(selection.recordWork)
                if selection.matches(record) { count += 1 }
                return true
            }
            lines.spend(work ?? .zero)
        }
        return !lines.isSpent
    }

    /// True where each event that the cursor's index leads to is counted.
    private var isInOneIndex: Bool {
        guard query.selection.query.types.isEmpty, query.selection.query.items.isEmpty else { return false }
        guard case .category = query.selection.source else { return true }
        return query.selection.query.tags.isEmpty
    }

    // MARK: Without reading

    /// Returns the number of events of a plan as far as all events are folded; nil where they have to be read.
    private func known(_ plan: ReadPlan, _ lines: any AnswerLines) throws(StorageError) -> Int? {
        let lower = max(plan.lower, 1)
        guard lower <= plan.upper else { return 0 }
        guard query.selection.query.tags.isEmpty, query.selection.query.items.isEmpty else { return nil }
        let types = query.selection.query.types
        switch query.selection.source {
        case .all where types.isEmpty, .stream where types.isEmpty:
            return Int(clamping: plan.upper - lower + 1)
        case .all: return try sum(types, nil, lower...plan.upper, lines)
        case .category(let category) where types.isEmpty: return try sum(category, lower...plan.upper, lines)
        case .category(let category): return try sum(types, category, lower...plan.upper, lines)
        case .stream(let stream):
            // A stream has none of the types that its category has not.
            return try sum(types, stream.category, nil, lines)
        }
    }

    /// Returns the number of events of some types between two positions; nil where a type has events on both sides.
    ///
    /// - Parameter range: the positions; nil: none are known.
    private func sum(
        _ types: [EventType], _ category: CategoryName?, _ range: ClosedRange<UInt64>?, _ lines: any AnswerLines
    ) throws(StorageError) -> Int? {
        lines.spend(types.count * .row)
        var sum: UInt64 = 0
        for type in Set(types) {
            guard let tally = try world.types.tally(of: type, in: category) else { continue }
            guard let count = range.flatMap(tally.count) else { return nil }
            sum += count
        }
        return Int(clamping: sum)
    }

    /// Returns the number of events of a category between two positions; nil where its types do not tell.
    private func sum(
        _ category: CategoryName, _ range: ClosedRange<UInt64>, _ lines: any AnswerLines
    ) throws(StorageError) -> Int? {
        var sum: UInt64? = 0
        var typeCount = 0
        try world.types.walk(category) { _, tally in
            typeCount += 1
            guard typeCount <= CountEvents.mostTypes, let so = sum, let count = tally.count(in: range) else {
                sum = nil
                return false
            }
            sum = so + count
            return true
        }
        lines.spend(typeCount * .key)
        return sum.map { Int(clamping: $0) }
    }
}

extension TypeTally {
    /// Returns the number of the events between two positions; nil where some are inside and some outside.
    fileprivate func count(in positions: ClosedRange<UInt64>) -> UInt64? {
        if last.value < positions.lowerBound || first.value > positions.upperBound { return 0 }
        return first.value >= positions.lowerBound && last.value <= positions.upperBound ? count : nil
    }
}
