import LoopSupport
import StoryCluster
import StoryCore
import StoryServer
import TestSupport

/// A node's way to the ordering service, on which calls are lost, late, held up or carried out unheard; it outlives
/// each process.
final class NodeLink: NodeEtcd {
    /// The part of the way that is cut.
    enum Cut: CaseIterable {
        case none, both, calls, answers
        /// Entries are on their way until long after they were given up.
        case entries
    }

    static let history = [UInt8](repeating: 7, count: 16)

    let name: String
    let path: String
    let isOneOfSeveral = true
    private let shared: SharedEtcd
    private let trouble: Trouble
    private let twist: TwistedCalls?
    private var random: SplitMix64
    private var runs = 0
    /// The number of disks that the node has lost.
    private var disks = 0
    private(set) var etcd: DrivenEtcd?
    private(set) var cut = Cut.none { didSet { etcd?.cut(cut) } }
    /// How many ticks it is cut.
    private var cutFor = 0
    /// True while everything is answered.
    var isCalm = false

    init(_ name: String, _ shared: SharedEtcd, _ trouble: Trouble, _ random: SplitMix64, _ bug: PlantedBug?) {
        (self.name, self.shared, self.trouble, self.random) = (name, shared, trouble, random)
        path = "\(name)/store"
        twist = bug.map { TwistedCalls($0, node: name, shared) }
    }

    var role: OpenStore.Role {
        .node(log: "main", node: name) { _ in StoredIdentity(id: NodeLink.history) }
    }

    func node(history: [UInt8]) -> ClusterNode {
        runs += 1
        let etcd = DrivenEtcd(shared)
        etcd.fate = { [weak self] in self?.fate(of: $0) ?? .lost }
        etcd.watchedAtOnce = { [weak self] in self?.watchedAtOnce() ?? 0 }
        if let twist {
            twist.run = "\(name)-\(runs)"
            etcd.onTheWay = twist.onTheWay
            etcd.onTheWayBack = twist.onTheWayBack
        }
        etcd.cut(cut)
        self.etcd = etcd
        var settings = NodeBench.settings(name, run: "\(name)-\(runs)")
        settings.address = NodeWires.address(of: name)
        settings.directory = "\(disks)"
        (settings.lease, settings.patience, settings.tail) = (trouble.lease, trouble.patience, trouble.tail)
        return ClusterNode(ordering: etcd, settings: settings)
    }

    /// Cuts the way for some ticks; 0 makes it whole.
    func cut(_ cut: Cut, for ticks: Int) { (self.cut, cutFor) = (ticks > 0 ? cut : .none, ticks) }

    private func fate(of call: OrderingCall) -> DrivenEtcd.Fate {
        if cut == .entries, call.isEntry { return .late }
        if !isCalm, call.isEntry, random.oneIn(trouble.entries) {
            // The rare faults want one that leads and does not learn what became of its entry.
            cut(random.pick(.both, .both, .answers), for: random.pick(5, 40, 140))
            return random.pick(.unanswered, .late, .held)
        }
        guard !isCalm, random.oneIn(trouble.calls) else { return .answered }
        return random.pick(.lost, .unanswered, .late, .held, .answeredLater)
    }

    private func watchedAtOnce() -> Int {
        guard !isCalm, random.oneIn(trouble.watches) else { return .max }
        return random.pick(0, 0, 1, 3)
    }

    /// The last position that the node has reported as stored.
    var reported: Int {
        let key = shared.etcd.pairs[LogKeys(log: "main").node(name)]
        return key?.field("stored").flatMap { Int($0) } ?? 0
    }

    /// Another node is asked to remove this one, which has lost its disk.
    func remove() {
        disks += 1
        let key = OrderingRange(from: LogKeys(log: "main").node(name))
        _ = shared.etcd.apply(
            .transaction(OrderingTransaction(conditions: [], then: [.delete(key)])), at: shared.now)
    }

    /// True once the log has the node.
    var isJoined: Bool { shared.etcd.pairs[LogKeys(log: "main").node(name)] != nil }

    /// A tenth of a second goes by: calls that were held up move on.
    func ticked() {
        if cutFor > 0 { cut(cut, for: cutFor - 1) }
        guard let etcd else { return }
        guard !isCalm else { return etcd.release() }
        if cut == .none {
            for _ in 0..<etcd.heldCount where etcd.heldCount > 0 && random.oneIn(2) {
                etcd.advanceHeld(Int.random(in: 0..<etcd.heldCount, using: &random))
            }
        }
        etcd.giveUpHeld()
    }
}

extension DrivenEtcd {
    fileprivate func cut(_ cut: NodeLink.Cut) {
        (isCut, isMute, isDeaf) = (cut == .both, cut == .calls, cut == .answers)
    }
}

/// How much goes wrong in a run: each seed has its own.
struct Trouble {
    /// The number of nodes.
    let nodes: Int
    let lease: Int
    /// How long an entry waits for its outcome, in nanoseconds.
    let patience: UInt64
    /// The bytes of entries that the ordering service keeps for nodes that are away.
    let tail: Int
    /// One call in this many fares badly.
    let calls: Int
    /// After one entry in this many the node is cut off.
    let entries: Int
    /// A watch is late once in this many times.
    let watches: Int
    /// A sync of a node's journal ends in one of this many ticks.
    let syncs: Int
    /// The weight of each step.
    let weights: [(step: Step, end: Int)]

    enum Step: CaseIterable {
        case send, tick, run, work, disconnect, take, connect, crash, crashSoon, crashAll, stop, pause, cut, cutAll
        case takeLead, fill, carryOutLate, breakWatches, compact, clock, wipe, overtake, fillDisk
    }

    init(_ random: inout SplitMix64) {
        nodes = random.pick(2, 3, 3)
        lease = random.pick(2, 3, 5)
        patience = UInt64(random.pick(1, 3, 10, 30)) * 1_000_000_000
        tail = random.pick(64 << 20, 64 << 20, 2_000, 200, 200)
        calls = random.pick(4, 12, 40, 400)
        entries = random.pick(8, 30, 1_000)
        watches = random.pick(2, 8, 40)
        syncs = random.pick(1, 2, 8, 40)
        let isCalm = random.oneIn(8)
        var end = 0
        var made: [(Step, Int)] = []
        for step in Step.allCases {
            end += Trouble.weight(step, isCalm, &random)
            made.append((step, end))
        }
        weights = made
    }

    private static func weight(_ step: Step, _ isCalm: Bool, _ random: inout SplitMix64) -> Int {
        switch step {
        case .send: Int.random(in: 40...80, using: &random)
        case .tick: random.pick(20, 40)
        case .run, .work: Int.random(in: 4...20, using: &random)
        case .connect: 4
        case .disconnect, .take: random.pick(0, 1, 3)
        case .clock: random.pick(0, 1)
        case .crash, .crashSoon, .takeLead, .cut, .pause: isCalm ? 0 : random.pick(0, 1, 3, 6)
        case .crashAll, .cutAll, .fill, .stop, .breakWatches, .compact: isCalm ? 0 : random.pick(0, 0, 1, 3)
        case .carryOutLate: 4
        case .wipe: isCalm ? 0 : random.pick(0, 1, 2)
        case .overtake: isCalm ? 0 : random.pick(1, 2, 3)
        case .fillDisk: isCalm ? 0 : random.pick(0, 0, 2, 4)
        }
    }

    func next(_ random: inout SplitMix64) -> Step {
        let number = Int.random(in: 0..<(weights.last?.end ?? 1), using: &random)
        return weights.first { number < $0.end }?.step ?? .tick
    }
}
