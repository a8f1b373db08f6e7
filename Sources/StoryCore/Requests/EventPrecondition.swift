/// A precondition of a write: no event of a query has come after a position.
package struct EventPrecondition: Equatable, Sendable {
    /// The query of the events that must not be there.
    package let query: EventQuery
    /// The last position whose event may be one of the query.
    package let after: Position

    /// Creates a precondition.
    package init(_ query: EventQuery, after: Position = .zero) { (self.query, self.after) = (query, after) }
}

/// The preconditions of one write, all of which must hold: `unless=`.
@usableFromInline
package struct EventPreconditions: Equatable, Sendable {
    /// The most preconditions of a write.
    package static let mostCount = 8

    /// The preconditions, in the order of the request.
    package let list: [EventPrecondition]
    /// True where the request has them in an array.
    private let isArray: Bool

    /// Creates preconditions.
    package init(_ list: [EventPrecondition], isArray: Bool) { (self.list, self.isArray) = (list, isArray) }

    /// Returns the path of a precondition in the request.
    ///
    /// - Parameter index: less than the count of the list.
    package func path(_ index: Int) -> String { isArray ? "unless[\(index)]" : "unless" }
}
