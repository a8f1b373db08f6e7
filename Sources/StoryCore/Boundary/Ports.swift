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
    /// The events at these positions in the order given; a position past the head ends the reading.
    func events(at positions: [Position]) throws(StorageError) -> [Event]
    /// Visits the records at these positions in the order given, until `visit` returns false or one is past the head.
    ///
    /// What `visit` is handed dies when it returns.
    func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError)
    /// The last position whose event was written at or before a time; zero when there is none.
    func position(at time: Instant) throws(StorageError) -> Position
}
