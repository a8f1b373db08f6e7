/// What a fold wants to know of an event besides what happened.
///
/// Folds are generic over it and are called from other targets, which do not see their bodies: so each is compiled here
/// for both kinds of event. Without that a sixth of a replay goes into looking up generic types.
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
