import StoryCluster
import StoryCore
import TestSupport

/// The node n1 over an ordering service that answers at once; the test tells watches.
struct HandDriven {
    static let second: UInt64 = 1_000_000_000

    let keys = LogKeys(log: "main")
    var etcd = SimulatedEtcd()
    private(set) var replica: Replica
    private(set) var now = HandDriven.second
    /// The actions that were no calls.
    var done: [ClusterAction] = []
    private var written = Position.zero

    /// Makes a log that begins with nothing, and the node.
    ///
    /// - Parameters:
    ///   - head: the last position of the node's own log.
    ///   - tail: what the ordering service keeps for nodes that are away, in bytes.
    init(head: Position = .zero, tail: Int = 1_000) {
        let history = [UInt8](repeating: 7, count: 16)
        var settings = ReplicaSettings(log: "main", node: "n1", address: "/n1", version: "1", run: "a")
        settings.tail = tail
        replica = Replica(settings, LocalLog(history: history, head: head))
        written = head
        let record = LogRecord(
            identity: StoredIdentity(id: history), position: .zero, checksum: 0, cluster: etcd.cluster)
        etcd.put(keys.identity, record.value)
    }

    /// An input, and the calls that it leads to.
    mutating func perform(_ body: (inout Replica, _ now: UInt64) -> [ClusterAction]) {
        var actions = body(&replica, now)
        while !actions.isEmpty {
            let action = actions.removeFirst()
            if case .call(let id, let call, _) = action {
                actions += replica.answered(id, etcd.apply(call, at: now), at: now)
            } else {
                done.append(action)
            }
        }
    }

    /// Time goes by.
    mutating func pass(_ nanoseconds: UInt64) {
        now += nanoseconds
        perform { $0.ticked(at: $1) }
    }

    /// Another node writes its key, which a watch tells.
    mutating func put(_ name: String, stored: UInt64, seal: String = "", tells watch: WatchID? = nil) {
        let key = keys.node(name)
        etcd.put(key, Array("address=/\(name)\nrun=x\nstored=\(stored)\nseal=\(seal)\n".utf8))
        guard let watch, let pair = etcd.pairs[key] else { return }
        let batch = OrderingWatchBatch([.put(pair)], etcd.header)
        perform { $0.watched(watch, batch, at: $1) }
    }

    /// Writes an entry of one event, of some bytes.
    mutating func write(_ bytes: Int) {
        let head = EntryHead(
            first: written.next, count: 1, previous: 0, bytes: bytes, digest: EntryHead.Digest(low: 1, high: 2))
        written = head.last
        perform { $0.entryReady(head, records: [UInt8](repeating: 1, count: bytes), at: $1) }
    }

    /// The own log is synced through a position, and the ordering service knows that.
    mutating func store(_ position: UInt64) {
        perform { replica, _ in replica.stored(through: Position(position)) }
        pass(HandDriven.second)
    }

    /// The first positions of the entries that the ordering service has.
    var entries: [UInt64] {
        etcd.pairs.keys.filter { $0.hasPrefix(keys.entries) }.sorted().compactMap { keys.first(ofKey: $0)?.value }
    }
}
