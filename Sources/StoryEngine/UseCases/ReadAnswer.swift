package import StoryCore
package import StoryFold

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

    /// Writes events until the answer is complete, the lines have no room, or no work is left of their budget.
    package func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        while !cursor.isAtEnd {
            var step: CursorStep?
            // One more than are written, since the answer names the event that follows.
            let limit = min(plan.limit - count, lines.left.count(of: .record)) + 1
            try cursor.step(atMost: limit) { record, number, left in
                step = take(record, at: number, left: left, lines)
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
    private func take(_ record: EventRecord, at number: UInt64, left: Int, _ lines: any AnswerLines) -> CursorStep? {
        guard count < plan.limit else { return finished(next: number) }
        guard lines.hasRoom, !lines.isSpent else { return .more }
        lines.spend(.record)
        guard record.isOfType(plan.types) else { return nil }
        if lines.count == 0 {
            // At once for all records of about this size, since growing copies the answer repeatedly.
            let records = min(left, plan.limit, lines.left.count(of: .record))
            lines.reserve(records * (record.json.count + record.json.count / 8 + 8))
        }
        lines.event(record)
        count += 1
        return nil
    }
}
