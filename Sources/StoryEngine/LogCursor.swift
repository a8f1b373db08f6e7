package import StoryCore
package import StoryFold

/// The events that answer a `READ`, with names resolved.
package struct ReadPlan: Equatable, Sendable {
    /// The stream, category or log that is read.
    package enum Source: Equatable, Sendable {
        case all
        case stream(StreamHead)
        case category(UInt64)
        /// There is nothing to read.
        case nothing

        /// Finds the source that a selection names; `nothing` if it has no event.
        ///
        /// - Throws: the error of reading the models.
        init(_ source: EventSelection.Source, in index: StreamIndex) throws(StorageError) {
            switch source {
            case .all: self = .all
            case .stream(let name): self = try index.head(of: name).map { .stream($0) } ?? .nothing
            case .category(let name): self = try index.number(of: name).map { .category($0) } ?? .nothing
            }
        }
    }

    /// The stream, category or log that is read.
    package let source: Source
    /// The first version of a stream, or position, that may be read. The range is empty if lower > upper.
    package let lower: UInt64
    /// The last version of a stream, or position, that may be read.
    package let upper: UInt64
    /// The order in which the events are read.
    package let order: Order
    /// The greatest number of events to return.
    package let limit: Int
    /// The types of the events that are returned.
    package let types: [EventType]
    /// The last event that was durable when the request was handled: nothing after it is read.
    package let head: Position
}

/// A cursor into the log: it visits the events of a stream, of a category or of the whole log, in order and in steps.
///
/// The events of a stream are counted by version, others by position. The durable part of the log never changes, so
/// several steps visit the same events as a single one.
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
    /// The position of the event that an index has next; nil if that is not known.
    package private(set) var unread: Position?

    /// Creates a cursor at the beginning of a plan.
    package init(_ plan: ReadPlan, log: any EventLogReading, index: StreamIndex) {
        (self.log, self.index) = (log, index)
        (source, order, head) = (plan.source, plan.order, plan.head)
        (lower, upper) = (max(plan.lower, 1), plan.upper)
    }

    /// Creates a cursor over the events of a source between two positions.
    ///
    /// - Throws: the error of reading the models.
    package init(
        _ source: EventSelection.Source, from: Position, through: Position, log: any EventLogReading, index: StreamIndex
    ) throws(StorageError) {
        (self.log, self.index) = (log, index)
        self.source = try ReadPlan.Source(source, in: index)
        (order, head) = (.ascending, through)
        (lower, upper) = (max(from.value, 1), through.value)
        if case .stream(let stream) = self.source {
            lower = try index.version(atOrAfter: from, in: stream).value
            upper = stream.version.value
        }
    }

    /// True once all events were visited.
    package var isAtEnd: Bool { lower > upper }

    /// Visits the next events until `visit` returns false; that event is then visited again by the next step.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of events that an index is asked for; a scan of the whole log has none.
    ///   - visit: receives the event, the number by which it is counted, and the number of events that may follow.
    /// - Throws: the error of reading the log or the models. The events before were visited, and `unread` is the one
    ///   that cannot be read if an index found it.
    package mutating func step(
        atMost limit: Int, _ visit: (EventRecord, _ number: UInt64, _ left: Int) -> Bool
    ) throws(StorageError) {
        guard !isAtEnd else { return }
        switch source {
        case .all: try scan(visit)
        case .stream, .category: try readIndexed(min(limit, LogCursor.batchCount), visit)
        case .nothing: end()
        }
    }

    /// Counts the next events of a stream or category by its index, without reading them.
    ///
    /// - Parameter limit: the maximum number of events, at least 1.
    /// - Throws: the error of reading the models.
    mutating func count(atMost limit: Int) throws(StorageError) -> Int {
        guard !isAtEnd else { return 0 }
        let batch = try batch(limit)
        let count = batch.positions.count
        if count == limit { visited(batch.number(count - 1)) } else { end() }
        return count
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
        case .all, .nothing: break
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
