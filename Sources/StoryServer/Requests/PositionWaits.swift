import StoryCore

/// The requests that wait until this store is at a position: `min=`, and at a replica or a node `SUBSCRIBE from=`; and the
/// writes that wait until this node leads.
///
/// They wait in the order of their deadlines, since all have the same patience. Until a position or a deadline is
/// reached they cost nothing.
final class PositionWaits {
    /// The end of a wait, which the request sees when it is handled again.
    enum End: Equatable {
        /// The store is at this position, which the request waited for.
        case reached(Position)
        /// This node leads.
        case led
        /// The patience is over.
        case late
    }

    /// The outcome of a look at a request.
    enum Outcome: Equatable {
        /// The request can be handled.
        case met
        /// The request waits; it is the next line again.
        case mustWait
        /// The request fails.
        case late(Failure)
    }

    /// The event that ends a wait.
    private enum Aim {
        case position(Position)
        /// The answer of the source or the ordering service to this question, which tells the position.
        case answer(question: UInt64)
        /// The beginning of the lead of this node.
        case lead
    }

    /// One request that waits.
    private struct Wait {
        let connection: Connection
        let deadline: UInt64
        var aim: Aim
    }

    /// How long a request waits, in ticks of 0.1 s.
    private let patience: UInt64
    /// The source of a replica, or the ordering service of a node; nil for a store of its own.
    private let source: (any PositionSource)?
    private var waits: [Wait] = []
    /// False while writes wait, since this node does not lead.
    var takesWrites: Bool
    /// The least position that a request waits for.
    private var least = Position.max

    /// Makes an empty list.
    ///
    /// - Parameters:
    ///   - patience: how long a request waits, in ticks of 0.1 s.
    ///   - takesWrites: whether writes are taken from the start.
    init(patience: UInt64, source: (any PositionSource)?, takesWrites: Bool) {
        (self.patience, self.source, self.takesWrites) = (patience, source, takesWrites)
    }

    /// True at a replica or a node, where subscriptions have a minimum of their own.
    private var isOneOfSeveral: Bool { source != nil }

    /// Returns true for a request that has to be looked at.
    @inline(__always)
    func concern(_ request: borrowing Request, of conversation: Conversation) -> Bool {
        request.minimum != nil || isOneOfSeveral || !takesWrites || conversation.positionWait != nil
    }

    /// Returns whether a request can be handled; else its connection waits.
    func look(
        at request: borrowing Request, of connection: Connection, _ conversation: Conversation,
        acknowledged: Position, tick: UInt64
    ) -> Outcome {
        let end = conversation.positionWait
        conversation.positionWait = nil
        if !takesWrites, request.isWrite {
            guard end != .late else { return .late(.leaderless) }
            return wait(connection, request.tag, for: .lead, at: tick)
        }
        guard let minimum = minimum(of: request) else { return .met }
        let aim: Aim
        switch (minimum, end) {
        case (.position(let position), _) where position <= acknowledged: return .met
        case (.now, .reached(let position)?) where position <= acknowledged: return .met
        case (_, .late?):
            let message = "this store is at position \(acknowledged.value); ask again later, or another one"
            return .late(Failure(.behind, message, .position(acknowledged)))
        case (.position(let position), _), (.now, .reached(let position)?): aim = .position(position)
        case (.now, .led?), (.now, nil):
            guard let source else { return .met }
            aim = .answer(question: source.askForPosition())
        }
        return wait(connection, request.tag, for: aim, at: tick)
    }

    private func wait(_ connection: Connection, _ tag: Tag?, for aim: Aim, at tick: UInt64) -> Outcome {
        connection.requestMustWait(for: .position, tag)
        waits.append(Wait(connection: connection, deadline: tick + patience, aim: aim))
        if case .position(let position) = aim { least = min(least, position) }
        return .mustWait
    }

    /// Returns the minimum of a request: that of its `min=`, or at a replica or a node what comes before its `from=`. A copy
    /// has all that anybody was acknowledged before.
    private func minimum(of request: borrowing Request) -> Minimum? {
        if isOneOfSeveral, request.verb == .operate(.backup) { return .now }
        guard isOneOfSeveral, let from = request.action.firstPushed else { return request.minimum }
        switch request.minimum {
        case nil: return .position(from.previous)
        case .position(let position)?: return .position(max(position, from.previous))
        case .now?: return .now
        }
    }

    // MARK: Ends

    /// Takes the answer of the source or the ordering service: requests that asked for its position before wait for
    /// that one now.
    func answered(_ question: UInt64, _ position: Position) {
        for index in waits.indices {
            guard case .answer(let asked) = waits[index].aim, asked <= question else { continue }
            waits[index].aim = .position(position)
            least = min(least, position)
        }
    }

    /// Takes out the connections whose request can be handled now.
    func takeReached(_ acknowledged: Position) -> [Connection] {
        guard least <= acknowledged else { return [] }
        return take { wait in
            guard case .position(let position) = wait.aim, position <= acknowledged else { return nil }
            return .reached(position)
        }
    }

    /// Takes out the connections whose write can be handled, since this node leads.
    func takeLed() -> [Connection] { take { if case .lead = $0.aim { .led } else { nil } } }

    /// Takes out the connections whose patience is over.
    func takeLate(at tick: UInt64) -> [Connection] {
        guard let first = waits.first, first.deadline <= tick else { return [] }
        return take { $0.deadline <= tick ? .late : nil }
    }

    /// Takes out the waits that have an end, and drops those of connections that are ending.
    private func take(_ end: (Wait) -> End?) -> [Connection] {
        var taken: [Connection] = []
        waits = waits.filter { wait in
            guard let conversation = wait.connection.conversation else { return false }
            guard let end = end(wait) else { return true }
            conversation.positionWait = end
            taken.append(wait.connection)
            return false
        }
        least = waits.reduce(.max) { least, wait in
            guard case .position(let position) = wait.aim else { return least }
            return min(least, position)
        }
        return taken
    }
}

/// A source of the position of the log: the source of a replica, or the ordering service of a node.
protocol PositionSource: AnyObject {
    /// The part that this store has among others, for greetings and `STATS`.
    var part: ClusterState { get }
    /// Asks for the position; returns the number of the question.
    func askForPosition() -> UInt64
}
