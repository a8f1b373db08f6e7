/// How many bytes subscriptions keep, for the account of what is kept for clients.
extension Subscription {
    /// The bytes of every subscription, with some of the room that arrays have to grow.
    private static let own = MemoryLayout<Subscription>.stride + 64
    /// The bytes of one beyond that while it waits for an event of its stream or category: its places in tables.
    package static let restingBytes = 256

    /// About how many bytes it takes, with its filters and with what is remembered for it.
    package var keptBytes: Int { Subscription.own + filterBytes + rememberedBytes }
}

/// The bytes of an allocation beside its contents.
private let allocation = 48

extension EventSelection {
    /// How many bytes its names take.
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
    /// How many bytes its names and values take.
    var keptBytes: Int {
        switch self {
        case .events: 0
        case .row(_, let id): allocation + id.bytes.count
        case .list(_, let conditions):
            conditions.reduce(0) { $0 + MemoryLayout<Condition>.stride + $1.value.keptBytes }
        }
    }
}

extension FilterValue {
    fileprivate var keptBytes: Int {
        switch self {
        case .name(let bytes), .folded(let bytes): allocation + bytes.count
        case .pair(let one, let other): 2 * allocation + one.count + other.count
        case .integer, .number, .date, .flag, .fraction, .choice: 0
        }
    }
}
