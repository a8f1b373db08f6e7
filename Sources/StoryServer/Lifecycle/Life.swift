package import StoryCluster
package import StoryCore
package import StoryEngine

/// The life of the process, from the parts of the loop that are made to its end: one state, which every part asks.
///
/// Each method is an input, and the only way to another state. An input that the state does not expect changes nothing:
/// signals and failures come at any time, also while the process ends already.
package final class Life {
    /// The state of a process.
    enum State: Equatable {
        /// The parts of the loop are made, and nobody is served.
        case starting
        case serving
        /// A signal asked a node to end: it takes no more writes and hands its lead over, until a tick at most.
        case handingOver(signal: Int32, until: UInt64)
        /// No more requests are handled: clients read the output that is left, until a tick at most.
        case draining(until: UInt64)
        /// The loop has ended, or ends with this turn.
        case ended(End)
    }

    /// The reason of an end.
    package enum End: Equatable, Sendable {
        /// The process was asked to end, or has served nobody.
        case asked
        /// The content of the disk is unknown.
        case storageFailed(StorageError)
        /// A replica cannot follow its source.
        case cannotFollow(FollowingFault)
        /// A node cannot be one of its log.
        case isNoNode(ClusterError)

        /// The process's exit code.
        package var exitCode: Int32 {
            switch self {
            case .asked: 0
            case .storageFailed: 5
            case .cannotFollow(let fault): fault.isDivergence ? 5 : 2
            case .isNoNode(let error): error.isDamage ? 5 : 2
            }
        }
    }

    /// The step that a signal asks for.
    enum Step: Equatable {
        case handOver
        case drain
        /// Stop the loop at once.
        case stop
    }

    /// How long clients have to read their output, in ticks of 0.1 s.
    static let drainTicks: UInt64 = 50

    private(set) var state = State.starting

    // MARK: Questions

    /// True while all requests are served.
    var isServing: Bool { state == .serving }

    /// True once the process was asked to end, and has not ended.
    var isAskedToEnd: Bool {
        switch state {
        case .handingOver, .draining: true
        case .starting, .serving, .ended: false
        }
    }

    /// True once no more requests are handled, and no more events are taken from a source.
    var isEnding: Bool {
        switch state {
        case .draining, .ended: true
        case .starting, .serving, .handingOver: false
        }
    }

    /// True once the loop has ended, or ends with this turn.
    var hasEnded: Bool {
        switch state {
        case .ended: true
        case .starting, .serving, .handingOver, .draining: false
        }
    }

    /// True once storage has failed: nothing more is sent or stored.
    var hasFailed: Bool {
        switch state {
        case .ended(.storageFailed): true
        case .ended(.asked), .ended(.cannotFollow), .ended(.isNoNode), .starting, .serving, .handingOver, .draining:
            false
        }
    }

    /// The reason of the end; nil before it.
    var end: End? {
        switch state {
        case .ended(let end): end
        case .starting, .serving, .handingOver, .draining: nil
        }
    }

    /// Returns true where a loop that drains has waited for its clients long enough.
    func isDrained(at tick: UInt64, hasClients: Bool) -> Bool {
        switch state {
        case .draining(let end): tick >= end || !hasClients
        case .starting, .serving, .handingOver, .ended: false
        }
    }

    // MARK: Inputs

    /// Begins to serve, unless the start has failed.
    func began() { if case .starting = state { state = .serving } }

    /// Takes a signal that asks the process to end; a second one, and one that comes before or after its time, stops it.
    ///
    /// - Parameter patience: how long a node may hand its lead over, in ticks; nil where there is none to hand over.
    func endRequested(by signal: Int32, at tick: UInt64, handingOverFor patience: UInt64?) -> Step {
        guard case .serving = state else { return .stop }
        guard let patience else {
            state = .draining(until: tick + Life.drainTicks)
            return .drain
        }
        state = .handingOver(signal: signal, until: tick + patience)
        return .handOver
    }

    /// Notes that the lead is handed over: no longer is it waited for.
    func handedOver(at tick: UInt64) {
        guard case .handingOver(let signal, let end) = state else { return }
        state = .handingOver(signal: signal, until: min(end, tick))
    }

    /// Begins to drain, where the lead was waited for long enough.
    ///
    /// - Returns: the signal that asked for the end; nil where nothing begins.
    func drainIfDue(at tick: UInt64) -> Int32? {
        guard case .handingOver(let signal, let end) = state, tick >= end else { return nil }
        state = .draining(until: tick + Life.drainTicks)
        return signal
    }

    /// Ends for a reason; the first one counts, but for storage that fails after it.
    ///
    /// - Returns: true where this is the reason from now on.
    func ended(_ end: End) -> Bool {
        switch (state, end) {
        case (.ended(.storageFailed), _), (.ended, .asked), (.ended, .cannotFollow), (.ended, .isNoNode): return false
        case (.ended, .storageFailed), (.starting, _), (.serving, _), (.handingOver, _), (.draining, _):
            state = .ended(end)
            return true
        }
    }
}
