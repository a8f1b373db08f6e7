import StoryCore
import StoryWire
import TestSupport

/// Lines of a source, as a replica reads them: records that are read, and written, and read again are the same.
final class SourceTarget: FuzzTarget {
    private let reader = SourceLineReader()

    func run(_ bytes: UnsafeRawBufferPointer) {
        for line in bytes.split(separator: 0x0A, maxSplits: 3) {
            let copy = ExactCopy(line, slack: LineFramer.slack)
            if let identity = HistoryReader.identity(copy.whole) {
                hold(identity.id.count == 16, "a history has an ID of 16 bytes")
                hold(identity.ancestors.count <= StoredIdentity.mostAncestors, "a history has few ancestors")
            }
            guard case .records(let records, let head) = reader.read(copy.whole) else { continue }
            let written = ByteWriter.bytes {
                ReplyEncoder.appendPush(records, head: head, subscription: SubscriptionID(1), to: &$0)
            }
            let again = ExactCopy(Array(written.dropLast()), slack: LineFramer.slack)
            hold(reader.read(again.whole) == .records(records, of: head), "records are read as written")
        }
    }
}
