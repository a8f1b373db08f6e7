package import StoryCore

/// The end of a change.
package enum NodeChangeEnd: Equatable, Sendable {
    /// The node leads.
    case leads(Term)
    case removed
    /// This node has not joined the log yet.
    case notJoined
    /// The log has no such node.
    case noNode(known: [String])
    /// The node has not all events of the log.
    case behind(Position)
    /// The node did not report for some time.
    case silent
    /// A node that leads cannot be removed.
    case isLeading
    /// Another node began to lead meanwhile; nothing was changed.
    case led(by: String?)
    /// The engine refuses the change.
    case refused(String)
    /// It did not come true in time, and may come true later.
    case late
}
