/// What a fold wants to know of an event besides what happened.
package protocol Occurrence {
    associatedtype Held: Holding

    var position: Position { get }
    var streamNumber: StreamNumber { get }
    var version: Version { get }
    var time: Instant { get }
    /// The ID in the name of its stream.
    var id: Held.Name { get }
}

extension Event: Occurrence {
    package typealias Held = Owned

    package var id: Identifier { stream.id }
}
