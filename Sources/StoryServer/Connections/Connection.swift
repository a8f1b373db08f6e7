import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// The state machine of one connection, and its output.
///
/// Each state carries its own data: session and input end with the last request, before the output is sent.
final class Connection {
    /// The state, which says how the next request is handled.
    enum State {
        /// The next request is handled.
        case open(Conversation)
        /// The request with this tag waits; it is still the next line, but for background work.
        case awaiting(Awaited, Tag?, Conversation)
        /// The next request waits for an answer that is being written.
        case answering(Answer, Conversation)
        /// No more requests are handled; pending output is sent.
        case closing
        /// The connection was closed, by the server or by the peer.
        case closed
    }

    /// The condition that a request waits for.
    enum Awaited {
        /// The end of background work, which replies to the request.
        case job
        /// The connection's writes being durable.
        case earlierWrites
        /// The definitions of models being durable.
        case definitions
        /// The last moves of the shares that a worker may get being durable.
        case moved(WorkRequest)
        /// Writes being accepted again.
        case room
        /// Models that can be read.
        case models
        /// The end of a rollback: an event has no fold.
        case rollBack
        /// The position that the request names, or the lead that it needs.
        case position
        /// The long fold of its events.
        case fold
        /// The replies to the writes that were passed on, or room for another one; `isEnd`: for the end of the input.
        case forwarded(isEnd: Bool = false)
    }

    /// An answer that is written step by step.
    struct Answer {
        let cursor: any AnswerCursor
        let tag: Tag?
        let restsOn: Position
    }

    let id: ConnectionID
    let peer: Peer
    private(set) var state: State {
        didSet { touched.add(self) }
    }
    /// The output; only the outbox writes to it, which lists the connection for sending as well.
    var output = ConnectionOutput()
    var client = ClientFigures()
    /// The requests whose replies have not been sent.
    var asked = AskedRequests()

    /// The list that notes that something about the connection has changed.
    private let touched: TouchedConnections
    /// The lists of the loop that the connection is in.
    var listed: Lists = []
    /// The bytes that the memory account has recorded for the connection.
    var accounted = 0
    /// True while the transport leaves the peer's bytes in the socket.
    var isPaused = false
    /// Whether the connection has a long line that is not complete, and whether it is being read.
    var longLine = LongLine.none

    /// The lists of connections that the loop keeps; a connection is in each at most once.
    struct Lists: OptionSet {
        let rawValue: UInt8

        /// Output is waiting to be sent.
        static let outbox = Lists(rawValue: 1)
        /// Lines are left over for the next turn.
        static let requests = Lists(rawValue: 2)
        /// An answer or a subscription has more to send.
        static let publishing = Lists(rawValue: 4)
        /// The next step is to be computed.
        static let touched = Lists(rawValue: 8)
    }

    /// The state of a long line that is not complete yet.
    enum LongLine {
        case none
        /// The line waits until other long lines are complete.
        case waiting
        case reading
    }

    init(id: ConnectionID, peer: Peer, isNode: Bool = false, limits: Limits, touched: TouchedConnections) {
        (self.id, self.peer, self.touched) = (id, peer, touched)
        state = .open(Conversation(peer: peer, isNode: isNode, limits: limits))
    }

    // MARK: State

    /// The conversation; nil once no more requests are handled.
    var conversation: Conversation? {
        switch state {
        case .open(let conversation), .awaiting(_, _, let conversation), .answering(_, let conversation): conversation
        case .closing, .closed: nil
        }
    }

    /// True when the next request can be handled.
    var isOpen: Bool {
        switch state {
        case .open: true
        case .awaiting, .answering, .closing, .closed: false
        }
    }

    /// True once no more requests are handled.
    var isEnding: Bool {
        switch state {
        case .open, .awaiting, .answering: false
        case .closing, .closed: true
        }
    }

    /// True once the connection is closed.
    var isClosed: Bool {
        switch state {
        case .open, .awaiting, .answering, .closing: false
        case .closed: true
        }
    }

    /// True while the server works for the client, which can only wait.
    var awaitsWork: Bool {
        switch state {
        case .awaiting: true
        case .answering(_, let conversation): conversation.activity.unsent == 0
        case .open(let conversation): conversation.forwarded > 0
        case .closing, .closed: false
        }
    }

    /// The answer that is being written; nil when there is none.
    var answer: Answer? {
        switch state {
        case .answering(let answer, _): answer
        case .open, .awaiting, .closing, .closed: nil
        }
    }

    /// True while the next request waits for the replies to writes that were passed on.
    var awaitsForwarded: Bool { if case .awaiting(.forwarded, _, _) = state { true } else { false } }

    // MARK: Transitions

    /// Makes the request with this tag wait.
    func requestMustWait(for awaited: Awaited, _ tag: Tag?) {
        guard case .open(let conversation) = state else { return }
        state = .awaiting(awaited, tag, conversation)
    }

    /// Ends the wait of the next request: its condition holds, or the writes were undone.
    func waitIsOver() {
        switch state {
        case .awaiting(.job, _, _), .open, .answering, .closing, .closed: break
        case .awaiting(_, _, let conversation): state = .open(conversation)
        }
    }

    /// Notes that the work ended; returns false when its reply is not wanted any more.
    func jobEnded() -> Bool {
        guard case .awaiting(.job, _, let conversation) = state else { return false }
        state = .open(conversation)
        return true
    }

    /// Notes that an answer began that is written step by step.
    func answerBegan(_ answer: Answer) {
        guard case .open(let conversation) = state else { return }
        state = .answering(answer, conversation)
    }

    /// Notes that the answer was completed.
    func answerEnded() {
        guard case .answering(_, let conversation) = state else { return }
        state = .open(conversation)
    }

    /// Stops handling requests; returns the conversation with the request that still needs a reply, nil where there was
    /// none any more.
    func finishRequested() -> EndedConversation? {
        let ended: EndedConversation
        switch state {
        case .closing, .closed: return nil
        case .answering(let answer, let conversation): ended = EndedConversation(conversation, .request(answer.tag))
        case .awaiting(.forwarded(isEnd: true), _, let conversation), .open(let conversation):
            ended = EndedConversation(conversation, .nothing)
        case .awaiting(_, let tag, let conversation): ended = EndedConversation(conversation, .request(tag))
        }
        state = .closing
        return ended
    }

    /// Notes that the connection was closed, or is about to be; returns the conversation that it ends, nil where that had
    /// ended.
    func closed() -> Conversation? {
        let ended = conversation
        state = .closed
        return ended
    }
}
