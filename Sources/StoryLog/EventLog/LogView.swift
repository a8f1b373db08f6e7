import CXXHash
package import StoryCore
import StoryStorage

/// One thread's unchanging view of a log: all that was committed when it was made. What it shows stays where it is
/// until the view is closed, whoever goes on appending.
///
/// Unchecked: it is made and closed by one thread at a time; what it showed is only read.
package final class LogView: @unchecked Sendable {
    private var transaction: ReadTransaction?
    private let map: BlockMap
    /// What is not in blocks, as it was when the view was made.
    private let tail: [BlockSection]

    /// - Parameter log: has to stay open as long as the view.
    /// - Throws: `.failed` where LMDB has no room for a reader.
    package init(_ log: LMDBEventLog) throws(StorageError) {
        tail = log.records.unflushed
        map = BlockMap(log.records.blocks.map)
        transaction = try ReadTransaction(log.environment)
    }

    deinit { close() }

    /// Visits the records of these positions in order, unchecked, until `visit` returns false.
    ///
    /// - Throws: `.corrupt` where a block is not as it was written.
    package func scan(
        from: Position, through: Position, _ visit: (_ position: Position, _ record: StoredRecord) -> Bool
    ) throws(StorageError) {
        var position = from.value
        while position <= through.value {
            let run = try run(at: position)
            while position <= min(run.last, through.value) {
                if position + 8 <= run.last { run.prefetchRecord(at: position + 8, 128) }
                guard let record = StoredRecord(try run.record(at: position)) else {
                    throw Record.damaged(position, "is cut short")
                }
                guard visit(Position(position), record) else { return }
                position += 1
            }
        }
    }

    package func close() { transaction = nil }

    private func run(at position: UInt64) throws(StorageError) -> RecordRun {
        guard let handle = transaction?.handle else { preconditionFailure("A view is not read after it was closed.") }
        guard position > map.last else {
            let index = map.index(of: max(position, 1))
            if let run = map.known(index) { return run }
            return try map.find(index, in: handle)
        }
        guard let section = tail.first(where: { $0.run.holds(position) }) else {
            throw Record.damaged(position, "is missing")
        }
        return section.run
    }
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
    package var sortFields: (stream: UInt64, version: UInt64, hasKey: Bool) {
        let header = RecordHeader(bytes)
        return (header.streamNumber, header.version, header.keyCount > 0)
    }

    /// The name of its stream; nil where the lengths do not fit.
    package func streamName(at position: Position) -> UnsafeRawBufferPointer? {
        let header = RecordHeader(bytes)
        let start = header.jsonStart + RecordLayout.streamStart(position.value)
        let end = start + Int(header.streamCount)
        return end <= bytes.count ? UnsafeRawBufferPointer(rebasing: bytes[start..<end]) : nil
    }

    /// The event, checked against its checksum.
    ///
    /// - Throws: `.corrupt` where it is not as it was written.
    package func event(at position: Position) throws(StorageError) -> EventRecord {
        try Record.read(bytes, at: position.value)
    }
}
