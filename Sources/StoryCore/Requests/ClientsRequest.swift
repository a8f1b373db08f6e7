/// A request about the connections.
package enum ClientsRequest: Equatable, Sendable {
    /// A row for each connection.
    case all
    /// The row of the connection with this number.
    case one(UInt64)
    /// The end of the connection with this number.
    case end(UInt64)
}
