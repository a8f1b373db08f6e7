/// The direction of a list or a read.
package enum Order: String, Sendable { case ascending = "asc", descending = "desc" }

/// The append-only log, as its readers see it: the daemon's own, one that is read beside a daemon, or one in memory.
///
/// Readings see an event as soon as it is appended. A record is valid until `visit` returns; `visit` may read the log
/// again, but not append.
package protocol EventLogReading: AnyObject {
    /// The position of the last event, including those of this turn; zero when there is none.
    var head: Position { get }
    /// The time of the last event; nil when there is none.
    var lastTime: Instant? { get }
    /// Visits the events from `from` through `through`, in either order, until `visit` returns false: when its budget is
    /// spent, for example.
    ///
    /// - Throws: `.corrupt` with the position of a damaged event; otherwise the error of the read.
    func scan(
        from: Position, through: Position, order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError)
    /// Visits the events at these positions in the order given, until `visit` returns false or a position is past the
    /// head.
    ///
    /// - Throws: as `scan`.
    func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError)
    /// Returns the last position whose event was written at or before a time; zero when there is none.
    ///
    /// - Throws: as `scan`.
    func position(at time: Instant) throws(StorageError) -> Position
}
