import StoryCore
import StoryNetwork
import StoryReactor
import StoryStorage
import StoryWire

/// The first contact of a replica without a log: it takes the history of its source, which its log then continues.
///
/// It has a loop of its own, which ends with the answer, at the deadline or at a signal.
final class Joining: ReactorHandler {
    private let address: String
    private let reactor: Reactor
    /// The ticks of 0.1 s that are left.
    private var ticksLeft: UInt64
    private let link: OutboundLink<LineFraming>
    private let reader = SourceLineReader()
    private var reason = "nobody answered"
    private var identity: StoredIdentity?

    private init(_ address: String, _ files: TLSFiles?, patience seconds: Int) throws(StorageError) {
        self.address = address
        ticksLeft = UInt64(clamping: seconds) * 10
        reactor = try Reactor.made()
        link = OutboundLink(LineFraming(limit: SourceLineReader.maxCount), files, reactor)
    }

    /// Asks the source for the identity of its history.
    ///
    /// - Parameters:
    ///   - address: the socket of the source, or `HOST:PORT`.
    ///   - files: the own certificate, and the authority of the source; nil where there are none.
    ///   - seconds: how long it is tried.
    ///   - trace: the daemon's trace.
    /// - Throws: `.failed` with the reason where the source did not tell it in time.
    static func history(
        of address: String, _ files: TLSFiles?, patience seconds: Int, _ trace: Trace
    ) throws(StorageError) -> StoredIdentity {
        let joining = try Joining(address, files, patience: seconds)
        joining.connect()
        joining.reactor.run(joining)
        guard let identity = joining.identity else {
            throw .failed("no history could be taken from the store at \(address): \(joining.reason)")
        }
        trace.say("joined", ["source": address, "log": "\(LogID(binary: identity.id))"])
        return identity
    }

    private func connect() {
        link.connect(to: LinkTarget(store: address))
        linkMoved()
    }

    /// Handles the lines, and takes the end of the connection; the next tick makes another one.
    private func linkMoved() {
        while case .line(let line) = link.framing.lines.next() { handle(line) }
        if let end = link.takeEnd() { reason = end.reason }
    }

    private func ended(_ reason: String) {
        self.reason = reason
        link.close()
    }

    // MARK: ReactorHandler

    func connectionMade(_ id: ConnectionID) {
        guard id == link.id else { return }
        link.made()
        linkMoved()
    }

    func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        guard id == link.id else { return }
        link.received(bytes)
        linkMoved()
    }

    private func handle(_ line: UnsafeRawBufferPointer) {
        switch reader.read(line) {
        case .greeting:
            link.framing.send(Array("@seal SEAL\n".utf8))
            link.flush()
        case .seal:
            identity = HistoryReader.identity(line)
            if identity == nil { reason = "its history has an ID that this program does not read" }
            reactor.stop()
        case .refused(let code, let message): ended("\(code): \(message)")
        case .ended(let reason): ended("it ends: \(reason)")
        case .malformed: ended("what answers there is no store")
        case .accepted, .records, .caughtUp, .position, .other: break
        }
    }

    func timerFired() {
        guard ticksLeft > 0 else { return reactor.stop() }
        ticksLeft -= 1
        if link.id == nil { connect() }
    }

    func signalReceived(_ signal: Int32) {
        reason = "signal \(signal)"
        reactor.stop()
    }

    func peerClosed(_ id: ConnectionID) { connectionClosed(id) }
    func connectionClosed(_ id: ConnectionID) {
        guard id == link.id else { return }
        link.closed()
        linkMoved()
    }
    func connectionOpened(_ id: ConnectionID, peer: PeerCredentials) {}
    func clientNotAccepted(errno: Int32) {}
    func outputDrained(_ id: ConnectionID) {}
    func turnEnded() {}
    func woken() {}
}
