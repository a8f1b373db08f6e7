package import StoryCore
import StoryEngine

/// The end of the loop.
extension Server {
    /// The reason for which the process ends; nil while it goes on.
    package var ending: Life.End? { life.end }

    /// The failure of storage for which it ends; nil while there is none.
    package var stopReason: StorageError? { if case .storageFailed(let error)? = life.end { error } else { nil } }

    /// Hands the lead of a node over, then drains the connections; stops at once on a second signal.
    package func signalReceived(_ signal: Int32) {
        let step = life.endRequested(by: signal, at: driver.tick, handingOverFor: cluster?.patience)
        guard step != .stop else { return dependency.transport.stop() }
        dependency.manager.stopping()
        if step == .handOver { cluster?.handOverBegins() } else { drain(signal) }
        settle()
    }

    /// Tells the clients that the loop drains, and takes nothing more from a source.
    func drain(_ signal: Int32) {
        let members: KeyValuePairs = ["signal": "\(signal)", "connections": "\(connections.count)"]
        dependency.trace.say("draining", members)
        dependency.transport.stopListening()
        follower?.end()
        // Events that are committed now are still pushed before the subscriptions end.
        driver.turnEnded(mayGather: false, isMoreAtHand: false)
        settle()
        publish()
        dependency.engine.flush()
        for connection in connections.all { clients.drain(connection) }
        dependency.transport.endLingering()
    }
}
