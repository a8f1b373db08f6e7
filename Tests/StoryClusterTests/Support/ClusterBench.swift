import StoryCore
import TestSupport

@testable import StoryCluster

/// Replicas over one ordering service that carries out each call at once: the test says when time goes by, and for
/// whom.
final class ClusterBench {
    private final class Bench {
        var replica: Replica
        var watches: [WatchID: (range: OrderingRange, next: Int64)] = [:]
        /// True while it makes no progress, as a process that is stopped.
        var isHeld = false
        var calls: [(id: CallID, call: OrderingCall)] = []

        init(_ replica: Replica) { self.replica = replica }
    }

    static let second: UInt64 = 1_000_000_000

    var etcd = SimulatedEtcd()
    private(set) var now = ClusterBench.second
    private var benches: [String: Bench] = [:]
    /// The changes that have ended.
    private(set) var ends: [UInt64: NodeChangeEnd] = [:]
    /// The nodes that are to hand over, and have not been told that they can.
    private(set) var yielding: Set<String> = []
    private(set) var stopped: [String: ClusterError] = [:]
    /// The calls to the ordering service that get no answer.
    var isLost: (String, OrderingCall) -> Bool = { _, _ in false }
    /// The reason why the ordering service refuses a call; nil: it does not.
    var refusal: (String, OrderingCall) -> OrderingRefusal? = { _, _ in nil }
    /// The entries that a node has taken, and those that it gives back.
    private(set) var taken: [String: [Position]] = [:]
    var isGivenBack: (String, Entry) -> Bool = { _, _ in false }
    /// The ends of entries that were written, and what was found of the ordering service.
    private(set) var written: [WriteEnd] = []
    private(set) var setBack: [String: OrderingSetBack] = [:]

    init(_ names: String...) {
        let record = LogRecord(
            identity: StoredIdentity(id: ModelLog.history), position: .zero, checksum: 0, cluster: etcd.cluster)
        etcd.put("/storykeep/main/id", record.value)
        for name in names { start(name) }
    }

    /// - Parameters:
    ///   - name: the node.
    ///   - run: tells this start from every other.
    ///   - formats: the formats of records that the program reads.
    ///   - directory: tells its data directory from every other, which ends at `head`.
    ///   - process: the name of the process, where it is not the node's.
    func start(
        _ name: String, run: String = "1", reading formats: RecordFormats = .own, directory: String = "",
        head: UInt64 = 0, as process: String? = nil
    ) {
        var settings = ReplicaSettings(log: "main", node: name, address: "/\(name)", version: "9", run: name + run)
        settings.formats = formats
        settings.directory = directory
        let bench = Bench(Replica(settings, LocalLog(history: ModelLog.history, head: Position(head))))
        let name = process ?? name
        benches[name] = bench
        stopped[name] = nil
        input(name) { $0.began(at: now) }
        settle()
    }

    /// The process of a node is gone.
    func kill(_ name: String) { benches[name] = nil }
    /// A node makes no progress, until it goes on.
    func hold(_ name: String, _ isHeld: Bool = true) { benches[name]?.isHeld = isHeld }

    func replica(_ name: String) -> Replica? { benches[name]?.replica }
    var leaders: [String] { benches.filter { $0.value.replica.isLeading }.keys.sorted() }
    func hasKey(_ key: String) -> Bool { etcd.pairs[key] != nil }

    func ask(_ name: String, for change: NodeChange, _ id: UInt64) {
        input(name) { $0.asked(for: change, id, at: now) }
        settle()
    }

    /// Everything that a node had decided has ended.
    func handOver(_ name: String) {
        yielding.remove(name)
        input(name) { $0.handOverReady(at: now) }
        settle()
    }

    /// Tenths of a second go by.
    func pass(tenths: Int) {
        for _ in 0..<tenths {
            now += ClusterBench.second / 10
            etcd.expire(at: now)
            for name in names { input(name) { $0.ticked(at: now) } }
            settle()
        }
    }

    /// A node that leads writes an entry of a size, of the format that it is to have.
    func write(_ name: String, after head: UInt64, bytes: Int) {
        var entry = EntryHead(
            first: Position(head + 1), count: 1, previous: 0, bytes: bytes,
            digest: EntryHead.Digest(low: head, high: 0))
        entry.format = benches[name]?.replica.entryFormat ?? entry.format
        input(name) { $0.entryReady(entry, records: [UInt8](repeating: 0, count: bytes), at: now) }
        settle()
    }

    /// A node has stored everything up to a position.
    func store(_ name: String, _ position: UInt64) {
        input(name) { $0.stored(through: Position(position)) }
    }

    /// A node's watch tells changes, such as some that are none.
    func tell(_ name: String, _ changes: [OrderingWatchBatch.Change]) {
        input(name) { $0.watched(.live, OrderingWatchBatch(changes, etcd.header), at: now) }
        settle()
    }

    private var names: [String] { benches.filter { !$0.value.isHeld }.keys.sorted() }

    private func input(_ name: String, _ body: (inout Replica) -> [ClusterAction]) {
        guard let bench = benches[name] else { return }
        for action in body(&bench.replica) { perform(action, name, bench) }
    }

    private func perform(_ action: ClusterAction, _ name: String, _ bench: Bench) {
        switch action {
        case .call(let id, let call, _): bench.calls.append((id, call))
        case .watch(let id, let range, let from, _): bench.watches[id] = (range, from)
        case .endWatch(let id): bench.watches[id] = nil
        case .take(let entry):
            if isGivenBack(name, entry) { return input(name) { $0.notTaken("it differs") } }
            taken[name, default: []].append(entry.head.first)
            input(name) { $0.taken(through: entry.head.last, at: now) }
        case .writeEnded(let end): written.append(end)
        case .etcdSetBack(let revisions): setBack[name] = revisions
        case .handOverWanted: yielding.insert(name)
        case .changeEnded(let id, let end): ends[id] = end
        case .stop(let error):
            stopped[name] = error
            benches[name] = nil
        case .compare, .leadingBegan, .leadingEnded, .leaderIs, .seed, .seedIsMissing, .drained, .etcdRefuses: break
        }
    }

    /// Carries out calls and tells changes until nothing moves.
    private func settle() {
        var isMoving = true
        while isMoving {
            isMoving = false
            for name in names {
                guard let bench = benches[name] else { continue }
                let calls = bench.calls
                bench.calls = []
                for (id, call) in calls {
                    isMoving = true
                    let refused = refusal(name, call).map { OrderingAnswer.refused($0) }
                    let answer = refused ?? (isLost(name, call) ? .unknown : etcd.apply(call, at: now))
                    input(name) { $0.answered(id, answer, at: now) }
                }
                for (id, watch) in bench.watches {
                    let new = etcd.changes.filter { $0.revision >= watch.next && watch.range.holds($0.change.key) }
                    guard let last = new.last?.revision, bench.watches[id] != nil else { continue }
                    isMoving = true
                    bench.watches[id]?.next = last + 1
                    let batch = OrderingWatchBatch(new.map(\.change), OrderingHeader(cluster: 77, revision: last))
                    input(name) { $0.watched(id, batch, at: now) }
                }
            }
        }
    }
}
