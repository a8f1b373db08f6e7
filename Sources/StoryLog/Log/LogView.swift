import CXXHash
package import StoryCore
import StoryStorage

/// One thread's unchanging view of a log. What it lends stays where it is until the view is closed, whoever goes on
/// appending: pages that a view can see are not used again.
///
/// Unchecked: it is made and closed by one thread at a time; what it lent is only read.
package final class LogView: @unchecked Sendable {
    private var transaction: ReadTransaction?
    /// What the log's environment does not have yet.
    private let tail: JournalTail?

    /// - Parameter log: has to stay open as long as the view.
    package init(_ log: LMDBEventLog) throws(StorageError) {
        // First this: what is flushed meanwhile, the transaction sees.
        tail = log.unflushed
        transaction = try ReadTransaction(log.environment)
    }

    deinit { close() }

    /// Visits the records of these positions in order, unchecked, until `visit` answers false.
    package func scan(
        from: Position, through: Position, _ visit: (_ position: Position, _ record: StoredRecord) -> Bool
    ) throws(StorageError) {
        guard let handle = transaction?.handle else { preconditionFailure("A view is not read after it was closed.") }
        let cursor = try Cursor(handle, .main)
        var position = from.value
        var entry = try PositionKey.with(position) { (key) throws(StorageError) in try cursor.find(key) }
        while true {
            let bytes: UnsafeRawBufferPointer
            if let tail, tail.holds(position) {
                bytes = tail.record(at: position)
            } else {
                bytes = try LMDBEventLog.expect(position, entry)
            }
            guard let record = StoredRecord(bytes) else { throw Record.damaged(position, "is cut short") }
            guard visit(Position(position), record), position < through.value else { return }
            position += 1
            entry = try cursor.next()
        }
    }

    package func close() { transaction = nil }
}

/// A record as it lies in the log, before anybody looked whether it is whole.
package struct StoredRecord {
    private let bytes: UnsafeRawBufferPointer

    /// Nil when the bytes are too few.
    @inline(__always)
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > RecordHeader.size else { return nil }
        self.bytes = bytes
    }

    package var start: UnsafeRawPointer? { bytes.baseAddress }
    package var count: Int { bytes.count }

    /// Asks for its bytes, which will be read soon.
    package func prefetch() { if let start { xxhi_prefetch(start, bytes.count) } }

    /// What is needed to sort it in.
    @inline(__always)
    package var place: (stream: UInt64, version: UInt64, hasKey: Bool) {
        (bytes.number48(at: 22), bytes.number48(at: 16), bytes[38] > 0)
    }

    /// The name of its stream; nil where the lengths do not fit.
    package func streamName(at position: Position) -> UnsafeRawBufferPointer? {
        let start = RecordHeader.size + RecordLayout.streamStart(position.value)
        let count = Int(bytes[36])
        return start + count <= bytes.count ? UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]) : nil
    }

    /// The event, checked against its checksum.
    package func event(at position: Position) throws(StorageError) -> EventRecord {
        try Record.read(bytes, at: position.value)
    }
}
