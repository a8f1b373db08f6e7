import StoryCore
import StoryEngine
import StoryLog
import StoryReactor
import StoryStorage
import StoryWire

/// The follower of a source: carries out the actions of `Following`, and passes the lines of the source to it.
///
/// A line is taken once its records can be appended, so the input that waits is bounded: beyond `much` bytes the rest
/// stays in the socket, and the source sends no more.
final class Follower: PositionSource {
    /// The number of records that are taken in one turn, about.
    private static let recordsPerTurn = 2_000
    /// The bytes of lines that wait at which the link is read no further.
    private static let much = 262_144

    private let address: String
    private let ports: LinkPorts
    private let effects: Effects
    private let driver: CommitDriver
    private let seals: SealQueue
    private let reader = SourceLineReader()
    /// The position through which a node gets events, over one connection; nil for the source of a replica, which is
    /// followed for good.
    private let last: Position?
    private var machine: Following
    private let link: OutboundLink<LineFraming>
    /// The records of a line that is taken; nil while there are none.
    private var taking: RawRecords?
    /// True once a seed has its end.
    private var isOver = false
    /// The number of records that this turn may still take.
    private var recordsLeft = Follower.recordsPerTurn
    /// The silence of the source.
    private var silence: SourceSilence

    init(
        of address: String, _ ports: LinkPorts, driver: CommitDriver, seals: SealQueue, effects: Effects,
        doubt: Position? = nil, through last: Position? = nil
    ) {
        (self.address, self.ports, self.driver, self.seals) = (address, ports, driver, seals)
        (self.effects, self.last) = (effects, last)
        link = OutboundLink(LineFraming(limit: SourceLineReader.maxCount), ports.certificates, ports.transport)
        silence =
            last == nil
            ? SourceSilence(since: driver.tick)
            : SourceSilence(since: driver.tick, question: Ticks.perSecond, most: ports.patience)
        machine = Following(address, log: driver.log.identity.id, doubt: doubt)
    }

    private var log: any EventLog { driver.log }
    private var life: Life { driver.life }

    var part: ClusterState { .replica(state) }

    private var state: ReplicaState {
        let isSilent = silence.isLong
        let isKnown = machine.isOpen && !isSilent
        return ReplicaState(
            machine.isCurrent && !isSilent ? .following : .catchingUp, of: address,
            LinkState(
                end: isKnown ? max(machine.source, log.head) : nil, silence: silence.ticks(at: driver.tick),
                machine.isLost || isSilent ? [.sourceLost] : []))
    }

    /// The last event that was here when this store and its source were found to differ last; nil before that.
    var doubt: Position? { machine.doubt }

    /// True while lines wait that the next turn can take.
    var hasWork: Bool { hasLine && mayTake }

    /// True while a line waits, or its records. A link that is closed has none.
    private var hasLine: Bool { taking != nil || link.framing.lines.hasLine }

    /// True while an entry can be appended, since few enough events wait for a commit or for a checkpoint.
    private var mayTake: Bool { !isOver && !life.isEnding && driver.mayTakeEntry }

    // MARK: The reactor

    /// Returns true for the connection to the source.
    func owns(_ id: ConnectionID) -> Bool { id == link.id }

    /// Notes that a TCP connection to the source is made.
    func connected() {
        link.made()
        linkMoved()
    }

    /// Takes bytes of the source.
    func bytesReceived(_ bytes: UnsafeRawBufferPointer) {
        if silence.heard(at: driver.tick) { say("source-found", nil) }
        link.received(bytes)
        linkMoved()
    }

    /// Notes that the source sends no more, or that the connection is gone or was not made.
    func closed() {
        link.closed()
        linkMoved()
    }

    /// Goes on with the lines, and takes the end of the connection.
    private func linkMoved() {
        if link.isOpen { perform(machine.connected()) }
        handleLines()
        guard link.hasEnded else { return }
        // The lines before the end have records that are acknowledged.
        while mayTake, hasLine { handleLine() }
        takeEnd()
    }

    private func takeEnd() {
        guard let end = link.takeEnd() else { return }
        taking = nil
        perform(machine.connectionFailed(end.reason, at: driver.tick))
        perform(machine.connectionEnded(end.reason, at: driver.tick))
    }

    /// Connects where it is time.
    func ticked() {
        guard !isOver, !life.isEnding else { return }
        if link.id == nil {
            let isQuiet = driver.turn.checkpointPosition == log.head && driver.refusals.failure == nil
            perform(machine.ticked(at: driver.tick, isQuiet: isQuiet))
        }
        if driver.tick % Ticks.perSecond == 0 {
            link.secondPassed()
            linkMoved()
        }
        perform(machine.stored(through: log.flushed))
        checkSilence()
    }

    /// Asks a source that is silent; one that is silent for too long is lost, which ends a seed. A source that computes a
    /// seal answers questions meanwhile.
    private func checkSilence() {
        let isSeed = last != nil
        guard isSeed || link.id != nil else { return silence.linkIsGone() }
        let isExcused = hasLine || isSeed && (link.id == nil || !mayTake)
        switch silence.ticked(at: driver.tick, isExcused: isExcused) {
        case .nothing: break
        case .ask: if machine.isOpen { _ = askForPosition() }
        case .tell: say("source-lost", "it does not answer")
        }
    }

    /// Goes on with the lines that wait, at the end of a turn.
    func turnEnded() {
        recordsLeft = Follower.recordsPerTurn
        linkMoved()
    }

    /// Asks the source for its position; returns the number of the question.
    func askForPosition() -> UInt64 {
        let (question, actions) = machine.positionWanted()
        perform(actions)
        return question
    }

    /// Takes nothing more.
    func end() {
        isOver = true
        disconnect()
    }

    // MARK: Lines

    private func handleLines() {
        while recordsLeft > 0, hasLine, mayTake { handleLine() }
        link.setPaused(link.framing.lines.hasLine && link.framing.lines.bufferedCount >= Follower.much)
    }

    private func handleLine() {
        if let taking { return ingest(taking) }
        switch link.framing.lines.next() {
        case .needBytes: return
        case .lineTooLong: perform(machine.heard(.malformed, head: log.head, at: driver.tick))
        case .line(let text):
            let line = reader.read(text)
            let actions = machine.heard(line, head: log.head, at: driver.tick)
            guard actions == [.take], case .records(let records, _) = line else { return perform(actions) }
            ingest(records)
        }
    }

    private func ingest(_ records: RawRecords) {
        taking = records
        do throws(StorageError) {
            let isTaken = try records.bytes.withBytes { (bytes) throws(StorageError) in
                try driver.arrived(try wanted(bytes))
            }
            // Their fold is long.
            guard isTaken else { return }
        } catch {
            taking = nil
            return perform(machine.recordsRefused(error, at: driver.tick))
        }
        taking = nil
        recordsLeft -= records.count
        if let last, log.head >= last { return end(.complete) }
        perform(machine.taken(through: log.head))
    }

    /// Returns the records that are wanted: a seed ends where an entry of the ordering service begins.
    private func wanted(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer {
        guard let last else { return bytes }
        return UnsafeRawBufferPointer(rebasing: bytes[..<(try Record.end(in: bytes, after: log.head, through: last))])
    }

    // MARK: Actions

    private func perform(_ actions: [Following.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: Following.Action) {
        switch action {
        case .connect: connect()
        case .disconnect: disconnect()
        case .ask(let request):
            link.framing.send(SourceLineReader.line(of: request))
            link.flush()
        case .seal(let position): seals.add(position) { [weak self] in self?.sealed($0, at: position) }
        case .take: break
        case .answer(let question, let position):
            if last == nil { effects.add(.positionAnswered(question: question, position)) }
        case .say(let happening, let reason): say(happening, reason)
        case .stop(let fault): stop(fault)
        }
    }

    private func say(_ happening: String, _ reason: String?) {
        if let last {
            let lack = machine.source >= last ? nil : "it is at \(machine.source.value)"
            if let reason = reason ?? lack { end(.lost(reason)) }
            return
        }
        let position = "\(log.head.value)"
        guard let reason else {
            return ports.trace.say(happening, ["source": address, "position": position])
        }
        ports.trace.say(happening, ["source": address, "position": position, "reason": reason])
    }

    private func stop(_ fault: FollowingFault) {
        if last != nil {
            // Other records of the source, or another store at its address, are no reason to doubt the own events.
            guard case .sealsDiffer = fault else { return end(.lost("\(fault)")) }
            return end(.diverged("\(fault)"))
        }
        guard life.ended(.cannotFollow(fault)) else { return }
        ports.trace.say(fault.isDivergence ? "diverged" : "another-history", ["reason": "\(fault)"])
        ports.transport.stop()
    }

    /// Ends a seed.
    func end(_ end: SeedEnd) {
        guard last != nil, !isOver else { return }
        self.end()
        effects.add(.seedEnded(end))
    }

    private func connect() {
        link.connect(to: LinkTarget(store: address))
        linkMoved()
    }

    private func disconnect() {
        link.close()
        taking = nil
    }

    private func sealed(_ seal: Result<String, StorageError>, at position: Position) {
        switch seal {
        case .success(let seal): perform(machine.sealed(seal, at: position, tick: driver.tick))
        // A replica that cannot prove its own history must not go on with it.
        case .failure(let error): driver.fail(error)
        }
    }
}
