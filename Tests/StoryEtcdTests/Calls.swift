import StoryCluster

/// Calls as these tests make them.
extension OrderingCall {
    /// Puts a value under a key that is absent; else gets the key.
    static func putIfAbsent(_ key: String, _ value: [UInt8], lease: Int64 = 0) -> OrderingCall {
        .transaction(
            OrderingTransaction(
                conditions: [.created(key, at: 0)], then: [.put(key, value, lease: lease)],
                otherwise: [.get(OrderingRange(from: key))]))
    }

    /// Puts a value under a key.
    static func put(_ key: String, _ value: [UInt8]) -> OrderingCall {
        .transaction(OrderingTransaction(conditions: [], then: [.put(key, value, lease: 0)]))
    }

    /// Gets a key.
    static func get(_ key: String) -> OrderingCall { .range(OrderingRange(from: key)) }
}

extension OrderingAnswer {
    /// The revision of an answer that has one.
    var revision: Int64? {
        switch self {
        case .ranged(_, let header), .transacted(_, _, let header), .granted(_, _, let header),
            .revoked(let header), .compacted(let header), .status(_, let header):
            header.revision
        case .renewed, .refused, .full, .unknown: nil
        }
    }

    /// The keys of a range; nil for another answer.
    var keys: [OrderingKeyValue]? { if case .ranged(let ranged, _) = self { ranged.keys } else { nil } }

    /// True for a transaction whose conditions held.
    var isDone: Bool { if case .transacted(true, _, _) = self { true } else { false } }
}
