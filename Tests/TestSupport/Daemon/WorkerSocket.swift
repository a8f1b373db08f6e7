/// A connection that holds a share of a cursor, with the pushes that came before replies.
package final class WorkerSocket {
    package let socket: LineSocket
    private var pushes: [String] = []

    /// - Parameter socket: a connection whose greeting was read.
    package init(_ socket: LineSocket) { self.socket = socket }

    /// True where a push is there, or bytes that were not read.
    package var hasPush: Bool { !pushes.isEmpty || socket.hasBytes }

    /// Sends a request; returns its reply, and keeps the pushes before it.
    package func ask(_ request: String) throws -> String {
        socket.send(request)
        while true {
            let line = try socket.line()
            guard line.hasPrefix(">") else { return line }
            pushes.append(line)
        }
    }

    /// The next push.
    package func push() throws -> String { pushes.isEmpty ? try socket.line() : pushes.removeFirst() }
}
