import Foundation
import Glibc
import StoryCore
import StoryLog
import StoryFold
import StoryReactor
import StoryServer
import StoryStorage
import Synchronization
import TestSupport

/// The whole server in this process: its reactor on a thread of its own, the test over a real socket.
final class ServerDepth: Depth {
    private let folder: Scratch
    private let clients: SocketClients
    private let shared = Shared()

    /// What the reactor's thread and the test both see.
    private final class Shared: Sendable {
        let waker: Mutex<Waker?> = Mutex(nil)
        let mustStop = Mutex(false)
        /// How it ended: nil while it runs, empty when it ended well.
        let end: Mutex<String?> = Mutex(nil)
    }

    init(_ limits: Limits) throws {
        folder = try Scratch()
        var configuration = ServerConfiguration(data: folder.place("data"), socket: folder.place("s"))
        configuration.limits = limits
        clients = SocketClients(configuration.socket)
        let thread = Thread { [shared, configuration] in ServerDepth.serve(configuration, shared) }
        thread.start()
        try until("the server listens") { shared.waker.withLock { $0 != nil } || shared.end.withLock { $0 != nil } }
        if let reason = shared.end.withLock({ $0 }) { throw TookTooLong(what: "the server did not start: \(reason)") }
    }

    func connect(_ client: String) throws { try clients.connect(client) }
    func send(_ bytes: [UInt8], from client: String) { clients.send(bytes, from: client) }
    func nextLine(to client: String) throws -> String? { try clients.nextLine(to: client) }

    func end() throws {
        clients.hangUp()
        shared.mustStop.withLock { $0 = true }
        shared.waker.withLock { $0?.wake() }
        try until("the server ends") { shared.end.withLock { $0 != nil } }
        expect(shared.end.withLock { $0 } == "")
    }

    private static func serve(_ configuration: ServerConfiguration, _ shared: Shared) {
        do {
            let trace = Trace(now: Clock.system.now) { _ in }
            let composition = try Composition(configuration, clock: .system, trace: trace, manager: .absent)
            try composition.reactor.listen(at: configuration.socket)
            shared.waker.withLock { $0 = composition.reactor.waker }
            composition.reactor.run(Stoppable(composition.server) { shared.mustStop.withLock { $0 } })
            composition.close()
            shared.end.withLock { $0 = "" }
        } catch {
            shared.end.withLock { $0 = "\(error)" }
        }
    }
}

/// A server that can be told to end from another thread, as a signal would.
private final class Stoppable: ReactorHandler {
    private let server: Server
    private let mustStop: () -> Bool

    init(_ server: Server, _ mustStop: @escaping () -> Bool) {
        self.server = server
        self.mustStop = mustStop
    }

    func connectionOpened(_ id: ConnectionID, peer: PeerCredentials) { server.connectionOpened(id, peer: peer) }
    func clientNotAccepted(errno: Int32) { server.clientNotAccepted(errno: errno) }
    func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) { server.bytesReceived(id, bytes) }
    func peerClosed(_ id: ConnectionID) { server.peerClosed(id) }
    func connectionClosed(_ id: ConnectionID) { server.connectionClosed(id) }
    func outputDrained(_ id: ConnectionID) { server.outputDrained(id) }
    func turnEnded() { server.turnEnded() }
    func signalReceived(_ signal: Int32) { server.signalReceived(signal) }
    func timerFired() { server.timerFired() }

    func woken() {
        if mustStop() { server.signalReceived(SIGTERM) } else { server.woken() }
    }
}
