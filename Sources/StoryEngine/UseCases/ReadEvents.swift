package import StoryCore
package import StoryFold

/// `READ`: plans which events answer it.
enum ReadEvents {
    /// Returns the plan of a read.
    ///
    /// - Throws: `diverged` for another history, or the error of reading the log or the models.
    static func plan(
        _ query: ReadQuery, in world: World, endingAt head: Position, _ identity: LogIdentity
    ) throws(Failure) -> ReadPlan {
        let range = try Failure.reading(try ReadRange(query.selection, in: world, endingAt: head))
        var (lower, upper) = try range.bounds(of: query, identity)
        if case .lists = range.source { (lower, upper) = try Failure.reading(try range.positions(lower, upper)) }
        return ReadPlan(
            source: range.source, lower: lower, upper: upper, order: query.order, limit: query.limit,
            selection: query.selection, head: head)
    }
}

/// The range of a read: versions of a stream, or positions, from 1 to the last.
struct ReadRange {
    let source: ReadPlan.Source
    /// The last version of a stream, or the last position.
    private let last: UInt64
    private let world: World
    /// The last event that may be read.
    private let head: Position
    /// The head of a stream, which is read by version; nil if it does not exist.
    private let stream: StreamHead?
    private let countsVersions: Bool

    /// Resolves the names of a selection.
    ///
    /// - Throws: the error of reading the models.
    init(_ selection: EventSelection, in world: World, endingAt head: Position) throws(StorageError) {
        self.world = world
        self.head = head
        countsVersions = if case .stream = selection.source { true } else { false }
        source = try ReadPlan.Source(selection, in: world.streams)
        switch source {
        case .all, .category, .lists(_, of: nil): (last, stream) = (head.value, nil)
        case .stream(let head), .lists(_, of: let head?): (last, stream) = (head.version.value, head)
        case .nothing: (last, stream) = (0, nil)
        }
    }

    /// Returns the least and the greatest number that a query may read; the range is empty if the first is greater.
    ///
    /// - Throws: `diverged` for another history, or the error of reading the log or the models.
    func bounds(of query: ReadQuery, _ identity: LogIdentity) throws(Failure) -> (lower: UInt64, upper: UInt64) {
        // Reading begins at `from` and ends at `to`, in either order.
        let isAscending = query.order == .ascending
        let (lower, upper) = try isAscending ? bounds(query.from, query.to) : bounds(query.to, query.from)
        if let log = query.log {
            // In descending order both histories must share the event that reading begins with, even if it is not here.
            var next = isAscending ? lower : upper + 1
            if !isAscending, case .number(let number) = query.from { next = number + 1 }
            try identity.check(log, next: try position(of: next))
        }
        return (lower, upper)
    }

    /// Returns the least and the greatest number that may be read; the range is empty if the first is greater.
    private func bounds(_ lower: ReadBound?, _ upper: ReadBound?) throws(Failure) -> (lower: UInt64, upper: UInt64) {
        let first =
            switch lower {
            case nil: UInt64(1)
            case .number(let number): number
            case .time(let time): try number(at: world.firstPosition(notBefore: time))
            }
        let end =
            switch upper {
            case nil: last
            case .number(let number): number
            // The number before the first one after that time.
            case .time(let time): try number(at: world.lastPosition(notAfter: time).next) - 1
            }
        return (first, min(end, last))
    }

    /// Returns the number of the first event at a position or after it; one past the last if there is none.
    private func number(at position: Position) throws(Failure) -> UInt64 {
        guard let stream else { return source == .nothing ? 1 : position.value }
        return try Failure.reading(try world.streams.version(atOrAfter: position, in: stream).value)
    }

    /// Returns the positions of the first and the last number of a range, which is empty if the first is greater.
    ///
    /// - Throws: the error of reading the models.
    func positions(_ lower: UInt64, _ upper: UInt64) throws(StorageError) -> (lower: UInt64, upper: UInt64) {
        guard let stream else { return (lower, upper) }
        guard let first = try world.streams.position(of: Version(max(lower, 1)), in: stream),
            let last = try world.streams.position(of: Version(upper), in: stream)
        else { return (1, 0) }
        return (first.value, last.value)
    }

    /// Returns the position up to which both histories must agree for a read from this number on.
    ///
    /// In a stream it is the one right after the previous event: a client that asks for the next version has that
    /// event.
    func position(of number: UInt64) throws(Failure) -> Position {
        guard countsVersions else { return Position(number) }
        guard number > 1 else { return Position(1) }
        let past = head.next.next
        guard let stream else { return past }
        return try Failure.reading(try world.streams.position(of: Version(number - 1), in: stream))?.next ?? past
    }
}

/// The answer to a `READ`: it keeps its position, and continues when the reader has room again.
package final class ReadAnswer: AnswerCursor {
    /// The plan of the read.
    package let plan: ReadPlan
    private var cursor: LogCursor
    private var count = 0

    /// Creates an answer at the beginning of a plan.
    package init(_ plan: ReadPlan, log: any EventLogReading, index: StreamIndex) {
        self.plan = plan
        cursor = LogCursor(plan, log: log, index: index)
    }

    /// The approximate size in bytes, with the plan.
    package var keptBytes: Int { 1_024 + plan.selection.keptBytes + LogCursor.keptBytes(plan.selection) }

    /// Writes events until the answer is complete, the lines have no room, or no work is left of their budget.
    package func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        while !cursor.isAtEnd {
            var step: CursorStep?
            // One more than are written, since the answer names the event that follows.
            let limit = min(plan.limit - count, lines.workLeft.count(of: plan.selection.recordWork)) + 1
            let work = try cursor.step(atMost: limit) { record, number, left in
                step = take(record, at: number, left: left, lines)
                return step == nil
            }
            lines.spend(work)
            if let step { return step }
            if lines.isSpent, !cursor.isAtEnd { return .more }
        }
        return finished(next: nil)
    }

    private func finished(next: UInt64?) -> CursorStep {
        .ended(.done(.read(count: count, next: next, position: plan.head)), restsOn: .zero)
    }

    /// Writes one record if it matches; returns the reason to stop before it, or nil to continue.
    private func take(_ record: EventRecord, at number: UInt64, left: Int, _ lines: any AnswerLines) -> CursorStep? {
        guard count < plan.limit else { return finished(next: number) }
        guard lines.hasRoom, !lines.isSpent else { return .more }
        lines.spend(plan.selection.recordWork)
        guard plan.selection.matches(record) else { return nil }
        if lines.count == 0 {
            // At once for all records of about this size, since growing copies the answer repeatedly.
            let records = min(left, plan.limit, lines.workLeft.count(of: .record))
            lines.reserve(records * (record.json.count + record.json.count / 8 + 8))
        }
        lines.event(record)
        count += 1
        return nil
    }
}
