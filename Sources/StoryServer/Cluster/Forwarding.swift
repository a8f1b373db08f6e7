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
    let dependency: ServerDependency
    let driver: CommitDriver
    private(set) weak var requests: Requests?
    let link: PeerLink
    private var writes: ForwardedWrites
    private var actions = FIFO<ForwardingAction>()
    private var isPerforming = false
    /// The term of the node that leads, which may be this one.
    private var term: Term?
    /// The connections whose next write waits until fewer bytes of writes are here.
    private var crowded: [Connection] = []
    /// Returns true for the name of a node of the log.
    var isMember: (String) -> Bool = { _ in false }
    /// Returns true while this node may get the lead, or has it and takes no writes yet.
    var isToLead: () -> Bool = { false }
    /// Called where the process that led in a term is gone.
    var leaderIsGone: (Term) -> Void = { _ in }

    init(_ node: ClusterNode, _ dependency: ServerDependency, driver: CommitDriver, requests: Requests) {
        (self.dependency, self.driver, self.requests) = (dependency, driver, requests)
        link = PeerLink(dependency.transport, dependency.configuration.certificates)
        let patience = UInt64(clamping: dependency.configuration.patience) * Housekeeping.ticksPerSecond
        writes = ForwardedWrites(
            dependency.log.identity.id, node: node.settings.node, at: driver.acknowledged, patience: patience)
        link.heard = { [weak self] line in self?.input { $0.heard(line, at: $1) } }
        link.ended = { [weak self] isRefused, reason in
            self?.input { $0.linkEnded(isRefused: isRefused, reason, at: $1) }
        }
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
        if driver.tick % Housekeeping.ticksPerSecond == 0 { link.secondPassed() }
        input { $0.ticked($1) }
    }

    /// Sends the requests of this turn; where this node takes writes itself, carries out those that no other node has.
    func turnEnds() {
        if requests?.waits.takesWrites == true { for client in writes.waitingClients { carryOut(client) } }
        link.flush()
    }

    /// Carries out the writes of a client that no other node has.
    private func carryOut(_ client: UInt64) {
        while !driver.holdsWrites(), let write = writes.takeWaiting(of: client) {
            guard let connection = requests?.connections[ConnectionID(client)] else { continue }
            connection.forwarded -= 1
            carryOut(write.line, connection)
            input { writes, _ in writes.carriedOut(of: client) }
            goOn(connection)
        }
    }

    /// Sends no more writes, since the process ends.
    func ends() { writes.ends() }

    /// Ends the connections of nodes that pass writes on, since this node leads no more.
    func endPassingOn() {
        guard let requests else { return }
        for connection in requests.connections.all where connection.passesOn { requests.drain(connection) }
    }

    // MARK: Clients

    /// Returns true where a connection's next write is taken; else the connection goes on once one is.
    func hasRoom(_ connection: Connection) -> Bool {
        guard connection.forwarded < ForwardedWrites.mostOfClient else { return false }
        guard writes.isFull else { return true }
        crowded.append(connection)
        return false
    }

    /// Takes a write of a connection, which is to be passed on.
    ///
    /// - Parameter text: its line from the verb on.
    func add(_ request: borrowing Request, _ text: UnsafeRawBufferPointer, of connection: Connection) {
        connection.forwarded += 1
        let write = ForwardedWrite(request, text, of: connection)
        input { $0.add(write, at: $1) }
    }

    /// Answers the writes of a connection as far as their outcome is known, since it ends.
    ///
    /// - Parameter failure: the answer to a write that was not carried out.
    func connectionEnds(_ connection: Connection, _ failure: Failure) {
        guard connection.forwarded > 0 else { return }
        connection.forwarded = 0
        for (write, answer) in writes.clientEnds(connection.id.value) {
            reply(answer, to: write, otherwise: failure, on: connection)
        }
    }

    /// Forgets a connection, which is closed.
    func connectionGone(_ connection: Connection) {
        connection.forwarded = 0
        writes.clientGone(connection.id.value)
    }

    /// Lets a connection go on whose writes all have their replies.
    private func goOn(_ connection: Connection) {
        guard connection.forwarded == 0, connection.awaitsForwarded else { return }
        requests?.resume([connection])
    }

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
        case .connect(let address): link.connect(to: address)
        case .disconnect: link.close()
        case .ask(let request): link.send(request)
        case .answer(let write, let answer):
            guard let connection = requests?.connections[ConnectionID(write.client)], !connection.isEnding else {
                return
            }
            connection.forwarded -= 1
            reply(answer, to: write, otherwise: .leaderless, on: connection)
            goOn(connection)
        case .say(let happening, nil): dependency.trace.say(happening, ["term": "\(term?.revision ?? 0)"])
        case .say(let happening, let reason?): dependency.trace.say(happening, ["reason": reason])
        case .leaderIsGone(let term):
            dependency.trace.say("leader-gone", ["term": "\(term.revision)"])
            leaderIsGone(term)
        }
    }

    /// Lets the connections go on whose next write waits for room.
    private func letIn() {
        guard !crowded.isEmpty, !writes.isFull else { return }
        let waiting = crowded.filter(\.awaitsForwarded)
        crowded = []
        requests?.resume(waiting)
    }
}

extension ForwardedWrite {
    /// Copies a write out of its line, of which it gets the text from the verb on.
    fileprivate init(_ request: borrowing Request, _ text: UnsafeRawBufferPointer, of connection: Connection) {
        let tag = request.tag.map { "@\($0) " } ?? ""
        let key: RequestKey? = if case .write(let write) = request.action { write.key } else { nil }
        self.init(
            client: connection.id.value, verb: request.verb, tag: request.tag, user: connection.session.peer.uid,
            line: Array(tag.utf8) + text, verbIndex: tag.utf8.count, isRepeatable: key != nil)
    }
}
