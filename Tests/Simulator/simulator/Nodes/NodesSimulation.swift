import CSimulatedDisk
import LoopSupport
import StoryCluster
import StoryCore
import StoryServer
import StoryStorage
import TestSupport

/// One seed of a log of several nodes: shipped servers, each on a disk of its own, over one ordering service that
/// fails.
///
/// Clients write to whichever node and read from any. Each line that they get is held against the one log that the
/// ordering service ordered, and each node's log is held against it.
final class NodesSimulation: SimulationRun {
    let story: Story
    let habits: Habits
    let trouble: Trouble
    let world = World()
    let answers: Answers
    let agreed = AgreedLog()
    let shared: SharedEtcd
    let nodes: [SimulatedNode]
    let bug: PlantedBug?
    let twisted: TwistedLines?
    private let disks: Disks
    let wires = NodeWires()
    var random: SplitMix64
    /// What draws others that mean no good, so that the rest of a seed does not depend on them.
    var strangers: SplitMix64
    /// The rate of peers in the places of nodes: in one of this many steps; nil where there are none.
    private let impostors: Int?
    /// The step after which silent clients come; nil where none do.
    private let siegeStep: Int?
    var draw: Draw
    let clients: [Client]
    /// The workers of a cursor; nil where there are none.
    let workers: Workers?
    var figures = Figures()
    /// True once nothing fails any more.
    var isSettling = false
    /// True once a node lost its disk.
    var isWiped = false
    /// The last event that the ordering service had no more when the last node joined; nil before that.
    private(set) var trimmedAlone: Int?
    private(set) var step = "the first start"

    init(seed: UInt64, _ bug: PlantedBug?, isKept: Bool) {
        var random = SplitMix64(seed: seed)
        let story = Story(isKept: isKept)
        habits = Habits(&random)
        let trouble = Trouble(&random)
        draw = Draw(seed: random.next())
        draw.largest = min(habits.largest, 3_000)
        clients = (1...trouble.nodes + 1).map { Client("client \($0)") }
        workers = Workers.drawn(seed, habits, areOfNodes: true)
        answers = Answers(world, passesOn: true)
        let shared = SharedEtcd(NodeBench.record(of: NodeLink.history))
        nodes = (0..<trouble.nodes).map { number in
            let name = "n\(number + 1)"
            let link = NodeLink(name, shared, trouble, SplitMix64(seed: random.next()), bug)
            return SimulatedNode(number, SimulatedDisk(story, bug, folder: name), link)
        }
        disks = Disks(Dictionary(uniqueKeysWithValues: nodes.map { ($0.name, $0.disk) }))
        (self.story, self.trouble, self.shared, self.random, self.bug) = (story, trouble, shared, random, bug)
        twisted = bug.map(TwistedLines.init)
        strangers = SplitMix64(seed: seed ^ 0x5157_4E67)
        impostors = strangers.pick(nil, nil, 4, 20)
        siegeStep = strangers.oneIn(4) ? Int.random(in: 1...2 * habits.steps, using: &strangers) : nil
    }

    func run() throws {
        answers.excused = ["unavailable", "full", "behind", "draining"]
        // Writes wait where the ordering service keeps more than four tails, and are refused after a while.
        if trouble.tail < 1 << 20 { answers.excused.insert("busy") }
        answers.isMemoryScarce = habits.output.all < 1 << 20
        for node in nodes {
            node.clock.setStep(nanoseconds: 20_000)
            node.disk.whenSynced = { [clock = node.clock, habits] in clock.pass(nanoseconds: habits.latency) }
        }
        disks.begin()
        defer {
            disks.end()
            for node in nodes { node.process?.vanish() }
            for node in nodes { node.process = nil }
        }
        for node in nodes { try start(node) }
        try tick(10)
        for number in 1...2 * habits.steps {
            let next = trouble.next(&random)
            step = "step \(number), \(next)"
            story.add(step)
            try take(next)
            work()
            try observe()
            if let impostors, strangers.oneIn(impostors) { replaceNode() }
            guard number == siegeStep else { continue }
            step = "the siege after step \(number)"
            story.add(step)
            try siege()
        }
        step = "the end"
        try settle()
        figures.steps = 2 * habits.steps
        figures.requests = answers.all.count
        figures.events = world.committed
        figures.seeds = 1
    }

    // MARK: Steps

    private func take(_ step: Trouble.Step) throws {
        let node = nodes[below(nodes.count)]
        switch step {
        case .send: send()
        case .tick: try tick(1 + below(random.pick(1, 4, 12, 40)))
        case .run: node.running?.turns()
        case .work: work(node, isAll: random.oneIn(4))
        case .disconnect: if let client = connected() { disconnect(client) }
        case .take: if let client = connected() { setTaking(client, !client.isTaking) }
        case .connect: connect()
        case .crash: crash(node)
        case .crashSoon:
            node.isPowerFailure = random.oneIn(2)
            if node.isUp { node.disk.die(in: 1 + below(random.pick(2, 8, 40)), random.pick(.before, .within, .after)) }
        case .crashAll:
            let isPowerFailure = random.oneIn(2)
            for node in nodes { crash(node, isPowerFailure: isPowerFailure) }
        case .stop: stop(node)
        case .pause: if node.isUp { node.pausedFor = 1 + below(random.pick(5, 40, 140)) }
        case .cut: cut(node, random.pick(.both, .calls, .answers, .entries))
        case .cutAll: for node in nodes { cut(node, .both) }
        case .takeLead: shared.takeLeadAway()
        case .fill: shared.etcd.isFull.toggle()
        case .carryOutLate: carryOutLate(random.pick(1, 1, 8))
        case .breakWatches: if node.running != nil { node.link.etcd?.breakWatches() }
        case .compact:
            try agreed.follow(shared.etcd)
            _ = shared.etcd.apply(.compact(revision: shared.etcd.revision), at: shared.now)
        case .wipe: try wipe(node)
        case .overtake: try overtake()
        case .fillDisk: fillDisk(node)
        case .clock: node.clock.jump(milliseconds: Int64(random.pick(-3_600_000, -5, 1_000, 86_400_000)))
        }
    }

    func below(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &random) }

    func crash(_ node: SimulatedNode, isPowerFailure: Bool? = nil) {
        guard node.isUp else { return }
        node.isPowerFailure = isPowerFailure ?? random.oneIn(2)
        node.disk.die()
    }

    private func cut(_ node: SimulatedNode, _ cut: NodeLink.Cut) {
        node.link.cut(cut, for: 1 + below(random.pick(5, 40, 140)))
    }

    /// Takes note of what the ordering service had no more when the last node joined: it may be on the disk of a single
    /// node.
    private func noteJoined() {
        guard trimmedAlone == nil, nodes.allSatisfy(\.link.isJoined) else { return }
        trimmedAlone = (firstInTail ?? 1) - 1
    }

    /// Something beside the loop of a node ends.
    private func work(_ node: SimulatedNode, isAll: Bool) {
        guard let process = node.running else { return }
        if isAll { return process.endAll() }
        if random.oneIn(2) { process.endCommit() }
        if process.held.count > 0 { process.held.run(below(process.held.count)) }
    }

    // MARK: Time

    /// Tenths of a second go by everywhere.
    func tick(_ count: Int) throws {
        for _ in 0..<count {
            shared.now += 100_000_000
            for node in nodes { try tick(node) }
            try wires.move(nodes)
            try observe()
            noteJoined()
        }
    }

    private func tick(_ node: SimulatedNode) throws {
        guard let process = node.process else {
            node.downFor = max(0, node.downFor - 1)
            if node.downFor == 0 { try start(node) }
            return
        }
        guard node.pausedFor == 0 else {
            node.pausedFor -= 1
            return node.clock.pass(nanoseconds: 100_000_000)
        }
        guard !node.disk.isDead else { return }
        story.add("\(node.name) ticks")
        process.tick()
        if isSettling || random.oneIn(trouble.syncs) { process.endAll() }
        process.turns()
        try endingTicked(node, process)
    }
}
