package import StoryCore

/// A writer of the lines of a cursor's answer or of pushes, at the end of a connection's output, within a budget.
package final class LineWriter: AnswerLines {
    private let encoder: ReplyEncoder
    /// The output of the connection during a step; empty otherwise.
    private var bytes = ByteWriter()
    private var tag: Tag?
    private var limit = 0
    /// The size of the output before the step.
    private var start = 0
    /// The work that may be done; what a step wrote is charged at its end.
    package var budget = Work.zero

    /// Creates a writer.
    package init(_ encoder: ReplyEncoder) { self.encoder = encoder }

    /// True while the output is shorter than its limit.
    package var hasRoom: Bool { bytes.count < limit }
    /// The number of bytes in the output.
    package var count: Int { bytes.count }
    /// The work that is left of the budget.
    package var workLeft: Work { budget - .written(bytes.count - start) }

    /// Charges for work other than writing.
    package func spend(_ work: Work) { budget -= work }

    /// Runs a step that appends to `output`, which may grow to about `limit` bytes.
    package func write<Value, Failure: Error>(
        to output: inout ByteWriter, _ tag: Tag? = nil, until limit: Int, _ step: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        (self.tag, self.limit) = (tag, limit)
        swap(&bytes, &output)
        start = bytes.count
        defer {
            (budget, start) = (workLeft, 0)
            swap(&bytes, &output)
        }
        return try step()
    }

    /// Appends a line for a reply.
    package func row(_ reply: Reply) { encoder.append(reply, tag: tag, to: &bytes) }
    /// Appends a line for a row.
    package func row(_ row: RowView) { encoder.appendRow(row, tag: tag, to: &bytes) }

    /// Appends a line for an event's JSON.
    package func event(_ record: EventRecord) { ReplyEncoder.appendEvent(record, tag: tag, to: &bytes) }

    /// Reserves capacity for the expected number of bytes, if the output is empty.
    package func reserve(_ bytes: Int) {
        if self.bytes.isEmpty { self.bytes.reserve(min(bytes, limit)) }
    }

    // MARK: Pushes

    /// Appends a push other than an event or a row.
    package func push(_ push: Push, to subscription: SubscriptionID) {
        ReplyEncoder.append(push, subscription: subscription, to: &bytes)
    }

    /// Appends a push of an event.
    package func push(_ record: EventRecord, to subscription: SubscriptionID) {
        ReplyEncoder.appendPush(record, subscription: subscription, to: &bytes)
    }

    /// Appends a push of records as they are.
    package func push(_ records: RawRecords, head: Position, to subscription: SubscriptionID) {
        ReplyEncoder.appendPush(records, head: head, subscription: subscription, to: &bytes)
    }

    /// Appends a push of a row's JSON.
    package func push(_ json: [UInt8], to subscription: SubscriptionID) {
        json.withUnsafeBytes { ReplyEncoder.appendPush($0, subscription: subscription, to: &bytes) }
    }
}
