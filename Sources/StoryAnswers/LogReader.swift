package import StoryCore
package import StoryLog
import StoryWire

/// The engine's view of the log.
package final class LogReader: EventLogReading {
    private let log: any EventLog

    /// Creates a reader of a log.
    package init(log: any EventLog) { self.log = log }

    /// The position of the last event.
    package var head: Position { log.head }
    /// The time of the last event; nil when there is none.
    package var lastTime: Instant? { log.lastTime }

    /// Returns the event at a position, compared with a proposal.
    package func written(
        at position: Position, comparedWith proposal: EventProposal?
    ) throws(StorageError) -> WrittenEvent {
        var written: WrittenEvent?
        try log.records(at: [position]) { record in
            written = record.written(isSame: proposal.map { EventEncoder.says($0, record) } ?? false)
            return true
        }
        guard let written else { throw .corrupt("there is no event", at: position) }
        return written
    }

    /// Visits the records at these positions in the order given, until `visit` returns false.
    package func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError) {
        try log.records(at: positions, visit)
    }

    /// Returns the last position whose event was written at or before a time.
    package func position(at time: Instant) throws(StorageError) -> Position { try log.position(at: time) }
}

extension EventRecord {
    fileprivate func written(isSame: Bool) -> WrittenEvent {
        let name = UnsafeRawBufferPointer(rebasing: json[stream])
        let categoryCount = name.firstIndex(of: 0x2D) ?? 0
        return WrittenEvent(
            stream: StreamName(trusted: ByteView(copying: name), categoryCount: categoryCount), version: version,
            position: position, time: time, isSame: isSame)
    }
}
