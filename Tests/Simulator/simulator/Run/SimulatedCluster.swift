import StoryCluster
import StoryCore
import StoryServer
import TestSupport

/// The cluster whose only node the daemon is: an engine that loses, delays and repeats calls, and outlives each process.
final class SimulatedCluster: NodeEngine {
    let path = "store"
    let role = OpenStore.Role.store
    let isOneOfSeveral = false
    private(set) var shared: SharedEngine?
    /// The engine as the running process has it.
    private(set) var engine: DrivenEngine?
    private var random: SplitMix64
    private var runs = 0
    /// True while everything is answered.
    var isCalm = false { didSet { if isCalm { calmDown() } } }

    init(_ random: SplitMix64) { self.random = random }

    /// Makes the node of a process.
    func node(history: [UInt8]) -> ClusterNode {
        let shared = self.shared ?? SharedEngine(NodeBench.record(of: history))
        self.shared = shared
        name(history, in: shared)
        runs += 1
        let engine = DrivenEngine(shared)
        engine.fate = { [weak self] _ in self?.fate() ?? .lost }
        self.engine = engine
        return ClusterNode(engine: engine, settings: NodeBench.settings("n1", run: "\(runs)"))
    }

    /// Gives the log in the engine the history of the directory: after a crash the files of the simulated disk are others,
    /// so the store takes them for copies, and names its history again.
    private func name(_ history: [UInt8], in shared: SharedEngine) {
        var record = NodeBench.record(of: history)
        record.cluster = shared.engine.cluster
        let key = LogKeys(log: "main").identity
        if shared.engine.pairs[key]?.value != record.value { shared.engine.put(key, record.value) }
    }

    private func fate() -> DrivenEngine.Fate {
        guard !isCalm else { return .answered }
        return switch Int.random(in: 0..<24, using: &random) {
        case 0: .lost
        case 1: .unanswered
        case 2: .late
        default: .answered
        }
    }

    private func calmDown() {
        shared?.engine.isFull = false
        engine?.isCut = false
    }

    /// A tenth of a second goes by.
    func ticked() {
        shared?.now += 100_000_000
        guard !isCalm else { return }
        if random.oneIn(20) { shared?.carryOutLate() }
        if random.oneIn(60) { shared?.takeLeadAway() }
        if random.oneIn(60) { engine?.breakWatches() }
        if random.oneIn(80) { shared?.engine.isFull.toggle() }
        if engine?.isCut == true ? random.oneIn(30) : random.oneIn(80) { engine?.isCut.toggle() }
    }

    /// Throws unless the log of the node is that of the engine.
    func check(_ process: SimulatedProcess) throws {
        if let error = process.loop.server.clusterError { throw Difference("the node ends: \(error)") }
        let acknowledged = process.loop.server.acknowledged
        guard let shared, acknowledged <= shared.end else {
            throw Difference("\(acknowledged.value) is acknowledged, and the engine has not got it")
        }
    }
}
