import StoryCluster
import StoryCore
import StoryEngine
import StoryLog
import StoryReactor
import StoryWire

/// The passing on of writes to the node that leads: carries out the actions of `ForwardedWrites`, and passes the lines of
/// that node to it.
///
/// The actions of an input are carried out in their order, one after the other, so no input comes within another one.
final class Forwarding {
    /// The longest line of the node that leads, in bytes.
    private static let longestLine = 24 << 20

    private let driver: CommitDriver
    private let trace: Trace
    private let effects: Effects
    private let link: OutboundLink<LineFraming>
    private let reader = PeerLineReader()
    private var writes: ForwardedWrites
    private var actions = FIFO<ForwardingAction>()
    private var isPerforming = false
    /// The term of the node that leads, which may be this one.
    private var term: Term?
    /// The connections whose next write waits until fewer bytes of writes are here.
    private var crowded: [Connection] = []
    /// True while this node may get the lead, or has it and takes no writes yet.
    var isToLead = false

    init(
        _ log: LogID, node: String, _ ports: LinkPorts, driver: CommitDriver, effects: Effects
    ) {
        (self.driver, self.effects, trace) = (driver, effects, ports.trace)
        link = OutboundLink(LineFraming(limit: Forwarding.longestLine), ports.certificates, ports.transport)
        writes = ForwardedWrites(log, node: node, at: driver.acknowledged, patience: ports.patience)
    }

    // MARK: The loop

    /// True while no write is with another node, and no reply waits.
    var isSettled: Bool { writes.isSettled }
    /// True while the node that leads is not reached.
    var isLeaderLost: Bool { writes.isLeaderLost }

    /// Takes over which node leads.
    func leaderIs(_ leader: Leader?) {
        guard leader?.term != term else { return }
        term = leader?.term
        input { $0.leaderIs(leader, at: $1) }
    }

    /// This node has the log up to a position.
    func reached(_ position: Position) { input { writes, _ in writes.reached(position) } }

    /// Counts a tick of 0.1 s.
    func ticked() {
        if driver.tick % Ticks.perSecond == 0 {
            link.secondPassed()
            linkMoved()
        }
        input { $0.ticked($1) }
    }

    /// Sends the requests of this turn.
    func turnEnds() {
        link.flush()
        linkMoved()
    }

    /// The clients that have writes which no other node has.
    var waitingClients: [UInt64] { writes.waitingClients }

    /// Takes out the next write of a client that no other node has; nil where there is none.
    func takeWaiting(of client: UInt64) -> ForwardedWrite? { writes.takeWaiting(of: client) }

    /// A write that was taken out was carried out here.
    func carriedOut(of client: UInt64) { input { writes, _ in writes.carriedOut(of: client) } }

    /// Sends no more writes, since the process ends.
    func ends() { writes.ends() }

    // MARK: The link

    /// Returns true for the connection to the node that leads.
    func owns(_ id: ConnectionID) -> Bool { id == link.id }

    /// Notes that the connection is made.
    func connected() {
        link.made()
        linkMoved()
    }

    /// Takes bytes of the node that leads.
    func bytesReceived(_ bytes: UnsafeRawBufferPointer) {
        link.received(bytes)
        linkMoved()
    }

    /// Notes that the node that leads sends no more, or that the connection is gone or was not made.
    func closed() {
        link.closed()
        linkMoved()
    }

    /// Handles the lines, and takes the end of the connection.
    private func linkMoved() {
        while let line = nextLine() { input { $0.heard(line, at: $1) } }
        guard let end = link.takeEnd() else { return }
        input { $0.linkEnded(isRefused: end.isRefusal, end.reason, at: $1) }
    }

    private func nextLine() -> PeerLine? {
        switch link.framing.lines.next() {
        case .needBytes: nil
        case .lineTooLong: .malformed
        case .line(let line): reader.read(line)
        }
    }

    // MARK: Clients

    /// Returns true where a connection's next write is taken; else the connection goes on once one is.
    func hasRoom(_ connection: Connection, _ conversation: Conversation) -> Bool {
        guard conversation.forwarded < ForwardedWrites.mostOfClient else { return false }
        guard writes.isFull else { return true }
        crowded.append(connection)
        return false
    }

    /// Takes a write of a connection, which is to be passed on.
    ///
    /// - Parameter text: its line from the verb on.
    func add(
        _ request: borrowing Request, _ text: UnsafeRawBufferPointer, of connection: Connection,
        _ conversation: Conversation
    ) {
        conversation.forwarded += 1
        let write = ForwardedWrite(request, text, of: connection)
        input { $0.add(write, at: $1) }
    }

    /// Takes out the writes of a connection, which ends, with their answers as far as their outcome is known.
    func connectionEnds(_ connection: Connection) -> [(ForwardedWrite, ForwardedAnswer)] {
        guard let conversation = connection.conversation, conversation.forwarded > 0 else { return [] }
        conversation.forwarded = 0
        return writes.clientEnds(connection.id.value)
    }

    /// Forgets a connection, which is closed.
    func connectionGone(_ connection: Connection) { writes.clientGone(connection.id.value) }

    // MARK: Inputs and actions

    private func input(_ body: (inout ForwardedWrites, _ tick: UInt64) -> [ForwardingAction]) {
        for action in body(&writes, driver.tick) { actions.append(action) }
        guard !isPerforming else { return }
        isPerforming = true
        while let action = actions.next() { perform(action) }
        isPerforming = false
        letIn()
    }

    private func perform(_ action: ForwardingAction) {
        switch action {
        case .connect(let address):
            link.connect(to: LinkTarget(store: address))
            linkMoved()
        case .disconnect: link.close()
        case .ask(let request): link.framing.send(PeerLineReader.line(of: request))
        case .answer(let write, let answer): effects.add(.passedOnEnded(write, answer))
        case .say(let happening, nil): trace.say(happening, ["term": "\(term?.revision ?? 0)"])
        case .say(let happening, let reason?): trace.say(happening, ["reason": reason])
        case .leaderIsGone(let term):
            trace.say("leader-gone", ["term": "\(term.revision)"])
            effects.add(.leaderIsGone(term))
        }
    }

    /// Lets the connections go on whose next write waits for room.
    private func letIn() {
        guard !crowded.isEmpty, !writes.isFull else { return }
        effects.add(.passingOnHasRoom(crowded))
        crowded = []
    }
}

extension ForwardedWrite {
    /// Copies a write out of its line, of which it gets the text from the verb on.
    fileprivate init(_ request: borrowing Request, _ text: UnsafeRawBufferPointer, of connection: Connection) {
        let tag = request.tag.map { "@\($0) " } ?? ""
        let key: RequestKey? = if case .write(let write) = request.action { write.key } else { nil }
        self.init(
            client: connection.id.value, verb: request.verb, tag: request.tag, user: connection.peer.uid,
            line: Array(tag.utf8) + text, verbIndex: tag.utf8.count, isRepeatable: key != nil)
    }
}
