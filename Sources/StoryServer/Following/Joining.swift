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
    private let files: TLSFiles?
    private let reactor: Reactor
    /// The ticks of 0.1 s that are left.
    private var ticksLeft: UInt64
    private var link: PeerConnection?
    private var lines = LineFramer(limit: SourceLineReader.maxCount)
    private let reader = SourceLineReader()
    private var reason = "nobody answered"
    private var identity: StoredIdentity?

    private init(_ address: String, _ files: TLSFiles?, patience seconds: Int) throws(StorageError) {
        (self.address, self.files) = (address, files)
        ticksLeft = UInt64(clamping: seconds) * 10
        reactor = try Reactor.made()
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
        do throws(ConnectionFailure) {
            link = try PeerConnection(to: address, files, reactor)
        } catch {
            reason = error.reason
        }
    }

    private func ended(_ reason: String) {
        self.reason = reason
        guard let link else { return }
        self.link = nil
        lines.restart()
        reactor.close(link.id)
    }

    /// Uses the connection; it ends where its TLS fails.
    private func withLink(_ body: (PeerConnection) throws(TLSError) -> Void) {
        guard let link else { return }
        do throws(TLSError) { try body(link) } catch { ended("\(error)") }
    }

    // MARK: ReactorHandler

    func connectionMade(_ id: ConnectionID) {
        if id == link?.id { withLink { (link) throws(TLSError) in try link.made() } }
    }

    func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        guard id == link?.id else { return }
        withLink { (link) throws(TLSError) in try link.received(bytes) { lines.append($0) } }
        while link != nil, case .line(let line) = lines.next() { handle(line) }
    }

    private func handle(_ line: UnsafeRawBufferPointer) {
        switch reader.read(line) {
        case .greeting: withLink { (link) throws(TLSError) in try link.send(Array("@seal SEAL\n".utf8)) }
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
        if link == nil { connect() }
    }

    func signalReceived(_ signal: Int32) {
        reason = "signal \(signal)"
        reactor.stop()
    }

    func peerClosed(_ id: ConnectionID) { connectionClosed(id) }
    func connectionClosed(_ id: ConnectionID) {
        if id == link?.id { ended(reactor.connectFailure(id) ?? "it closed the connection") }
    }
    func connectionOpened(_ id: ConnectionID, peer: PeerCredentials) {}
    func clientNotAccepted(errno: Int32) {}
    func outputDrained(_ id: ConnectionID) {}
    func turnEnded() {}
    func woken() {}
}
