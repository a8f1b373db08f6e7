import StoryCluster
import StoryCore
import TestSupport
import Testing

/// A node that takes the lead from a process that is gone.
struct LeaderIsGoneTests {
    private static let second: UInt64 = 1_000_000_000
    private let keys = LogKeys(log: "main")

    /// A node over an ordering service that answers at once, and whose watches tell nothing by themselves.
    private final class Bench {
        var etcd = SimulatedEtcd()
        var replica: Replica
        var calls = 0

        init(lease: Int) {
            let identity = StoredIdentity(id: [UInt8](repeating: 7, count: 16))
            let record = LogRecord(identity: identity, position: .zero, checksum: 0, cluster: etcd.cluster)
            etcd.put("/storykeep/main/id", record.value)
            var settings = ReplicaSettings(log: "main", node: "n2", address: "/n2", version: "1", run: "r")
            settings.lease = lease
            replica = Replica(settings, LocalLog(history: identity.id, head: .zero))
        }

        /// Another node leads from now on, in a new term.
        func lead() -> Term {
            _ = etcd.apply(.transaction(OrderingTransaction(conditions: [], then: [.delete(leaderKey)])), at: 1)
            let value = Array("node=n1\naddress=/n1\nnonce=x\n".utf8)
            etcd.put("/storykeep/main/live/leader", value)
            return Term(etcd.pairs["/storykeep/main/live/leader"]?.created ?? 0)
        }

        var leaderKey: OrderingRange { OrderingRange(from: "/storykeep/main/live/leader") }
        var isLed: Bool { etcd.pairs["/storykeep/main/live/leader"] != nil }

        /// Carries out calls until there are none.
        func perform(_ actions: [ClusterAction], at now: UInt64) {
            var actions = actions
            while !actions.isEmpty {
                guard case .call(let id, let call, _) = actions.removeFirst() else { continue }
                calls += 1
                actions += replica.answered(id, etcd.apply(call, at: 1), at: now)
            }
        }

        /// Tells the node what became of the leader's key.
        func tell(at now: UInt64) {
            let changes = etcd.changes.filter { $0.revision > told }.map(\.change)
            told = etcd.changes.last?.revision ?? told
            let batch = OrderingWatchBatch(changes, OrderingHeader(cluster: etcd.cluster, revision: told))
            perform(replica.watched(.live, batch, at: now), at: now)
        }

        private var told: Int64 = 0
    }

    @Test func `the lead is taken from the term that was lost alone, and once a lease at most`() {
        let bench = Bench(lease: 3)
        let term = bench.lead()
        bench.perform(bench.replica.began(at: 0), at: 0)
        expect(bench.replica.leader?.term == term)
        expect(bench.replica.leaderIsGone(Term(term.revision - 1), at: 0) == [], "another term")
        bench.perform(bench.replica.leaderIsGone(term, at: 0), at: 0)
        expect(!bench.isLed)
        let next = bench.lead()
        bench.tell(at: 1)
        expect(bench.replica.leader?.term == next, "another node was faster")
        expect(bench.replica.leaderIsGone(next, at: 3 * Self.second - 1) == [])
        bench.perform(bench.replica.leaderIsGone(next, at: 3 * Self.second), at: 3 * Self.second)
        expect(!bench.isLed)
    }

    @Test func `a process that leads again meanwhile keeps its lead`() {
        let bench = Bench(lease: 3)
        let term = bench.lead()
        bench.perform(bench.replica.began(at: 0), at: 0)
        _ = bench.lead()
        bench.perform(bench.replica.leaderIsGone(term, at: 0), at: 0)
        expect(bench.isLed, "the deletion is compared with the term")
    }
}
