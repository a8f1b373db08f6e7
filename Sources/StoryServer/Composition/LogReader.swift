package import StoryCore
package import StoryLog
package import StoryWire

/// The log as the engine sees it.
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

    package func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError) {
        try log.records(at: positions, visit)
    }

    package func position(at time: Instant) throws(StorageError) -> Position { try log.position(at: time) }
}
