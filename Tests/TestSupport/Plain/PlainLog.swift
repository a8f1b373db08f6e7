package import StoryCore

/// The log as an array of events.
package final class PlainLog: EventLogReading {
    package private(set) var events: [Event] = []
    /// What reading fails with, for as long as it is set.
    package var failure: StorageError?

    package init() {}

    package var head: Position { events.last?.position ?? .zero }
    package var lastTime: Instant? { events.last?.time }

    package func append(_ event: Event) { events.append(event) }

    /// Forgets everything after a position, as a failed commit does.
    package func truncate(after position: Position) { events.removeAll { $0.position > position } }

    package func events(at positions: [Position]) throws(StorageError) -> [Event] {
        if let failure { throw failure }
        var found: [Event] = []
        for position in positions {
            guard let event = events.first(where: { $0.position == position }) else { return found }
            found.append(event)
        }
        return found
    }

    package func scan(
        from: Position, through: Position, order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        let found = events.map(\.position).filter { $0 >= from && $0 <= through }
        try records(at: order == .ascending ? found : found.reversed(), visit)
    }

    package func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError) {
        for event in try events(at: positions) {
            guard event.withRecord(visit) else { return }
        }
    }

    package func position(at time: Instant) throws(StorageError) -> Position {
        if let failure { throw failure }
        return events.last { $0.time <= time }?.position ?? .zero
    }
}
