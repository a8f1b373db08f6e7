/// A failure of the outside world, caused neither by the client nor by this program.
package enum StorageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The disk or the map is full: nothing was written, and reading still works.
    case full(String)
    /// The stored data differ from those that were written, from this position on; nil where that is unknown.
    case corrupt(String, at: Position?)
    /// The system refused; whether the last write is on the disk is unknown.
    case failed(String)
    /// Another process holds the data directory.
    case held(String)

    /// The sentence for a person.
    package var description: String {
        switch self {
        case .full(let reason), .failed(let reason), .held(let reason), .corrupt(let reason, nil): reason
        // Most reasons name the position already.
        case .corrupt(let reason, let position?):
            reason.contains("position \(position.value)") ? reason : "position \(position.value): \(reason)"
        }
    }
}

/// The append-only log, as its readers see it.
package protocol EventLogReading: AnyObject {
    /// The position of the last event, including those of this turn; zero when there is none.
    var head: Position { get }
    /// The time of the last event; nil when there is none.
    var lastTime: Instant? { get }
    /// Returns the event at a position, compared with a proposal.
    ///
    /// - Throws: the error of reading the log; `.corrupt` when there is no such event.
    func written(
        at position: Position, comparedWith proposal: EventProposal?
    ) throws(StorageError) -> WrittenEvent
    /// Visits the records at these positions in the order given, until `visit` returns false or a position is past the
    /// head.
    ///
    /// Each record is valid until `visit` returns.
    func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError)
    /// Returns the last position whose event was written at or before a time; zero when there is none.
    func position(at time: Instant) throws(StorageError) -> Position
}

/// The parts of a logged event that a repeated write needs.
package struct WrittenEvent: Equatable, Sendable {
    /// The stream of the event.
    package let stream: StreamName
    /// The version of the stream after the event.
    package let version: Version
    /// The position in the log.
    package let position: Position
    /// The time of the commit.
    package let time: Instant
    /// True when its type, data, meta and tags equal those of the proposal, byte for byte.
    package let isSame: Bool

    /// Creates a written event from its parts.
    package init(stream: StreamName, version: Version, position: Position, time: Instant, isSame: Bool) {
        self.stream = stream
        self.version = version
        self.position = position
        self.time = time
        self.isSame = isSame
    }
}
