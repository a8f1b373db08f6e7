package import StoryCore

/// The state before an event, which the fold takes as its decision has found it. A fold from the log looks it up.
package struct PriorState: Equatable, Sendable {
    /// The head of the event's stream; nil for the first event of a stream.
    package let head: StreamHead?
    /// The events that its request key has made; nil where there are none yet. It is not read without a key.
    package let entry: KeyIndex.Entry?

    /// Creates a state of its parts.
    package init(head: StreamHead?, entry: KeyIndex.Entry?) {
        self.head = head
        self.entry = entry
    }

    /// Creates the state before an event of a new write, whose key has made only the events of this write.
    ///
    /// - Parameters:
    ///   - first: the position of the first event of the write.
    ///   - made: the number of events that the write has made so far.
    package init(head: StreamHead?, first: Position, made: Int) {
        self.init(head: head, entry: made > 0 ? KeyIndex.Entry(first: first, count: UInt64(made)) : nil)
    }
}
