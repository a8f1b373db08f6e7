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
