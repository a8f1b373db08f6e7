import Synchronization

/// The position that a store has to be at before it answers a query.
public enum Minimum: Hashable, Comparable, Sendable {
    /// The store has the event at this position.
    case position(UInt64)
    /// The store has every event that anybody was acknowledged before the query.
    case now

    /// The value as the protocol spells it.
    var option: String {
        switch self {
        case .position(let position): String(position)
        case .now: "now"
        }
    }
}

/// The highest position that a client has seen, with its history: a store of the list that is behind it is asked to wait.
///
/// With one store only nothing is kept, since a store does not go back.
final class SeenPosition: Sendable {
    private struct HistoryPosition {
        var log: String?
        var position: UInt64 = 0
    }

    private let isKept: Bool
    private let seen = Mutex(HistoryPosition())

    /// Creates a position; it is kept only where there is more than one store.
    init(ofMany: Bool) { isKept = ofMany }

    /// Notes a position of a history; another history begins at its own.
    func note(_ position: @autoclosure () -> UInt64?, of log: String?) {
        guard isKept, let position = position() else { return }
        seen.withLock { seen in
            if seen.log != log { seen = HistoryPosition(log: log) }
            seen.position = max(seen.position, position)
        }
    }

    /// Returns the position that a store with this greeting has to wait for; nil where it has it.
    func missing(_ greeting: Greeting) -> UInt64? {
        guard isKept else { return nil }
        return seen.withLock { seen in
            seen.log == greeting.log && greeting.position < seen.position ? seen.position : nil
        }
    }
}
