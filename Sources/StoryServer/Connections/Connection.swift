import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// The state machine of one connection, with its session, its input as lines, and its output.
final class Connection {
    /// The state, which says how the next request is handled.
    enum State {
        /// The next request is handled.
        case open
        /// The request with this tag waits; it is still the next line, but for background work.
        case awaiting(Awaited, Tag?)
        /// The next request waits for an answer that is being written.
        case answering(Answer)
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
    private(set) var state = State.open {
        didSet { touched.add(self) }
    }
    var session: Session
    var lines: SessionMachine
    /// The output; only the outbox writes to it, which lists the connection for sending as well.
    var output = ConnectionOutput()
    /// The list that notes that something about the connection has changed.
    private let touched: TouchedConnections
    /// When the connection last did something.
    var activity = Activity()
    var client = ClientFigures()
    var asked = AskedRequests()
    /// The index of the subscription that has its share first.
    var firstSubscription = 0
    /// The number of its subscriptions to rows and lists that all connections' sum includes.
    var countedRowSubscriptions = 0
    /// True while the transport leaves the peer's bytes in the socket.
    var isPaused = false
    /// Whether the connection has a long line that is not complete, and whether it is being read.
    var longLine = LongLine.none
    /// The last turn that handled lines of the connection, and the number of those lines.
    var taken: (turn: UInt64, lines: Int) = (0, 0)
    /// The bytes that the memory account has recorded for the connection.
    var accounted = 0
    /// The lists of the loop that the connection is in.
    var listed: Lists = []
    /// The end of the wait for the position that the next request names, or the lead that it needs; nil before that.
    var positionWait: PositionWaits.End?

    /// The number of writes that were passed on to another node, or are to be, and have no reply.
    var forwarded = 0
    /// True once the peer, which is a node, passed a write on.
    var passesOn = false

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

    /// When a connection last did something, in ticks of 0.1 s.
    struct Activity {
        /// When a line was last handled.
        var lastLine: UInt64 = 0
        /// When the connection was last seen to send a line, to wait for work, or to read output.
        var last: UInt64 = 0
        /// When the incomplete line was first seen; nil where there is none.
        var lineBegan: UInt64?
        /// The bytes of unsent output at the last look.
        var unsent = 0
    }

    init(id: ConnectionID, peer: Peer, isNode: Bool = false, limits: Limits, touched: TouchedConnections) {
        self.id = id
        self.touched = touched
        session = Session(peer: peer)
        lines = SessionMachine(limits: limits, passesOn: isNode)
    }

    // MARK: State

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
        case .answering: activity.unsent == 0
        case .open: forwarded > 0
        case .closing, .closed: false
        }
    }

    /// The answer that is being written; nil when there is none.
    var answer: Answer? {
        switch state {
        case .answering(let answer): answer
        case .open, .awaiting, .closing, .closed: nil
        }
    }

    /// True while the next request waits for the replies to writes that were passed on.
    var awaitsForwarded: Bool { if case .awaiting(.forwarded, _) = state { true } else { false } }

    // MARK: Transitions

    /// Makes the request with this tag wait.
    func requestMustWait(for awaited: Awaited, _ tag: Tag?) {
        guard case .open = state else { return }
        state = .awaiting(awaited, tag)
    }

    /// Ends the wait of the next request: its condition holds, or the writes were undone.
    func waitIsOver() {
        switch state {
        case .awaiting(.job, _), .open, .answering, .closing, .closed: break
        case .awaiting: state = .open
        }
    }

    /// Notes that the work ended; returns false when its reply is not wanted any more.
    func jobEnded() -> Bool {
        guard case .awaiting(.job, _) = state else { return false }
        state = .open
        return true
    }

    /// Notes that an answer began that is written step by step.
    func answerBegan(_ answer: Answer) {
        guard case .open = state else { return }
        state = .answering(answer)
    }

    /// Notes that the answer was completed.
    func answerEnded() {
        guard case .answering = state else { return }
        state = .open
    }

    /// Stops handling requests; returns the request that still needs a reply, nil where none does.
    func finishRequested() -> UnansweredRequest? {
        defer { if !isClosed { state = .closing } }
        switch state {
        case .answering(let answer): return UnansweredRequest(tag: answer.tag)
        case .awaiting(.forwarded(isEnd: true), _): return nil
        case .awaiting(_, let tag): return UnansweredRequest(tag: tag)
        case .open, .closing, .closed: return nil
        }
    }

    /// Notes that the connection was closed, or is about to be.
    func closed() { state = .closed }
}

/// A request that was read and has no reply.
struct UnansweredRequest {
    let tag: Tag?
}
