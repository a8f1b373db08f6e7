package import StoryCore
import StoryEngine
import StoryWire

/// Writes the lines of an answer that is made step by step to the end of a connection's output.
package final class LineWriter: AnswerLines {
    // Asked for at every line.
    @exclusivity(unchecked) package private(set) var bytes: [UInt8] = []
    @exclusivity(unchecked) private var tag: Tag?
    @exclusivity(unchecked) private var limit = 0

    package init() {}

    package var hasRoom: Bool { bytes.count < limit }
    package var count: Int { bytes.count }

    /// Runs a step over these bytes, which may grow to about so many.
    package func write<Value>(
        to output: inout [UInt8], _ tag: Tag?, until limit: Int, _ step: () throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        self.tag = tag
        self.limit = limit
        swap(&bytes, &output)
        defer { swap(&bytes, &output) }
        return try step()
    }

    package func row(_ reply: Reply) { ReplyEncoder.append(reply, tag: tag, to: &bytes) }
    package func row(_ row: RowView) { ReplyEncoder.appendRow(row, tag: tag, to: &bytes) }

    package func event(_ json: UnsafeRawBufferPointer) { ReplyEncoder.appendEvent(json, tag: tag, to: &bytes) }

    package func reserve(_ bytes: Int) {
        if self.bytes.isEmpty { self.bytes.reserveCapacity(min(bytes, limit)) }
    }
}
