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
