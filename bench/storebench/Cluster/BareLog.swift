import StoryCluster
import StoryCore

/// A log in etcd without nodes: the transactions by which a leader writes entries, made by this program.
final class BareLog {
    private let link: EtcdClient
    /// The keys are as long as those of the nodes' log.
    private let keys = LogKeys(log: "bare")
    private var term: Int64 = 0
    private var first = Position(1)

    /// - Parameter etcd: the member of etcd that is asked.
    init(_ etcd: Service) throws(BenchError) {
        link = try EtcdClient(etcd.address)
        let leader = OrderingTransaction(
            conditions: [.created(keys.leader, at: 0)],
            then: [.put(keys.leader, Array("bench".utf8), lease: 0)])
        _ = try link.answer(to: .transaction(leader))
        guard let found = try link.keys(OrderingRange(from: keys.leader)).first else {
            throw BenchError("etcd did not take a key")
        }
        term = found.created
        try clear()
    }

    /// Writes one entry after the other for a time, and returns how long each transaction took.
    ///
    /// - Parameter size: the bytes of an entry's value.
    func write(seconds: Double, size: Int) throws(BenchError) -> Histogram {
        let value = [UInt8](repeating: 0x78, count: size)
        var latencies = Histogram()
        let end = Clock.now() + UInt64(seconds * 1e9)
        while Clock.now() < end {
            let began = Clock.now()
            try write(value)
            latencies.record(Clock.now() - began)
        }
        return latencies
    }

    /// Removes the entries.
    func clear() throws(BenchError) {
        let all = OrderingTransaction(conditions: [], then: [.delete(.prefix(keys.entries))])
        guard case .transacted = try link.answer(to: .transaction(all)) else {
            throw BenchError("etcd did not remove entries")
        }
    }

    private func write(_ value: [UInt8]) throws(BenchError) {
        let key = keys.entry(first)
        let transaction = OrderingTransaction(
            conditions: [.created(keys.leader, at: term), .created(key, at: 0)], then: [.put(key, value, lease: 0)],
            otherwise: [
                .get(OrderingRange(from: keys.leader)), .get(OrderingRange(from: key)),
                .get(.prefix(keys.entries, limit: 1, isKeysOnly: true)),
            ])
        guard case .transacted(succeeded: true, _, _) = try link.answer(to: .transaction(transaction)) else {
            throw BenchError("etcd did not take an entry of \(value.count) bytes")
        }
        first = first.next
    }
}
