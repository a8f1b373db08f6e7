import Glibc
import Synchronization

/// The limits of time and number of connections: requests that do not arrive and answers that are not read end, and the
/// last slots are kept from connections that never were let in.
final class ConnectionWatch: Sendable {
    /// The greatest number of connections.
    static let most = 128
    /// The number of connections whose ends may not have been noticed yet.
    static let mostEnding = 64
    /// The number of connections from which on each new one ends the one that has waited longest without a token.
    private static let crowd = 112
    /// The longest that a request may take to arrive, and that a piece of an answer may take to leave.
    private static let patience = (arriving: Duration.seconds(15), leaving: Duration.seconds(30))

    private enum Phase {
        /// The next request has not arrived.
        case arriving(since: ContinuousClock.Instant)
        /// A request is handled: its limits are those of the store's answers.
        case working
        /// Bytes of an answer wait for the reader.
        case leaving(since: ContinuousClock.Instant)
        /// Its end is under way.
        case ending
    }

    private struct Connection {
        var phase: Phase
        /// True once a request was let in.
        var isKnown = false

        var isEnding: Bool { if case .ending = phase { true } else { false } }
    }

    private let connections = Mutex<[Int32: Connection]>([:])

    /// Notes a connection.
    func opened(_ socket: Int32, now: ContinuousClock.Instant = .now) {
        connections.withLock { connections in
            connections[socket] = Connection(phase: .arriving(since: now))
            let count = connections.count { !$0.value.isEnding }
            guard count > ConnectionWatch.crowd else { return }
            let strangers = connections.compactMap { socket, connection -> (Int32, ContinuousClock.Instant)? in
                guard !connection.isKnown, case .arriving(let since) = connection.phase else { return nil }
                return (socket, since)
            }
            if let oldest = strangers.min(by: { $0.1 < $1.1 }) {
                ConnectionWatch.end(oldest.0, in: &connections)
            } else if count > ConnectionWatch.most {
                ConnectionWatch.end(socket, in: &connections)
            }
        }
    }

    /// Forgets a connection, whose descriptor is closed next.
    func closed(_ socket: Int32) { connections.withLock { _ = $0.removeValue(forKey: socket) } }

    /// Notes a request that was let in.
    func letIn(_ socket: Int32) { connections.withLock { $0[socket]?.isKnown = true } }

    /// Notes that the store's answer is worked on.
    func works(_ socket: Int32) { set(socket, .working) }

    /// Notes that bytes of an answer leave from now on.
    func leaves(_ socket: Int32, now: ContinuousClock.Instant = .now) { set(socket, .leaving(since: now)) }

    /// Notes that an answer has left.
    func answered(_ socket: Int32, now: ContinuousClock.Instant = .now) { set(socket, .arriving(since: now)) }

    /// Ends the connections that take too long.
    func endLate(now: ContinuousClock.Instant = .now) {
        connections.withLock { connections in
            for (socket, connection) in connections {
                switch connection.phase {
                case .arriving(let since) where now - since > ConnectionWatch.patience.arriving:
                    ConnectionWatch.end(socket, in: &connections)
                case .leaving(let since) where now - since > ConnectionWatch.patience.leaving:
                    ConnectionWatch.end(socket, in: &connections)
                case .arriving, .leaving, .working, .ending: break
                }
            }
        }
    }

    private func set(_ socket: Int32, _ phase: Phase) {
        connections.withLock { connections in
            if connections[socket]?.isEnding == false { connections[socket]?.phase = phase }
        }
    }

    /// Ends both directions: the thread of the connection notices, and closes the descriptor.
    private static func end(_ socket: Int32, in connections: inout [Int32: Connection]) {
        shutdown(socket, Int32(SHUT_RDWR))
        connections[socket]?.phase = .ending
    }
}
