package import StoryCore

/// The state of the link from a node to the node that leads.
struct LeaderLink: Equatable {
    /// How long a node that leads no more is waited for, in ticks of 0.1 s: it ends the link when it learns that.
    private static let leaveTime: UInt64 = 5
    /// The longest wait before another try to connect, in ticks of 0.1 s.
    private static let longestWait: UInt64 = 10
    /// How long a link without a reply has to last, in ticks of 0.1 s, for the next one to come without a wait.
    private static let steadyTicks: UInt64 = 100

    private enum State: Equatable {
        case none(retryAt: UInt64)
        /// The connection is being made, or the greeting did not come yet.
        case connecting
        case open
        /// Nothing more is sent; replies are taken until a tick.
        case leaving(until: UInt64)
    }

    private let log: LogID
    /// The name of this node.
    private let node: String
    private var state = State.none(retryAt: 0)
    /// The node that leads; nil where none does, or it is this one.
    private(set) var leader: Leader?
    /// The term of the node that the link is to.
    private var term: Term?
    /// The number of failures since the link was open last.
    private var failures: UInt64 = 0
    /// How often an open link broke off since the last reply.
    private var breaks: UInt64 = 0
    /// The tick of the last greeting.
    private var greetedAt: UInt64 = 0
    /// True once the link to the node that leads was lost, until there is another one.
    private var wasReset = false
    /// True where the link could not be made, or was lost, and there is no other one yet.
    private(set) var isLost = false

    init(_ log: LogID, node: String) { (self.log, self.node) = (log, node) }

    /// True while writes can be sent.
    var isOpen: Bool { state == .open }

    /// Takes over which node leads.
    mutating func leaderIs(_ leader: Leader?) {
        let other = leader?.node == node ? nil : leader
        guard other?.term != self.leader?.term else { return }
        self.leader = other
        (failures, breaks, wasReset, isLost) = (0, 0, false, false)
        if case .none = state { state = .none(retryAt: 0) }
    }

    /// Returns the address to connect to; nil where that is not due.
    mutating func connect(at tick: UInt64) -> String? {
        guard case .none(let retryAt) = state, retryAt <= tick, let leader else { return nil }
        (state, term) = (.connecting, leader.term)
        return leader.address
    }

    /// Takes the greeting; returns false where it is of another log.
    mutating func greeted(_ log: LogID, at tick: UInt64) -> Bool {
        guard log == self.log else { return false }
        guard state == .connecting else { return true }
        (state, greetedAt, failures, wasReset, isLost) = (.open, tick, 0, false, false)
        return true
    }

    /// Notes a reply, which a program that only greets does not send.
    mutating func replied() { breaks = 0 }

    /// Notes that the link is gone, or was not made.
    ///
    /// - Returns: the term whose node is gone, since nobody listens any more where it did; nil where that is not known.
    mutating func ended(isRefused: Bool, at tick: UInt64) -> Term? {
        switch state {
        case .none: return nil
        case .open:
            wasReset = term == leader?.term
            if tick >= greetedAt + LeaderLink.steadyTicks { breaks = 0 }
            state = .none(retryAt: tick + min(breaks, LeaderLink.longestWait))
            breaks += 1
            return nil
        case .leaving:
            state = .none(retryAt: tick)
            return nil
        case .connecting:
            fail(at: tick)
            guard isRefused, wasReset, term == leader?.term else { return nil }
            wasReset = false
            return term
        }
    }

    /// Notes that the other node leads no more.
    mutating func leads(noMore tick: UInt64) { if state == .open { leave(at: tick) } }

    /// Returns true where the link has to be closed, since another node leads, or none.
    ///
    /// - Parameter hasSent: whether replies are awaited.
    mutating func mustLeave(hasSent: Bool, at tick: UInt64) -> Bool {
        switch state {
        case .none: return false
        case .connecting: return term != leader?.term
        case .open:
            guard term != leader?.term else { return false }
            leave(at: tick)
            return !hasSent
        case .leaving(let deadline): return !hasSent || deadline <= tick
        }
    }

    /// Notes that the link was closed since the other node leads no more.
    mutating func left(at tick: UInt64) { state = .none(retryAt: term == leader?.term ? tick + 1 : tick) }

    /// Returns true for the first failure of several.
    mutating func tellsLoss() -> Bool {
        defer { isLost = true }
        return !isLost
    }

    private mutating func leave(at tick: UInt64) { state = .leaving(until: tick + LeaderLink.leaveTime) }

    /// Notes that the link could not be made, or is closed from this side; it is tried again later.
    mutating func fail(at tick: UInt64) {
        failures += 1
        if state == .open { breaks += 1 }
        state = .none(retryAt: tick + min(max(failures, breaks), LeaderLink.longestWait))
    }
}

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
