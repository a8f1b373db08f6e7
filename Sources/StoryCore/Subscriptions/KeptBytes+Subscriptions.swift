/// The memory of subscriptions, for the account of the memory of all clients.
extension Subscription {
    /// The size of every subscription with some spare capacity of its arrays, in bytes.
    private static let own = MemoryLayout<Subscription>.stride + 64
    /// The additional size of an idle subscription, in bytes: its entries in tables.
    package static let restingBytes = 256

    /// The approximate size in bytes, with its filters.
    package var keptBytes: Int { Subscription.own + filterBytes }
}

/// The overhead of an allocation, in bytes.
private let allocation = 48

extension EventSelection {
    /// The size of its names, in bytes.
    var keptBytes: Int {
        let name =
            switch source {
            case .all: 0
            case .stream(let stream): allocation + stream.bytes.count
            case .category(let category): allocation + category.bytes.count
            }
        return types.reduce(name) { $0 + MemoryLayout<EventType>.stride + allocation + $1.bytes.count }
    }
}

extension Subject {
    /// The size of its names and values, in bytes.
    var keptBytes: Int {
        switch self {
        case .events, .records: 0
        case .row(_, let key): allocation + key.spelling.count
        case .list(_, let conditions):
            conditions.reduce(0) { $0 + MemoryLayout<Condition>.stride + $1.value.keptBytes }
        }
    }
}

extension FilterValue {
    fileprivate var keptBytes: Int {
        switch self {
        case .name(let bytes), .folded(let bytes), .text(let bytes): allocation + bytes.count
        case .pair(let one, let other): 2 * allocation + one.count + other.count
        case .integer, .number, .decimal, .date, .flag, .fraction, .choice: 0
        }
    }
}
