import StoryCore
import TestSupport

/// The clients of a scenario that talks over a real socket.
final class SocketClients {
    private let path: String
    private var sockets: [String: LineSocket] = [:]

    init(_ path: String) { self.path = path }

    func connect(_ client: String) throws { sockets[client] = try LineSocket(path) }

    // A store that closes while a line is too long reads no further: what it said is still there to be read.
    func send(_ bytes: [UInt8], from client: String) { sockets[client]?.send(bytes) }

    func nextLine(to client: String) throws -> String? { try sockets[client]?.nextLine() }

    func hangUp() { sockets = [:] }
}

/// The daemon as a process of its own.
final class DaemonDepth: Depth {
    private let daemon: RunningDaemon
    private let clients: SocketClients

    init(_ limits: Limits) throws {
        daemon = try RunningDaemon(limits: limits)
        clients = SocketClients(daemon.socket)
    }

    func connect(_ client: String) throws { try clients.connect(client) }
    func send(_ bytes: [UInt8], from client: String) { clients.send(bytes, from: client) }
    func nextLine(to client: String) throws -> String? { try clients.nextLine(to: client) }

    func end() throws {
        clients.hangUp()
        let exit = try daemon.stop()
        expect(exit == .code(0), "\(daemon.trace)")
    }
}
