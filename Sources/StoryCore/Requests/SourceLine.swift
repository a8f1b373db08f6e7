/// A line that a replica got from its source.
package enum SourceLine: Equatable, Sendable {
    /// The greeting: the history, its last event, and whether the source is a replica itself.
    case greeting(LogID, Position, isReplica: Bool)
    /// The seal at a position, as text.
    case seal(String, at: Position)
    /// The records after the position that was asked for will come.
    case accepted
    /// Records of the log, and the last event that the source has.
    case records(RawRecords, of: Position)
    /// The source has nothing after this position.
    case caughtUp(Position)
    /// The source was at this position when it answered the question with this number.
    case position(Position, question: UInt64)
    /// The source refused a request or the connection.
    case refused(code: String, message: String)
    /// The source ends the connection, or sends no more records.
    case ended(String)
    /// A line that says nothing new.
    case other
    /// A line that is none of the protocol.
    case malformed
}

/// A request of a replica to its source.
package enum SourceRequest: Equatable, Sendable {
    /// The seal at a position.
    case seal(at: Position)
    /// The records from a position on, of this history.
    case send(from: Position, LogID)
    /// The position of the source; the number of the question.
    case position(question: UInt64)
}
