package import StoryCluster

/// An ordering service as the design needs it: strict serializable, with leases and a history of changes for watches.
package struct SimulatedEtcd {
    private struct Lease {
        let nanoseconds: UInt64
        var endsAt: UInt64
    }

    package let cluster: UInt64 = 77
    package private(set) var revision: Int64 = 1
    package private(set) var pairs: [String: OrderingKeyValue] = [:]
    package private(set) var changes: [(revision: Int64, change: OrderingWatchBatch.Change)] = []
    package private(set) var compacted: Int64 = 0
    private var leases: [Int64: Lease] = [:]
    private var lastLease: Int64 = 0
    /// True while puts and grants are refused for lack of space.
    package var isFull = false

    package init() {}

    package var header: OrderingHeader { OrderingHeader(cluster: cluster, revision: revision) }

    /// Carries out a call.
    package mutating func apply(_ call: OrderingCall, at now: UInt64) -> OrderingAnswer {
        expire(at: now)
        switch call {
        case .range(let range): return .ranged(ranged(range), header)
        case .transaction(let transaction): return apply(transaction)
        case .grantLease(let seconds):
            guard !isFull else { return .full }
            lastLease += 1
            let nanoseconds = UInt64(seconds) * 1_000_000_000
            leases[lastLease] = Lease(nanoseconds: nanoseconds, endsAt: now + nanoseconds)
            return .granted(lease: lastLease, seconds: seconds, header)
        case .renewLease(let id):
            guard let lease = leases[id] else { return .renewed(seconds: 0) }
            leases[id]?.endsAt = now + lease.nanoseconds
            return .renewed(seconds: Int(lease.nanoseconds / 1_000_000_000))
        case .revokeLease, .status: return .unknown
        case .compact(let revision):
            guard revision <= self.revision, revision > compacted else { return .refused(.compacted) }
            compacted = revision
            changes.removeAll { $0.revision <= revision }
            return .compacted(header)
        }
    }

    /// Deletes the keys of leases that have ended.
    package mutating func expire(at now: UInt64) {
        for (id, lease) in leases where lease.endsAt <= now {
            leases[id] = nil
            let keys = pairs.values.filter { $0.lease == id }.map(\.key).sorted()
            guard !keys.isEmpty else { continue }
            revision += 1
            for key in keys { remove(key) }
        }
    }

    /// Puts a value as somebody outside does.
    package mutating func put(_ key: String, _ value: [UInt8]) {
        revision += 1
        set(key, value, lease: 0)
    }

    private mutating func apply(_ transaction: OrderingTransaction) -> OrderingAnswer {
        let holds = transaction.conditions.allSatisfy { condition in
            switch condition {
            case .created(let key, let revision): (pairs[key]?.created ?? 0) == revision
            case .changed(let key, let revision): (pairs[key]?.changed ?? 0) == revision
            }
        }
        let operations = holds ? transaction.then : transaction.otherwise
        for case .put(_, _, let lease) in operations {
            if isFull, !holds || revision % 3 != 0 { return .full }
            if lease != 0, leases[lease] == nil { return .refused(.noLease) }
        }
        let changesIt = operations.contains { operation in
            switch operation {
            case .put: true
            case .delete(let range): !keys(of: range).isEmpty
            case .get: false
            }
        }
        if changesIt { revision += 1 }
        let results = operations.map { operation -> OrderingResult in
            switch operation {
            case .put(let key, let value, let lease):
                set(key, value, lease: lease)
                return .put
            case .delete(let range):
                let found = keys(of: range)
                for key in found { remove(key) }
                return .deleted(found.count)
            case .get(let range): return .ranged(ranged(range))
            }
        }
        // What fills the ordering service is carried out, and answered like what comes later.
        if isFull, operations.contains(where: { if case .put = $0 { true } else { false } }) { return .full }
        return .transacted(succeeded: holds, results, header)
    }

    private mutating func set(_ key: String, _ value: [UInt8], lease: Int64) {
        let created = pairs[key]?.created ?? revision
        let pair = OrderingKeyValue(key: key, value: value, created: created, changed: revision, lease: lease)
        pairs[key] = pair
        changes.append((revision, .put(pair)))
    }

    private mutating func remove(_ key: String) {
        pairs[key] = nil
        changes.append((revision, .deleted(key, at: revision)))
    }

    private func keys(of range: OrderingRange) -> [String] {
        guard let end = range.end else { return pairs[range.from] == nil ? [] : [range.from] }
        return pairs.keys.filter { $0 >= range.from && $0 < end }.sorted()
    }

    private func ranged(_ range: OrderingRange) -> OrderingRanged {
        var found = keys(of: range)
        if range.order == .descending { found.reverse() }
        let hasMore = range.limit > 0 && found.count > range.limit
        if hasMore { found.removeLast(found.count - range.limit) }
        return OrderingRanged(
            found.compactMap { pairs[$0] }.map { pair in
                var pair = pair
                if range.isKeysOnly { pair.value = [] }
                return pair
            }, hasMore: hasMore)
    }
}

extension OrderingRange {
    /// Returns true for a key of the range.
    package func holds(_ key: String) -> Bool { end.map { key >= from && key < $0 } ?? (key == from) }
}

extension OrderingWatchBatch.Change {
    package var key: String {
        switch self {
        case .put(let pair): pair.key
        case .deleted(let key, _): key
        }
    }
}
