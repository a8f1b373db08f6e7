package import StoryCore
package import StoryEngine
package import StoryLog
package import StoryModels

/// The cursor of a `READ`: it keeps its position, and continues when the reader has room again.
///
/// The durable part of the log never changes, so an answer in several steps is the same as one in a single step.
package final class ReadCursor: AnswerCursor {
    /// The maximum number of index entries that are read before their records are.
    private static let batchCount = 512

    /// The plan of the read.
    package let plan: ReadPlan
    private let log: any EventLog
    private let index: StreamIndex
    private var lower: UInt64
    private var upper: UInt64
    private var count = 0

    /// Creates a cursor at the beginning of a plan.
    package init(_ plan: ReadPlan, log: any EventLog, index: StreamIndex) {
        self.plan = plan
        self.log = log
        self.index = index
        lower = max(plan.lower, 1)
        upper = plan.upper
    }

    /// The approximate size in bytes, with the plan.
    package var keptBytes: Int { 1_024 + plan.types.count * 160 }

    /// Writes events until the answer is complete, the budget is spent or the lines have no room.
    package func step(_ budget: inout Budget, into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        guard lower <= upper else { return finished(next: nil) }
        return switch plan.source {
        case .all: try readLog(&budget, lines)
        case .stream(let stream): try readStream(stream, &budget, lines)
        case .category(let category): try readCategory(category, &budget, lines)
        case .nothing: finished(next: nil)
        }
    }

    private func finished(next: UInt64?) -> CursorStep {
        .ended(.done(.read(count: count, next: next, position: plan.head)), restsOn: .zero)
    }

    private func readLog(_ budget: inout Budget, _ lines: any AnswerLines) throws(StorageError) -> CursorStep {
        var step: CursorStep?
        let last = Position(min(upper, plan.head.value))
        try log.scan(from: Position(lower), through: last, order: plan.order) { record in
            step = take(record, at: record.position.value, &budget, lines, expecting: plan.limit)
            return step == nil
        }
        return step ?? finished(next: nil)
    }

    private func readStream(
        _ stream: StreamHead, _ budget: inout Budget, _ lines: any AnswerLines
    ) throws(StorageError) -> CursorStep {
        let (order, head, index) = (plan.order, plan.head, index)
        return try readIndexed(&budget, lines) { (batch, limit, lower, upper) throws(StorageError) in
            try index.scanVersions(of: stream, from: Version(lower), through: Version(upper), order) {
                version, position in
                // Positions that are not durable yet are greater than all durable ones.
                guard position <= head else { return order == .descending }
                batch.add(version.value, position)
                return batch.positions.count < limit
            }
        }
    }

    private func readCategory(
        _ category: UInt64, _ budget: inout Budget, _ lines: any AnswerLines
    ) throws(StorageError) -> CursorStep {
        let (order, head, index) = (plan.order, plan.head, index)
        return try readIndexed(&budget, lines) { (batch, limit, lower, upper) throws(StorageError) in
            let through = min(Position(upper), head)
            try index.scanCategory(category, from: Position(lower), through: through, order) { position in
                batch.add(position.value, position)
                return batch.positions.count < limit
            }
        }
    }

    /// A batch of index entries: the number of each event, which is a version or a position as the read counts, and its
    /// position.
    private struct Batch {
        private(set) var numbers: [UInt64] = []
        private(set) var positions: [Position] = []

        init(capacity: Int) {
            numbers.reserveCapacity(capacity)
            positions.reserveCapacity(capacity)
        }

        mutating func add(_ number: UInt64, _ position: Position) {
            numbers.append(number)
            positions.append(position)
        }
    }

    private func readIndexed(
        _ budget: inout Budget, _ lines: any AnswerLines,
        _ fill: (
            _ batch: inout Batch, _ limit: Int, _ lower: UInt64, _ upper: UInt64
        ) throws(StorageError) -> Void
    ) throws(StorageError) -> CursorStep {
        while lower <= upper {
            let limit = min(ReadCursor.batchCount, plan.limit - count + 1, budget.units + 1)
            var batch = Batch(capacity: Int(min(UInt64(limit), upper - lower + 1)))
            try fill(&batch, limit, lower, upper)
            guard !batch.positions.isEmpty else { break }
            var step: CursorStep?
            var index = 0
            try log.records(at: batch.positions) { record in
                step = take(
                    record, at: batch.numbers[index], &budget, lines, expecting: batch.positions.count)
                index += 1
                return step == nil
            }
            if let step { return step }
        }
        return finished(next: nil)
    }

    /// Writes one record if it matches; returns the reason to stop before it, or nil to continue.
    private func take(
        _ record: EventRecord, at number: UInt64, _ budget: inout Budget, _ lines: any AnswerLines,
        expecting expected: Int
    ) -> CursorStep? {
        guard count < plan.limit else { return finished(next: number) }
        guard lines.hasRoom, !budget.isSpent else { return .more }
        budget.look()
        if record.isOfType(plan.types) {
            let before = lines.count
            if before == 0 { reserve(expected, as: record, lines) }
            lines.event(record)
            budget.write(lines.count - before)
            count += 1
        }
        switch plan.order {
        case .ascending: lower = number + 1
        case .descending: upper = number - 1
        }
        return nil
    }

    /// Reserves capacity once for the given number of records of about this size, since growing copies the answer
    /// repeatedly.
    private func reserve(_ count: Int, as record: EventRecord, _ lines: any AnswerLines) {
        let records = min(count, Budget.sliceUnits)
        lines.reserve(records * (record.json.count + record.json.count / 8 + 8))
    }
}
