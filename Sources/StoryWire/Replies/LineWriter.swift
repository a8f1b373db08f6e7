package import StoryCore

/// A writer of the lines of a cursor's answer, at the end of a connection's output.
package final class LineWriter: AnswerLines {
    private let encoder: ReplyEncoder
    // Unchecked access, since every line reads these.
    /// The output of the connection during a step; empty otherwise.
    private var bytes = ByteWriter()
    private var tag: Tag?
    private var limit = 0

    /// Creates a writer.
    package init(_ encoder: ReplyEncoder) { self.encoder = encoder }

    /// True while the output is shorter than its limit.
    package var hasRoom: Bool { bytes.count < limit }
    /// The number of bytes in the output.
    package var count: Int { bytes.count }

    /// Runs a step that appends to `output`, which may grow to about `limit` bytes.
    package func write<Value>(
        to output: inout ByteWriter, _ tag: Tag?, until limit: Int, _ step: () throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        self.tag = tag
        self.limit = limit
        swap(&bytes, &output)
        defer { swap(&bytes, &output) }
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
}
