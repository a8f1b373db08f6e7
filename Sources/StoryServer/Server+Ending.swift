import StoryEngine

/// The end of the loop.
extension Server {
    /// How long a stopping server waits for clients to read their output, in ticks of 0.1 s.
    private static let drainTicks: UInt64 = 50

    /// Hands the lead of a node over, then drains the connections; stops at once on a second signal.
    package func signalReceived(_ signal: Int32) {
        guard drainDeadline == nil, cluster?.isEnding != true else { return dependency.transport.stop() }
        dependency.manager.stopping()
        if cluster?.endBegins(signal, at: driver.tick) != true { drain(signal) }
        settle()
    }

    /// Begins to drain the connections.
    func drain(_ signal: Int32) {
        drainDeadline = driver.tick + Server.drainTicks
        let members: KeyValuePairs = ["signal": "\(signal)", "connections": "\(connections.count)"]
        dependency.trace.say("draining", members)
        dependency.transport.stopListening()
        follower?.end()
        // Events that are committed now are still pushed before the subscriptions end.
        driver.turnEnded(mayGather: false, isMoreAtHand: false)
        settle()
        publish()
        dependency.engine.drainRequested()
        outbox.isDraining = true
        for connection in connections.all { clients.drain(connection) }
        dependency.transport.endLingering()
    }
}
