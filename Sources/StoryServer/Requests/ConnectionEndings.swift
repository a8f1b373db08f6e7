import StoryCore
import StoryEngine
import StoryWire

/// How connections end.
extension Requests {
    /// Ends a connection: what was taken up is answered, each subscription ends, and what is there is sent.
    ///
    /// - Parameter failure: the answer to a request that has none yet.
    func end(_ connection: Connection, _ reason: EndReason, _ failure: Failure = .draining) {
        guard !connection.isEnding else { return }
        let output = output(connection)
        if let unanswered = connection.finishRequested() {
            outbox.dropUnfinished(connection)
            output.reply(.failed(failure), tag: unanswered.tag, restsOn: .zero)
        }
        connection.session.endSubscriptions(reason, into: output)
        connections.ended(connection)
    }

    /// Tells a connection that the program ends.
    func drain(_ connection: Connection) {
        guard !connection.isEnding else { return }
        end(connection, .draining)
        output(connection).notify(.draining(driver.durable))
    }

    /// Ends a connection that did nothing for so many seconds, and says so.
    func endIdle(_ connection: Connection, seconds: Int) {
        end(connection, .idle, Failure(.busy, "nothing was taken for \(seconds) seconds; connect again"))
        output(connection).notify(.idle(seconds: seconds, driver.durable))
        connection.lines.discard()
    }

    /// The connection is gone.
    func gone(_ connection: Connection) {
        if !connection.isEnding { connections.ended(connection) }
        connection.closed()
        connections.remove(connection)
    }
}
