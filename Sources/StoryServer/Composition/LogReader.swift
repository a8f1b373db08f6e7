package import StoryCore
package import StoryLog
package import StoryWire

/// The log as the engine sees it: records decoded into events.
package final class LogReader: EventLogReading {
    private let log: any EventLog
    private let decoder: EventDecoder

    package init(log: any EventLog, decoder: EventDecoder) {
        self.log = log
        self.decoder = decoder
    }

    package var head: Position { log.head }
    package var lastTime: Instant? { log.lastTime }

    package func events(at positions: [Position]) throws(StorageError) -> [Event] {
        var events: [Event] = []
        events.reserveCapacity(positions.count)
        try log.records(at: positions) { record in
            events.append(decoder.decode(record))
            return true
        }
        return events
    }

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

    package func position(at time: Instant) throws(StorageError) -> Position { try log.position(at: time) }
}

extension EventRecord {
    fileprivate func written(isSame: Bool) -> WrittenEvent {
        let name = UnsafeRawBufferPointer(rebasing: json[stream])
        let categoryCount = name.firstIndex(of: 0x2D) ?? 0
        return WrittenEvent(
            stream: StreamName(trusted: ByteView(copying: name), categoryCount: categoryCount), version: version, position: position,
            time: time, isSame: isSame)
    }
}
