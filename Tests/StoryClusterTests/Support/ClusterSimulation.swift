import StoryCluster
import StoryCore
import TestSupport

/// Nodes over one simulated ordering service, with everything that goes wrong between them.
final class ClusterSimulation {
    /// Something is not as it was promised.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    static let second: UInt64 = 1_000_000_000

    var random: SplitMix64
    var etcd = SimulatedEtcd()
    let nodes: [SimulatedNode]
    var now: UInt64 = ClusterSimulation.second
    var events: [(at: UInt64, order: UInt64, run: () throws -> Void)] = []
    var order: UInt64 = 0
    let lease: Int
    let tail: Int
    let bug: PlantedClusterBug?
    var isCalm = false
    var lastValue: UInt64 = 0
    /// The value at each position that was acknowledged, and where.
    var acknowledged: [Int: UInt64] = [:]
    /// Values that a client was told are not in the log, nor will be.
    var denied: Set<UInt64> = []
    var unknown = 0
    var terms = 0
    var seeds = 0
    /// The number of entries of each format.
    var written: [UInt8: Int] = [:]
    /// The nodes that had joined before the term began in which an entry of a later format was written.
    var counted: Set<String> = []
    /// The position up to which a node alone may have the log, since no other one had joined.
    var aloneThrough = 0
    /// The entries that such a node did not read.
    var unread: [String] = []
    /// The number of times that a node led since somebody wanted it to.
    var promotions = 0
    var downUntil: UInt64 = 0
    var isWiped = false

    init(seed: UInt64, bug: PlantedClusterBug? = nil) {
        random = SplitMix64(seed: seed)
        self.bug = bug
        lease = random.pick(2, 3, 5)
        tail = random.pick(1 << 20, 200, 40)
        nodes = (1...random.pick(3, 3, 2, 1)).map { SimulatedNode("n\($0)") }
        let record = LogRecord(
            identity: StoredIdentity(id: ModelLog.history), position: .zero, checksum: 0, cluster: etcd.cluster)
        etcd.put("/storykeep/main/id", record.value)
    }

    // MARK: Running

    /// Runs some seconds of trouble, then calm, and checks that everything is as promised.
    func play(seconds: UInt64 = 60) throws {
        for node in nodes { start(node) }
        let end = now + seconds * ClusterSimulation.second
        trouble(until: end)
        try run(until: end)
        isCalm = true
        (etcd.isFull, downUntil) = (false, 0)
        for node in nodes { (node.pausedUntil, node.cutUntil) = (0, 0) }
        for node in nodes where !node.isRunning { start(node) }
        try run(until: now + 20 * ClusterSimulation.second)
        endWhileCampaigning()
        try run(until: now + 20 * ClusterSimulation.second)
        // One that came back with much to fetch may be an entry short.
        for _ in 0..<10 where nodes.contains(where: { $0.replica?.isCaughtUp == false }) {
            try run(until: now + ClusterSimulation.second)
        }
        try check()
    }

    func run(until end: UInt64) throws {
        while let index = events.indices.min(by: {
            (events[$0].at, events[$0].order) < (events[$1].at, events[$1].order)
        }) {
            guard events[index].at < end else { return }
            let event = events.remove(at: index)
            now = max(now, event.at)
            try event.run()
        }
    }

    func after(_ nanoseconds: UInt64, _ run: @escaping () throws -> Void) {
        order += 1
        events.append((now + nanoseconds, order, run))
    }

    func milliseconds(_ range: ClosedRange<UInt64>) -> UInt64 {
        UInt64.random(in: range, using: &random) * 1_000_000
    }

    // MARK: Nodes

    func start(_ node: SimulatedNode) {
        node.start(lease, tail: tail)
        let run = node.run
        perform(node, node.replica?.began(at: now) ?? [])
        tick(node, run)
    }

    func tick(_ node: SimulatedNode, _ run: Int) {
        after(milliseconds(20...100)) { [self] in
            guard node.run == run, node.isRunning else { return }
            if node.pausedUntil <= now {
                input(node) { $0.ticked(at: now) }
                write(node)
                sync(node)
                deliver(node)
                if node.writing == nil { input(node) { $0.handOverReady(at: now) } }
            }
            tick(node, run)
        }
    }

    func input(_ node: SimulatedNode, _ body: (inout Replica) -> [ClusterAction]) {
        guard var replica = node.replica else { return }
        let actions = body(&replica)
        node.replica = replica
        perform(node, actions)
    }

    func write(_ node: SimulatedNode) {
        guard node.writing == nil, let replica = node.replica, replica.writableTerm != nil, !replica.isTailFull,
            isCalm || !random.oneIn(4)
        else { return }
        let values = (0..<random.pick(1, 1, 2, 5)).map { _ -> UInt64 in
            lastValue += 1
            return lastValue
        }
        node.writing = (node.log.head, values)
        let (head, records) = node.log.append(values, format: replica.entryFormat)
        written[head.format, default: 0] += 1
        if head.format >= RecordFormats.erasable { count(before: replica.writableTerm) }
        if !nodes.contains(where: { $0 !== node && hasJoined($0) }) { aloneThrough = node.log.head }
        input(node) { $0.entryReady(head, records: records, at: now) }
    }

    private func count(before term: Term?) {
        guard let term else { return }
        for node in nodes where hasJoined(node, before: term.revision) { counted.insert(node.name) }
    }

    private func hasJoined(_ node: SimulatedNode, before revision: Int64 = .max) -> Bool {
        etcd.pairs[LogKeys(log: "main").node(node.name)].map { $0.created < revision } == true
    }

    func sync(_ node: SimulatedNode) {
        guard random.oneIn(isCalm ? 2 : 12) else { return }
        let end = node.writing?.before ?? node.log.head
        let reported = bug == .storedAheadOfSync ? end : node.log.synced
        if bug != .storedAheadOfSync || random.oneIn(6) { node.log.sync(to: end) }
        let position = Position(UInt64(bug == .storedAheadOfSync ? reported : end))
        input(node) { $0.stored(through: position) }
    }

    /// Tells a part of what the watches of a node have missed.
    func deliver(_ node: SimulatedNode) {
        guard node.cutUntil <= now, !isDown else { return }
        for (id, watch) in node.watches.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            if watch.next <= etcd.compacted {
                node.watches[id] = nil
                input(node) { $0.watchEnded(id, .compacted, at: now) }
                continue
            }
            guard isCalm || !random.oneIn(4) else { continue }
            if !isCalm, random.oneIn(150) {
                node.watches[id] = nil
                input(node) { $0.watchEnded(id, .broken, at: now) }
                continue
            }
            let new = etcd.changes.filter { $0.revision >= watch.next && watch.range.holds($0.change.key) }
            guard let last = new.prefix(random.pick(1, 4, 30)).last?.revision else { continue }
            let batch = new.filter { $0.revision <= last }.map(\.change)
            node.watches[id]?.next = last + 1
            input(node) {
                $0.watched(id, OrderingWatchBatch(batch, OrderingHeader(cluster: 77, revision: last)), at: now)
            }
        }
    }

    var isDown: Bool { downUntil > now }

    func perform(_ node: SimulatedNode, _ actions: [ClusterAction]) {
        for action in actions {
            switch action {
            case .call(let id, let call, _): send(node, id, changed(call))
            case .watch(let id, let range, let from, _): node.watches[id] = (range, from)
            case .endWatch(let id): node.watches[id] = nil
            case .take(let entry): take(node, entry)
            case .compare(let entry):
                if let reason = node.log.take(entry) { input(node) { $0.notTaken(reason) } }
            case .writeEnded(let end): writeEnded(node, end)
            case .leadingBegan: terms += 1
            case .changeEnded(_, .leads): promotions += 1
            case .leadingEnded, .leaderIs, .handOverWanted, .changeEnded, .etcdRefuses, .etcdSetBack: break
            case .seed(let source, let position): seed(node, source, through: position)
            case .seedIsMissing: break
            case .drained:
                node.replica = nil
                restart(node)
            case .stop(let error):
                // One that joins with an old program is no reason to go on with the old format.
                if case .unreadable = error, counted.contains(node.name) { unread.append("\(node.name): \(error)") }
                node.stopped = error
                node.replica = nil
                restart(node)
            }
        }
    }

    func restart(_ node: SimulatedNode) {
        after(milliseconds(100...3_000)) { [self] in if !node.isRunning { start(node) } }
    }

    func take(_ node: SimulatedNode, _ entry: Entry) {
        let run = node.run
        after(milliseconds(0...30)) { [self] in
            guard node.run == run, node.isRunning else { return }
            if let reason = node.log.take(entry) {
                throw Difference(description: "\(node.name) cannot take \(entry.head.first.value): \(reason)")
            }
            input(node) { $0.taken(through: Position(UInt64(node.log.head)), at: now) }
        }
    }

    func seed(_ node: SimulatedNode, _ source: String, through last: Position) {
        let run = node.run
        after(milliseconds(10...500)) { [self] in
            guard node.run == run, node.isRunning else { return }
            if let other = nodes.first(where: { $0.name == source }), other.isRunning, isCalm || !random.oneIn(3) {
                seeds += 1
                node.log.seed(from: other.log, through: Int(last.value), isWhole: isCalm || seeds % 3 > 0)
            }
            input(node) { $0.seedEnded(through: Position(UInt64(node.log.head)), at: now) }
        }
    }

    func writeEnded(_ node: SimulatedNode, _ end: WriteEnd) {
        guard let writing = node.writing else { return }
        node.writing = nil
        switch end {
        case .committed:
            node.log.committed()
            for (index, value) in writing.values.enumerated() { acknowledged[writing.before + 1 + index] = value }
            return
        case .full, .refused, .superseded: denied.formUnion(writing.values)
        case .unknown: unknown += 1
        }
        node.log.rollBack(to: writing.before)
    }
}
