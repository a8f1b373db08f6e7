import StoryCore
import StoryEngine
import StoryWire

/// The part of a connection that ends with its last request: its session, its input as lines, and the notes that the
/// loop makes while it handles them.
final class Conversation {
    var session: Session
    var lines: SessionMachine
    var activity = Activity()
    /// The index of the subscription that has its share first.
    var firstSubscription = 0
    /// The number of its subscriptions to rows and lists that all connections' sum includes.
    var countedRowSubscriptions = 0
    /// The last turn that handled lines of it, and the number of those lines.
    var taken: (turn: UInt64, lines: Int) = (0, 0)
    /// The end of the wait for the position that the next request names, or the lead that it needs; nil before that.
    var positionWait: PositionWaits.End?
    /// The look at the preconditions of the next request, which is handled again after it; nil where there is none.
    var look: (any RequestLook)?
    /// The number of writes that were passed on to another node, or are to be, and have no reply.
    var forwarded = 0
    /// True once the peer, which is a node, passed a write on.
    var passesOn = false

    /// When a client last did something, in ticks of 0.1 s.
    struct Activity {
        /// When the client was last seen to send a line, to wait for work, or to read output.
        var last: UInt64 = 0
        /// When the incomplete line was first seen; nil where there is none.
        var lineBegan: UInt64?
        /// The bytes of unsent output at the last look.
        var unsent = 0
    }

    init(peer: Peer, isNode: Bool, limits: Limits) {
        session = Session(peer: peer)
        lines = SessionMachine(limits: limits, passesOn: isNode)
    }
}

/// A conversation that has ended, with the request that was read and has no reply.
struct EndedConversation {
    /// A request that was read and has no reply.
    enum Unanswered {
        case nothing
        case request(Tag?)
    }

    let conversation: Conversation
    let unanswered: Unanswered

    init(_ conversation: Conversation, _ unanswered: Unanswered) {
        (self.conversation, self.unanswered) = (conversation, unanswered)
    }
}
