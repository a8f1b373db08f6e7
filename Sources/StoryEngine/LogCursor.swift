package import StoryCore
package import StoryFold

/// The events that answer a `READ`, with names resolved.
package struct ReadPlan: Equatable, Sendable {
    /// The list of events that is read: of a stream, a category, some lists in common or the whole log.
    package enum Source: Equatable, Sendable {
        case all
        case stream(StreamHead)
        case category(UInt64)
        /// The events that are in each list of one of these groups; they are of a stream where one is given.
        case lists([[EventList]], of: StreamHead?)
        /// There is nothing to read.
        case nothing

        /// Finds the lists that lead to the events of a selection; `nothing` if its streams or categories have no event.
        ///
        /// - Throws: the error of reading the models.
        init(_ selection: EventSelection, in index: StreamIndex) throws(StorageError) {
            self = try Source(selection.source, in: index)
            let tags = selection.query.tags.map { EventList.tag($0) }
            let items = selection.query.items
            guard self != .nothing, !tags.isEmpty || !items.isEmpty else { return }
            let target = self
            guard !items.isEmpty else {
                self = .lists([target.joined(to: tags)], of: target.stream)
                return
            }
            var groups: [[EventList]] = []
            for item in items {
                let source = try Source(item.source, in: index)
                guard source != .nothing else { continue }
                let lists = target.joined(to: source.joined(to: tags + item.query.tags.map { .tag($0) }))
                // No list leads to the events of some types alone.
                guard !lists.isEmpty else { return }
                groups.append(lists)
            }
            self = groups.isEmpty ? .nothing : .lists(groups, of: target.stream)
        }

        private init(_ source: EventSelection.Source, in index: StreamIndex) throws(StorageError) {
            switch source {
            case .all: self = .all
            case .stream(let name): self = try index.head(of: name).map { .stream($0) } ?? .nothing
            case .category(let name): self = try index.number(of: name).map { .category($0) } ?? .nothing
            }
        }

        /// The stream whose events alone are read; nil where there is none.
        private var stream: StreamHead? { if case .stream(let head) = self { head } else { nil } }

        /// Returns these lists with the source's own: that of a stream, and of a category where no other list leads.
        private func joined(to lists: [EventList]) -> [EventList] {
            switch self {
            case .stream(let head): lists + [.stream(head)]
            case .category(let number) where lists.isEmpty: [.category(number)]
            case .all, .category, .lists, .nothing: lists
            }
        }
    }

    /// The list of events that is read.
    package let source: Source
    /// The first version of a stream, or position, that may be read. The range is empty if lower > upper.
    package let lower: UInt64
    /// The last version of a stream, or position, that may be read.
    package let upper: UInt64
    /// The order in which the events are read.
    package let order: Order
    /// The greatest number of events to return.
    package let limit: Int
    /// The selection of the events that are returned.
    package let selection: EventSelection
    /// The last event that was durable when the request was handled: nothing after it is read.
    package let head: Position
}

/// A cursor into the log: it visits the events of a list in order and in steps.
///
/// The events of a stream are counted by version, others by position, in which the bounds of lists in common are, too. The
/// durable part of the log never changes, so several steps visit the same events as a single one.
package struct LogCursor {
    /// The maximum number of index entries that are read before their records are.
    private static let batchCount = 512

    private let log: any EventLogReading
    private let index: StreamIndex
    private let source: ReadPlan.Source
    private let order: Order
    /// The last position that may be read.
    private let head: Position
    private var lower: UInt64
    private var upper: UInt64
    /// The walk of the lists; nil where one list alone leads.
    private var walk: MergedWalk?
    /// The positions that the walk found and that were not visited.
    private var found: [Position] = []
    /// The position of the event that an index has next; nil if that is not known.
    package private(set) var unread: Position?

    /// Creates a cursor at the beginning of a plan.
    package init(_ plan: ReadPlan, log: any EventLogReading, index: StreamIndex) {
        (self.log, self.index) = (log, index)
        (source, order, head) = (plan.source, plan.order, plan.head)
        (lower, upper) = (max(plan.lower, 1), plan.upper)
        beginWalk()
    }

    /// Creates a cursor over the events of a selection between two positions.
    ///
    /// - Throws: the error of reading the models.
    package init(
        _ selection: EventSelection, from: Position, through: Position, log: any EventLogReading, index: StreamIndex
    ) throws(StorageError) {
        (self.log, self.index) = (log, index)
        source = try ReadPlan.Source(selection, in: index)
        (order, head) = (.ascending, through)
        (lower, upper) = (max(from.value, 1), through.value)
        if case .stream(let stream) = source {
            lower = try index.version(atOrAfter: from, in: stream).value
            upper = stream.version.value
        }
        beginWalk()
    }

    private mutating func beginWalk() {
        guard case .lists(let groups, _) = source else { return }
        upper = min(upper, head.value)
        guard lower <= upper else { return }
        walk = MergedWalk(groups, in: Position(lower)...Position(upper), order)
    }

    /// The approximate size of a cursor over a selection, without the selection, in bytes.
    package static func keptBytes(_ selection: EventSelection) -> Int { MergedWalk.keptBytes(selection) }

    /// True once all events were visited.
    package var isAtEnd: Bool { lower > upper }

    /// The position through which a walk in ascending order visited all events; nil where another list leads.
    package var visitedThrough: Position? { walk == nil ? nil : Position(lower - 1) }

    /// Visits the next events until `visit` returns false; that event is then visited again by the next step.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of events that an index is asked for; a scan of the whole log has none.
    ///   - visit: receives the event, the number by which it is counted, and the number of events that may follow.
    /// - Returns: the work of searching, which may be all that a step did.
    /// - Throws: the error of reading the log or the models. The events before were visited, and `unread` is the one
    ///   that cannot be read if an index found it.
    package mutating func step(
        atMost limit: Int, _ visit: (EventRecord, _ number: UInt64, _ left: Int) -> Bool
    ) throws(StorageError) -> Work {
        guard !isAtEnd else { return .zero }
        switch source {
        case .all: try scan(visit)
        case .stream, .category: try readIndexed(min(limit, LogCursor.batchCount), visit)
        case .lists(_, let stream): return try readFound(min(limit, LogCursor.batchCount), of: stream, visit)
        case .nothing: end()
        }
        return .zero
    }

    /// Counts the next events of a stream, a category or lists in common by their index, without reading them.
    ///
    /// - Parameter limit: the maximum number of events, at least 1.
    /// - Returns: the number of events, and the work.
    /// - Throws: the error of reading the models.
    mutating func count(atMost limit: Int) throws(StorageError) -> (count: Int, work: Work) {
        guard !isAtEnd else { return (0, .zero) }
        if walk != nil {
            let work = try find(limit)
            defer { visitedFound(found.count) }
            return (found.count, work)
        }
        let batch = try batch(limit)
        let count = batch.positions.count
        if count == limit { visited(batch.number(count - 1)) } else { end() }
        return (count, max(count, 1) * .key)
    }

    private mutating func scan(_ visit: (EventRecord, UInt64, Int) -> Bool) throws(StorageError) {
        let last = min(Position(upper), head)
        var isStopped = false
        try log.scan(from: Position(lower), through: last, order: order) { record in
            let number = record.position.value
            isStopped = !visit(record, number, .max)
            if !isStopped { visited(number) }
            return !isStopped
        }
        if !isStopped { end() }
    }

    private mutating func readIndexed(
        _ limit: Int, _ visit: (EventRecord, UInt64, Int) -> Bool
    ) throws(StorageError) {
        let batch = try batch(limit)
        var count = 0
        unread = batch.positions.first
        try log.records(at: batch.positions) { record in
            let number = batch.number(count)
            guard visit(record, number, batch.positions.count - count) else { return false }
            visited(number)
            count += 1
            unread = count < batch.positions.count ? batch.positions[count] : nil
            return true
        }
        if count == batch.positions.count, count < limit { end() }
    }

    private mutating func visited(_ number: UInt64) {
        switch order {
        case .ascending: lower = number + 1
        case .descending: upper = number - 1
        }
    }

    private mutating func end() { (lower, upper) = (1, 0) }
}

extension LogCursor {
    /// Visits events that the lists have in common; those of a stream are counted by their version.
    private mutating func readFound(
        _ limit: Int, of stream: StreamHead?, _ visit: (EventRecord, UInt64, Int) -> Bool
    ) throws(StorageError) -> Work {
        let work = try found.isEmpty ? find(limit) : .zero
        let positions = found.count > limit ? Array(found.prefix(limit)) : found
        var count = 0
        unread = positions.first
        defer { visitedFound(count) }
        try log.records(at: positions) { record in
            let number = stream == nil ? record.position.value : record.version.value
            guard visit(record, number, positions.count - count) else { return false }
            count += 1
            unread = count < positions.count ? positions[count] : nil
            return true
        }
        return work
    }

    private mutating func find(_ limit: Int) throws(StorageError) -> Work {
        try walk?.find(limit, into: &found, in: index) ?? .zero
    }

    /// Notes that the first of the positions that were found were visited; once all were, the walk was up to its target.
    private mutating func visitedFound(_ count: Int) {
        if count > 0 { visited(found[count - 1].value) }
        found.removeFirst(count)
        guard found.isEmpty, let walk else { return }
        guard let target = walk.target else { return end() }
        switch order {
        case .ascending: lower = target.value
        case .descending: upper = target.value
        }
    }

    /// A batch of index entries: the positions of events, and their versions if those are counted.
    private struct Batch {
        var positions: [Position] = []
        var versions: [UInt64] = []

        func number(_ index: Int) -> UInt64 { versions.isEmpty ? positions[index].value : versions[index] }
    }

    /// Returns up to `limit` of the next events from the index.
    private func batch(_ limit: Int) throws(StorageError) -> Batch {
        let capacity = Int(min(UInt64(limit), upper - lower + 1))
        let (order, head) = (order, head)
        var batch = Batch()
        batch.positions.reserveCapacity(capacity)
        switch source {
        case .all, .lists, .nothing: break
        case .stream(let stream):
            batch.versions.reserveCapacity(capacity)
            try index.scanVersions(of: stream, from: Version(lower), through: Version(upper), order) {
                version, position in
                // Positions that are not durable yet are greater than all durable ones.
                guard position <= head else { return order == .descending }
                batch.positions.append(position)
                batch.versions.append(version.value)
                return batch.positions.count < limit
            }
        case .category(let category):
            let through = min(Position(upper), head)
            try index.scanCategory(category, from: Position(lower), through: through, order) { position in
                batch.positions.append(position)
                return batch.positions.count < limit
            }
        }
        return batch
    }
}
