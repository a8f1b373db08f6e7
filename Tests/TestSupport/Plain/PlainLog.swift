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

    package func written(
        at position: Position, comparedWith proposal: EventProposal?
    ) throws(StorageError) -> WrittenEvent {
        guard let event = try events(at: [position]).first else { throw .corrupt("no event", at: position) }
        let says = EventProposal(body: event.body, meta: event.meta, tags: event.tags)
        return WrittenEvent(
            stream: event.stream, version: event.version, position: event.position, time: event.time,
            isSame: says == proposal)
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
