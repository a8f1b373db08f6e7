import Glibc
import StoryCore

/// Outbound TCP connections, which are made without waiting.
extension Reactor {
    /// Begins to connect to a TCP port, and returns at once. `connectionMade` or `connectionClosed` reports the outcome;
    /// bytes that are sent before are dropped.
    ///
    /// - Parameter host: a numeric address, or a name, which a thread looks up.
    /// - Throws: `.refused` where the loop has no room for a connection.
    package func connect(host: String, port: UInt16) throws(ReactorError) -> ConnectionID {
        guard !isStopping, let id = connections.reserve() else {
            throw .refused(call: "connect", path: "\(host):\(port)", code: isStopping ? ECANCELED : EMFILE)
        }
        dials.begin(id, HostAndPort(host: host, port: port))
        return id
    }

    /// Returns the reason why a connection was not made; nil but within its `connectionClosed`.
    package func connectFailure(_ id: ConnectionID) -> String? {
        dials.failure?.id == id ? dials.failure?.reason : nil
    }
}
