package import StoryCore
package import StoryModels

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
    package var keptBytes: Int { 1_024 + plan.types.count * 160 }

    /// Writes events until the answer is complete, the budget is spent or the lines have no room.
    package func step(_ budget: inout Budget, into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        while !cursor.isAtEnd {
            var step: CursorStep?
            // One more than are written, since the answer names the event that follows.
            let limit = min(plan.limit - count, budget.units) + 1
            try cursor.step(atMost: limit) { record, number, left in
                step = take(record, number, left, &budget, lines)
                return step == nil
            }
            if let step { return step }
        }
        return finished(next: nil)
    }

    private func finished(next: UInt64?) -> CursorStep {
        .ended(.done(.read(count: count, next: next, position: plan.head)), restsOn: .zero)
    }

    /// Writes one record if it matches; returns the reason to stop before it, or nil to continue.
    private func take(
        _ record: EventRecord, _ number: UInt64, _ left: Int, _ budget: inout Budget, _ lines: any AnswerLines
    ) -> CursorStep? {
        guard count < plan.limit else { return finished(next: number) }
        guard lines.hasRoom, !budget.isSpent else { return .more }
        budget.look()
        guard record.isOfType(plan.types) else { return nil }
        let before = lines.count
        if before == 0 { reserve(min(left, plan.limit), as: record, lines) }
        lines.event(record)
        budget.write(lines.count - before)
        count += 1
        return nil
    }

    /// Reserves capacity once for the given number of records of about this size, since growing copies the answer
    /// repeatedly.
    private func reserve(_ count: Int, as record: EventRecord, _ lines: any AnswerLines) {
        let records = min(count, Budget.sliceUnits)
        lines.reserve(records * (record.json.count + record.json.count / 8 + 8))
    }
}
