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
final class Follower {
    /// The number of records that are taken in one turn, about.
    private static let recordsPerTurn = 2_000
    /// The bytes of lines that wait at which the link is read no further.
    private static let much = 262_144

    private let address: String
    private let dependency: ServerDependency
    private let driver: CommitDriver
    private let seals: SealQueue
    private let reader = SourceLineReader()
    /// Passes on the position of the source that a question asked for.
    private let answered: (_ question: UInt64, _ position: Position) -> Void
    private var machine: Following
    private var link: ConnectionID?
    private var lines = LineFramer(limit: SourceLineReader.maxCount)
    private var isPaused = false
    /// True once the process ends, so that nothing more is taken.
    private var isEnding = false
    /// The number of records that this turn may still take.
    private var left = Follower.recordsPerTurn
    /// The reason why the process must end; nil while it goes on.
    private(set) var fault: FollowingFault?

    init(
        of address: String, _ dependency: ServerDependency, driver: CommitDriver, seals: SealQueue,
        answered: @escaping (UInt64, Position) -> Void
    ) {
        (self.address, self.dependency, self.driver, self.seals) = (address, dependency, driver, seals)
        self.answered = answered
        machine = Following(address, log: dependency.log.identity.id)
    }

    private var log: any EventLog { dependency.log }
    private var transport: any Transport { dependency.transport }

    /// The state, for greetings and `STATS`.
    var state: ReplicaState {
        ReplicaState(machine.isCurrent ? .following : .catchingUp, of: address, at: max(machine.source, log.head))
    }

    /// True while lines wait that the next turn can take.
    var hasWork: Bool { link != nil && lines.hasLine && mayTake }

    /// True while an entry can be appended, since few enough events wait for a commit or for a checkpoint.
    private var mayTake: Bool {
        !isEnding && fault == nil && driver.turn.takesEntries && !driver.holdsWrites && driver.refusals.failure == nil
    }

    // MARK: The reactor

    /// Returns true for the connection to the source.
    func owns(_ id: ConnectionID) -> Bool { id == link }

    /// Takes bytes of the source.
    func bytesReceived(_ bytes: UnsafeRawBufferPointer) {
        lines.append(bytes)
        takeLines()
    }

    /// Notes that the source sends no more, or that the connection is gone.
    func closed() {
        // The lines before the end have records that are acknowledged.
        while mayTake, link != nil, lines.hasLine { takeLine() }
        disconnect()
        perform(machine.connectionEnded(at: driver.tick))
    }

    /// Connects where it is time.
    func ticked() {
        guard !isEnding, fault == nil, driver.stopReason == nil else { return }
        let isQuiet = driver.turn.checkpointPosition == log.head && driver.refusals.failure == nil
        perform(machine.ticked(at: driver.tick, isQuiet: isQuiet))
        perform(machine.stored(through: log.flushed))
    }

    /// Goes on with the lines that wait, at the end of a turn.
    func turnEnded() {
        left = Follower.recordsPerTurn
        takeLines()
    }

    /// Asks the source for its position; returns the number of the question.
    func askForPosition() -> UInt64 {
        let (question, actions) = machine.positionWanted()
        perform(actions)
        return question
    }

    /// Takes nothing more: the process ends.
    func end() {
        isEnding = true
        disconnect()
    }

    // MARK: Lines

    private func takeLines() {
        while left > 0, link != nil, lines.hasLine, mayTake { takeLine() }
        guard let link else { return }
        let mustPause = lines.hasLine && lines.bufferedCount >= Follower.much
        guard mustPause != isPaused else { return }
        isPaused = mustPause
        if mustPause { transport.pauseReading(link) } else { transport.resumeReading(link) }
    }

    private func takeLine() {
        switch lines.next() {
        case .needBytes: return
        case .lineTooLong: perform(machine.heard(.malformed, head: log.head, at: driver.tick))
        case .line(let text):
            let line = reader.read(text)
            let actions = machine.heard(line, head: log.head, at: driver.tick)
            guard actions == [.take], case .records(let records, _) = line else { return perform(actions) }
            take(records)
        }
    }

    private func take(_ records: RawRecords) {
        left -= records.count
        do throws(StorageError) {
            let isTaken = try records.bytes.withBytes { (bytes) throws(StorageError) in try driver.arrived(bytes) }
            guard isTaken else { return closed() }
        } catch {
            return perform(machine.recordsRefused(error))
        }
        perform(machine.taken(through: log.head))
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
            guard let link else { return }
            _ = SourceLineReader.line(of: request).withUnsafeBytes { transport.send(link, $0) }
        case .seal(let position): seals.add(position) { [weak self] in self?.sealed($0, at: position) }
        case .take: break
        case .answer(let question, let position): answered(question, position)
        case .say(let happening, let reason):
            let position = "\(log.head.value)"
            guard let reason else {
                return dependency.trace.say(happening, ["source": address, "position": position])
            }
            dependency.trace.say(happening, ["source": address, "position": position, "reason": reason])
        case .stop(let fault):
            self.fault = fault
            dependency.trace.say(fault.isDivergence ? "diverged" : "another-history", ["reason": "\(fault)"])
            transport.stop()
        }
    }

    private func connect() {
        do throws(ReactorError) {
            link = try transport.connect(to: address)
        } catch {
            return perform(machine.connectionFailed("\(error)", at: driver.tick))
        }
        isPaused = false
        perform(machine.connected())
    }

    private func disconnect() {
        guard let link else { return }
        self.link = nil
        lines = LineFramer(limit: SourceLineReader.maxCount)
        transport.close(link)
    }

    private func sealed(_ seal: Result<String, StorageError>, at position: Position) {
        switch seal {
        case .success(let seal): perform(machine.sealed(seal, at: position))
        // A replica that cannot prove its own history must not go on with it.
        case .failure(let error): driver.fail(error)
        }
    }
}
