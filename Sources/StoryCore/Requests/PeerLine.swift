/// A line that a node got from the node that leads, on the link over which it passes writes on.
///
/// The texts of replies go from the space behind the tag to the end of the line.
package enum PeerLine: Equatable, Sendable {
    /// The greeting, with the history of the other store.
    case greeting(LogID)
    /// A row of the reply to the request with this number.
    case row(UInt64, text: [UInt8])
    /// The end of the reply to a request that was carried out, with its position where it has one.
    case done(UInt64, Position?, text: [UInt8])
    /// The end of the reply to a request that failed.
    case failed(UInt64, ErrorCode, UnavailableOutcome?, text: [UInt8])
    /// The other side takes no more requests: those without a reply are not carried out.
    case draining
    /// The connection is refused, or ended, with the reason.
    case refused(String)
    /// A line that says nothing new.
    case other
    /// A line that is none of the protocol.
    case malformed
}

/// A request of a node to the node that leads; the number is its tag.
package enum PeerRequest: Equatable, Sendable {
    /// A write of a client: its uid, and its line from the verb on.
    case write(UInt64, user: UInt32, text: ArraySlice<UInt8>)
    /// The position of the other node.
    case position(UInt64)
}

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
