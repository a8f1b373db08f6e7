/// The outside world failed; not the client, and not this program.
package enum StorageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The disk or the map is full: nothing was written, reading goes on.
    case full(String)
    /// What is stored is not what was written, from this position on where it is known.
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

/// The append-only log, seen by what reads it.
package protocol EventLogReading: AnyObject {
    /// The last event, written in this turn or before; zero when there is none.
    var head: Position { get }
    /// When the last event was written; nil when there is none.
    var lastTime: Instant? { get }
    /// The event at a position, and whether it says what a proposal would.
    ///
    /// - Throws: why the log cannot be read; `.corrupt` when there is no such event.
    func written(
        at position: Position, comparedWith proposal: EventProposal?
    ) throws(StorageError) -> WrittenEvent
    /// Visits the records at these positions in the order given, until `visit` returns false or one is past the head.
    ///
    /// What `visit` is handed dies when it returns.
    func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError)
    /// The last position whose event was written at or before a time; zero when there is none.
    func position(at time: Instant) throws(StorageError) -> Position
}

/// An event of the log, as far as a write that is repeated needs it.
package struct WrittenEvent: Equatable, Sendable {
    package let stream: StreamName
    package let version: Version
    package let position: Position
    package let time: Instant
    /// True when its type, data, meta and tags are those of the proposal that it was compared with, byte for byte.
    package let isSame: Bool

    package init(stream: StreamName, version: Version, position: Position, time: Instant, isSame: Bool) {
        self.stream = stream
        self.version = version
        self.position = position
        self.time = time
        self.isSame = isSame
    }
}
