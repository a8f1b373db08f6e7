import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// One connection as a machine, and all that belongs to it: its session, its input as lines, its output.
final class Connection {
    /// What it does with the next request.
    enum State {
        /// Takes it up.
        case open
        /// Lets it wait for something that is under way.
        case awaiting(Awaited)
        /// Lets it wait for an answer that is being written.
        case answering(Answer)
        /// Takes up nothing more; what is there is sent.
        case closing
        /// Is ended, by us or by the peer.
        case closed
    }

    /// What the next request waits for.
    enum Awaited {
        /// Work beside the loop, whose end answers the request with this tag.
        case job(Tag?)
        /// That what the connection wrote is durable; then the request with this tag, still the next line, is taken up.
        case ownWrites(Tag?)
        /// That writes are taken up again; then the request with this tag, still the next line, is.
        case room(Tag?)
    }

    /// An answer that is written step by step.
    struct Answer {
        let cursor: any AnswerCursor
        let tag: Tag?
        let restsOn: Position
    }

    let id: ConnectionID
    @exclusivity(unchecked) private(set) var state = State.open {
        didSet { touched.add(self) }
    }
    @exclusivity(unchecked) var session: Session
    @exclusivity(unchecked) var lines: SessionMachine
    @exclusivity(unchecked) var output = Outlet()
    /// Where it is noted that something about it has changed.
    private let touched: TouchedConnections
    /// What it did, and since when it does not.
    @exclusivity(unchecked) var activity = Activity()
    @exclusivity(unchecked) var client = ClientFigures()
    @exclusivity(unchecked) var asked = AskedRequests()
    /// Which subscription has its share first.
    var firstSubscription = 0
    /// True while the transport was asked to leave what comes where it is.
    @exclusivity(unchecked) var isPaused = false
    /// Whether it has a long line that is not whole, and whether that is read on.
    @exclusivity(unchecked) var longLine = LongLine.none
    /// How many lines of it were taken up in a turn, the last one that took any.
    @exclusivity(unchecked) var taken: (turn: UInt64, lines: Int) = (0, 0)
    /// How many bytes the account of what is kept for clients has for it.
    @exclusivity(unchecked) var accounted = 0
    /// In which lists of the loop it stands.
    @exclusivity(unchecked) var listed: Lists = []

    /// The lists of connections that the loop keeps; a connection stands in each at most once.
    struct Lists: OptionSet {
        let rawValue: UInt8

        /// Something is to be sent.
        static let outbox = Lists(rawValue: 1)
        /// Lines are left over for the next turn.
        static let requests = Lists(rawValue: 2)
        /// An answer or a subscription goes on.
        static let publishing = Lists(rawValue: 4)
        /// Its next step is to be found out.
        static let touched = Lists(rawValue: 8)
    }

    /// A line that is long and not whole yet.
    enum LongLine {
        case none
        /// Others have to be whole first.
        case waiting
        case reading
    }

    /// When a connection last did something, in ticks.
    struct Activity {
        /// When a line of it was taken up.
        var lastLine: UInt64 = 0
        /// When it was last seen to ask for something, to wait for work, or to take something.
        var last: UInt64 = 0
        /// When the line was first seen that it has not finished; nil where there is none.
        var lineBegan: UInt64?
        /// How many bytes waited for it when that was last looked at.
        var unsent = 0
    }

    init(id: ConnectionID, peer: Peer, limits: Limits, touched: TouchedConnections) {
        self.id = id
        self.touched = touched
        session = Session(peer: peer)
        lines = SessionMachine(limits: limits)
    }

    // MARK: What it is

    /// True when the next request can be taken up.
    var isOpen: Bool {
        switch state {
        case .open: true
        case .awaiting, .answering, .closing, .closed: false
        }
    }

    /// True once nothing more is taken up.
    var isEnding: Bool {
        switch state {
        case .open, .awaiting, .answering: false
        case .closing, .closed: true
        }
    }

    /// True once it is gone.
    var isClosed: Bool {
        switch state {
        case .open, .awaiting, .answering, .closing: false
        case .closed: true
        }
    }

    /// True while something is done for it, and it can only wait.
    var awaitsWork: Bool {
        switch state {
        case .awaiting: true
        case .answering: activity.unsent == 0
        case .open, .closing, .closed: false
        }
    }

    /// The answer that is being written; nil when there is none.
    var answer: Answer? {
        switch state {
        case .answering(let answer): answer
        case .open, .awaiting, .closing, .closed: nil
        }
    }

    /// True when what its next request waited for has come.
    ///
    /// - Parameters:
    ///   - durable: the last event that is durable.
    ///   - takesWrites: whether writes are taken up.
    func isRequestReady(at durable: Position, takesWrites: Bool) -> Bool {
        switch state {
        case .awaiting(.ownWrites): session.lastWritten <= durable
        case .awaiting(.room): takesWrites
        case .awaiting(.job), .open, .answering, .closing, .closed: false
        }
    }

    // MARK: What happened

    /// A request was met that waits for what was written before it, or for room.
    func requestMustWait(for awaited: Awaited) {
        guard case .open = state else { return }
        state = .awaiting(awaited)
    }

    /// What the waiting request waited for has come, or was undone.
    func waitIsOver() {
        switch state {
        case .awaiting(.ownWrites), .awaiting(.room): state = .open
        case .awaiting(.job), .open, .answering, .closing, .closed: break
        }
    }

    /// Work began whose end answers a request.
    func jobBegan(_ tag: Tag?) {
        guard case .open = state else { return }
        state = .awaiting(.job(tag))
    }

    /// The work ended; false when nobody waits for it any more.
    func jobEnded() -> Bool {
        guard case .awaiting(.job) = state else { return false }
        state = .open
        return true
    }

    /// An answer began that is written step by step.
    func answerBegan(_ answer: Answer) {
        guard case .open = state else { return }
        state = .answering(answer)
    }

    /// The answer was closed.
    func answerEnded() {
        guard case .answering = state else { return }
        state = .open
    }

    /// Nothing more is to be taken up; returns the tag of a request that still has to be answered, nil where none has.
    func finishRequested() -> UnansweredRequest? {
        defer { if !isClosed { state = .closing } }
        switch state {
        case .answering(let answer): return UnansweredRequest(tag: answer.tag)
        case .awaiting(.job(let tag)), .awaiting(.ownWrites(let tag)), .awaiting(.room(let tag)):
            return UnansweredRequest(tag: tag)
        case .open, .closing, .closed: return nil
        }
    }

    /// It is gone, or on its way to be.
    func closed() { state = .closed }
}

/// A request that was taken up and not answered.
struct UnansweredRequest {
    let tag: Tag?
}
