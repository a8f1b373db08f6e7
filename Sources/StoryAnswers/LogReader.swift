package import StoryCore
package import StoryLog
import StoryWire

/// The log as the engine sees it.
package final class LogReader: EventLogReading {
    private let log: any EventLog

    package init(log: any EventLog) { self.log = log }

    package var head: Position { log.head }
    package var lastTime: Instant? { log.lastTime }

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

    package func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError) {
        try log.records(at: positions, visit)
    }

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
