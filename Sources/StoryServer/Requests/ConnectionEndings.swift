import StoryCore
import StoryEngine
import StoryWire

/// The ways in which connections end.
extension Requests {
    /// Ends a connection: fails the request that has no reply yet, ends each subscription, and sends the pending
    /// output.
    ///
    /// - Parameter failure: the reply to that request.
    func end(_ connection: Connection, _ reason: EndReason, _ failure: Failure = .draining) {
        guard !connection.isEnding else { return }
        let output = output(connection)
        endPassingOn(of: connection, failure)
        if let unanswered = connection.finishRequested() {
            outbox.dropUnfinished(connection)
            output.reply(.failed(failure), tag: unanswered.tag, restsOn: .zero)
        }
        connection.session.endSubscriptions(reason, into: output)
        connections.ended(connection)
    }

    /// Ends a connection with the notice that the daemon is stopping.
    func drain(_ connection: Connection) {
        guard !connection.isEnding else { return }
        end(connection, .draining)
        output(connection).notify(.draining(driver.acknowledged))
    }

    /// Ends a connection that was idle for the given number of seconds, with a notice.
    func endIdle(_ connection: Connection, seconds: Int) {
        end(connection, .idle, Failure(.busy, "nothing was taken for \(seconds) seconds; connect again"))
        output(connection).notify(.idle(seconds: seconds, driver.acknowledged))
        connection.lines.discard()
    }

    /// Removes a connection that was closed.
    func gone(_ connection: Connection) {
        if !connection.isEnding { connections.ended(connection) }
        connection.closed()
        forwarding?.connectionGone(connection)
        connections.remove(connection)
        work.checks.connectionClosed(connection)
    }
}
