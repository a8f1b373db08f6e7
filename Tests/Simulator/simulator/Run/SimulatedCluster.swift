import LoopSupport
import StoryCluster
import StoryCore
import StoryServer
import TestSupport

/// The cluster whose only node the daemon is: an ordering service that loses, delays and repeats calls, and outlives
/// each process.
final class SimulatedCluster: NodeEtcd {
    let path = "store"
    let role = OpenStore.Role.store
    let isOneOfSeveral = false
    private(set) var shared: SharedEtcd?
    /// The ordering service as the running process has it.
    private(set) var etcd: DrivenEtcd?
    private var random: SplitMix64
    private var runs = 0
    /// True while everything is answered.
    var isCalm = false { didSet { if isCalm { calmDown() } } }

    init(_ random: SplitMix64) { self.random = random }

    /// Makes the node of a process.
    func node(history: [UInt8]) -> ClusterNode {
        let shared = self.shared ?? SharedEtcd(NodeBench.record(of: history))
        self.shared = shared
        name(history, in: shared)
        runs += 1
        let etcd = DrivenEtcd(shared)
        etcd.fate = { [weak self] _ in self?.fate() ?? .lost }
        self.etcd = etcd
        return ClusterNode(ordering: etcd, settings: NodeBench.settings("n1", run: "\(runs)"))
    }

    /// Gives the log in the ordering service the history of the directory: after a crash the files of the simulated
    /// disk are others, so the store takes them for copies, and names its history again.
    private func name(_ history: [UInt8], in shared: SharedEtcd) {
        var record = NodeBench.record(of: history)
        record.cluster = shared.etcd.cluster
        let key = LogKeys(log: "main").identity
        if shared.etcd.pairs[key]?.value != record.value { shared.etcd.put(key, record.value) }
    }

    private func fate() -> DrivenEtcd.Fate {
        guard !isCalm else { return .answered }
        return switch Int.random(in: 0..<24, using: &random) {
        case 0: .lost
        case 1: .unanswered
        case 2: .late
        default: .answered
        }
    }

    private func calmDown() {
        shared?.etcd.isFull = false
        etcd?.isCut = false
    }

    /// A tenth of a second goes by.
    func ticked() {
        shared?.now += 100_000_000
        guard !isCalm else { return }
        if random.oneIn(20) { shared?.carryOutLate() }
        if random.oneIn(60) { shared?.takeLeadAway() }
        if random.oneIn(60) { etcd?.breakWatches() }
        if random.oneIn(80) { shared?.etcd.isFull.toggle() }
        if etcd?.isCut == true ? random.oneIn(30) : random.oneIn(80) { etcd?.isCut.toggle() }
    }

    /// Throws unless the log of the node is that of the ordering service.
    func check(_ process: SimulatedProcess) throws {
        if case .isNoNode(let error)? = process.loop.server.ending { throw Difference("the node ends: \(error)") }
        let acknowledged = process.loop.server.acknowledged
        guard let shared, acknowledged <= shared.end else {
            throw Difference("\(acknowledged.value) is acknowledged, and etcd has not got it")
        }
    }
}
