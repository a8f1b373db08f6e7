package import StoryCore

/// A write of a client that a node passes on to the node that leads.
package struct ForwardedWrite: Equatable, Sendable {
    /// The number of the connection that it came from.
    package let client: UInt64
    package let verb: Verb
    package let tag: Tag?
    /// The uid of the client.
    package let user: UInt32
    /// The whole line, without its LF.
    package let line: [UInt8]
    /// The index of the verb in the line.
    package let verbIndex: Int
    /// True where it is written once however often it is sent: it has a key.
    package let isRepeatable: Bool

    /// Creates a write.
    package init(
        client: UInt64, verb: Verb, tag: Tag?, user: UInt32, line: [UInt8], verbIndex: Int, isRepeatable: Bool
    ) {
        (self.client, self.verb, self.tag, self.user) = (client, verb, tag, user)
        (self.line, self.verbIndex, self.isRepeatable) = (line, verbIndex, isRepeatable)
    }
}

/// The answer to a write that was to be passed on.
package enum ForwardedAnswer: Equatable, Sendable {
    /// The lines of the reply, and the code where it failed.
    case reply([UInt8], ErrorCode?)
    /// It was not carried out, nor will be: no node led.
    case leaderless
    /// It may be carried out, now or later.
    case unknown
}

/// The action for the shell of the writes that a node passes on.
package enum ForwardingAction: Equatable, Sendable {
    /// Connect to the node at an address; call `heard` with its greeting, or `linkEnded`.
    case connect(String)
    /// Close the link.
    case disconnect
    case ask(PeerRequest)
    case answer(ForwardedWrite, ForwardedAnswer)
    /// Trace that the node that leads is reached, or is lost.
    case say(String, reason: String?)
    /// The process that led in this term is gone: its link was reset, and then refused.
    case leaderIsGone(Term)
}
