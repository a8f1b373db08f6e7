import StoryCluster
import StoryCore
import TestSupport

/// Nodes over one simulated engine, with everything that goes wrong between them.
final class ClusterSimulation {
    /// Something is not as it was promised.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    static let second: UInt64 = 1_000_000_000

    private var random: SplitMix64
    private(set) var engine = SimulatedEngine()
    let nodes: [SimulatedNode]
    private(set) var now: UInt64 = ClusterSimulation.second
    private var events: [(at: UInt64, order: UInt64, run: () throws -> Void)] = []
    private var order: UInt64 = 0
    private let lease: Int
    private let tail: Int
    private let bug: PlantedClusterBug?
    private var isCalm = false
    private var lastValue: UInt64 = 0
    /// The value at each position that was acknowledged, and where.
    private(set) var acknowledged: [Int: UInt64] = [:]
    /// Values that a client was told are not in the log, nor will be.
    private(set) var denied: Set<UInt64> = []
    private(set) var unknown = 0
    private(set) var terms = 0
    private(set) var seeds = 0
    private var downUntil: UInt64 = 0
    private var isWiped = false
    var isTraced = false

    init(seed: UInt64, bug: PlantedClusterBug? = nil) {
        random = SplitMix64(seed: seed)
        self.bug = bug
        lease = random.pick(2, 3, 5)
        tail = random.pick(1 << 20, 200, 40)
        nodes = (1...random.pick(3, 3, 2, 1)).map { SimulatedNode("n\($0)") }
        let record = LogRecord(
            identity: StoredIdentity(id: ModelLog.history), position: .zero, checksum: 0, cluster: engine.cluster)
        engine.put("/storykeep/main/id", record.value)
    }

    // MARK: Running

    /// Runs some seconds of trouble, then calm, and checks that everything is as promised.
    func play(seconds: UInt64 = 60) throws {
        for node in nodes { start(node) }
        let end = now + seconds * ClusterSimulation.second
        trouble(until: end)
        try run(until: end)
        isCalm = true
        (engine.isFull, downUntil) = (false, 0)
        for node in nodes { (node.pausedUntil, node.cutUntil) = (0, 0) }
        for node in nodes where !node.isRunning { start(node) }
        try run(until: now + 40 * ClusterSimulation.second)
        try check()
    }

    private func run(until end: UInt64) throws {
        while let index = events.indices.min(by: {
            (events[$0].at, events[$0].order) < (events[$1].at, events[$1].order)
        }) {
            guard events[index].at < end else { return }
            let event = events.remove(at: index)
            now = max(now, event.at)
            try event.run()
        }
    }

    private func after(_ nanoseconds: UInt64, _ run: @escaping () throws -> Void) {
        order += 1
        events.append((now + nanoseconds, order, run))
    }

    private func milliseconds(_ range: ClosedRange<UInt64>) -> UInt64 {
        UInt64.random(in: range, using: &random) * 1_000_000
    }

    // MARK: Nodes

    private func start(_ node: SimulatedNode) {
        node.start(lease, tail: tail)
        node.bug = bug
        let run = node.run
        perform(node, node.replica?.began(at: now) ?? [])
        tick(node, run)
    }

    private func tick(_ node: SimulatedNode, _ run: Int) {
        after(milliseconds(20...100)) { [self] in
            guard node.run == run, node.isRunning else { return }
            if node.pausedUntil <= now {
                input(node) { $0.ticked(at: now) }
                write(node)
                sync(node)
                deliver(node)
            }
            tick(node, run)
        }
    }

    private func input(_ node: SimulatedNode, _ body: (inout Replica) -> [ClusterAction]) {
        guard var replica = node.replica else { return }
        let actions = body(&replica)
        node.replica = replica
        perform(node, actions)
    }

    private func write(_ node: SimulatedNode) {
        guard node.writing == nil, node.replica?.writableTerm != nil, isCalm || !random.oneIn(4) else { return }
        let values = (0..<random.pick(1, 1, 2, 5)).map { _ -> UInt64 in
            lastValue += 1
            return lastValue
        }
        node.writing = (node.log.head, values)
        let (head, records) = node.log.append(values)
        input(node) { $0.entryReady(head, records: records, at: now) }
    }

    private func sync(_ node: SimulatedNode) {
        guard random.oneIn(isCalm ? 2 : 12) else { return }
        let end = node.writing?.before ?? node.log.head
        let reported = bug == .storedAheadOfSync ? end : node.log.synced
        if bug != .storedAheadOfSync || random.oneIn(6) { node.log.sync(to: end) }
        let position = Position(UInt64(bug == .storedAheadOfSync ? reported : end))
        input(node) { replica in
            replica.stored(through: position)
            return []
        }
    }

    /// Tells a part of what the watches of a node have missed.
    private func deliver(_ node: SimulatedNode) {
        guard node.cutUntil <= now, !isDown else { return }
        for (id, watch) in node.watches.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            if watch.next <= engine.compacted {
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
            let new = engine.changes.filter { $0.revision >= watch.next && watch.range.holds($0.change.key) }
            guard let last = new.prefix(random.pick(1, 4, 30)).last?.revision else { continue }
            let batch = new.filter { $0.revision <= last }.map(\.change)
            node.watches[id]?.next = last + 1
            input(node) { $0.watched(id, EngineWatchBatch(batch, EngineHeader(cluster: 77, revision: last)), at: now) }
        }
    }

    private var isDown: Bool { downUntil > now }

    private func perform(_ node: SimulatedNode, _ actions: [ClusterAction]) {
        for action in actions {
            if isTraced { print(now / 1_000_000, node.name, "\(action)".prefix(400)) }
            switch action {
            case .call(let id, let call, _): send(node, id, changed(call))
            case .watch(let id, let range, let from, _): node.watches[id] = (range, from)
            case .endWatch(let id): node.watches[id] = nil
            case .take(let entry): take(node, entry)
            case .compare(let entry):
                if let reason = node.log.take(entry) { input(node) { $0.notTaken(reason) } }
            case .writeEnded(let end): writeEnded(node, end)
            case .leadingBegan: terms += 1
            case .leadingEnded, .leaderIs: break
            case .seed(let source): seed(node, source)
            case .drained:
                node.isDrained = true
                node.replica = nil
                restart(node)
            case .stop(let error):
                node.stopped = error
                node.replica = nil
                restart(node)
            }
        }
    }

    private func restart(_ node: SimulatedNode) {
        after(milliseconds(100...3_000)) { [self] in if !node.isRunning { start(node) } }
    }

    private func take(_ node: SimulatedNode, _ entry: Entry) {
        let run = node.run
        after(milliseconds(0...30)) { [self] in
            guard node.run == run, node.isRunning else { return }
            if let reason = node.log.take(entry) {
                throw Difference(description: "\(node.name) cannot take \(entry.head.first.value): \(reason)")
            }
            input(node) { $0.taken(through: Position(UInt64(node.log.head)), at: now) }
        }
    }

    private func seed(_ node: SimulatedNode, _ source: String) {
        let run = node.run
        after(milliseconds(10...500)) { [self] in
            guard node.run == run, node.isRunning else { return }
            guard let other = nodes.first(where: { $0.name == source }), other.isRunning, isCalm || !random.oneIn(3)
            else {
                return input(node) { replica in
                    replica.seedFailed(at: now)
                    return []
                }
            }
            seeds += 1
            node.log.seed(from: other.log)
            input(node) { $0.seeded(through: Position(UInt64(node.log.head)), at: now) }
        }
    }

    private func writeEnded(_ node: SimulatedNode, _ end: WriteEnd) {
        guard let writing = node.writing else { return }
        node.writing = nil
        switch end {
        case .committed:
            node.log.committed()
            for (index, value) in writing.values.enumerated() { acknowledged[writing.before + 1 + index] = value }
            return
        case .full, .superseded: denied.formUnion(writing.values)
        case .unknown: unknown += 1
        }
        node.log.rollBack(to: writing.before)
    }
}

// MARK: The network

extension ClusterSimulation {
    /// Plants the bug into a call.
    private func changed(_ call: EngineCall) -> EngineCall {
        guard case .transaction(var transaction) = call, let bug else { return call }
        let isWrite = transaction.conditions.count == 2
        let isTrim = transaction.then.count == 2 && transaction.otherwise.isEmpty
        switch bug {
        case .noLeaderCompare where isWrite: transaction.conditions.removeFirst()
        case .noAbsenceCompare where isWrite: transaction.conditions.removeLast()
        case .lateReportBelieved:
            if case .changed = transaction.conditions.first { transaction.conditions = [] }
        case .trimByBytesAlone where isTrim:
            transaction.then = transaction.then.map { operation in
                guard case .delete(var range) = operation, range.from.hasSuffix("/log/") else { return operation }
                range.end = engine.pairs.keys.filter { $0.hasPrefix(range.from) }.max() ?? range.end
                return .delete(range)
            }
        case .trimmedPastCalledNone where isWrite: transaction.otherwise[2] = .get(EngineRange(from: "none"))
        case .noLeaderCompare, .noAbsenceCompare, .errorReadAsNo, .termTakenUpAgain, .storedAheadOfSync,
            .trimByBytesAlone, .trimmedPastCalledNone:
            break
        }
        return .transaction(transaction)
    }

    private func send(_ node: SimulatedNode, _ id: CallID, _ call: EngineCall) {
        let run = node.run
        let answer = { [self] (answer: EngineAnswer, delay: UInt64) in
            after(delay) { [self] in
                guard node.run == run, node.isRunning else { return }
                var answer = answer
                if bug == .errorReadAsNo, answer == .unknown, case .transaction(let transaction) = call,
                    transaction.conditions.count == 2
                {
                    answer = .transacted(
                        succeeded: false,
                        [.ranged(EngineRanged([])), .ranged(EngineRanged([])), .ranged(EngineRanged([]))], engine.header
                    )
                }
                if node.pausedUntil > now {
                    let rest = node.pausedUntil - now
                    return after(rest) { [self] in
                        if node.run == run, node.isRunning { input(node) { $0.answered(id, answer, at: now) } }
                    }
                }
                input(node) { $0.answered(id, answer, at: now) }
            }
        }
        if isCalm {
            return after(milliseconds(1...10)) { [self] in answer(engine.apply(call, at: now), milliseconds(1...10)) }
        }
        let isCut = node.cutUntil > now || isDown
        switch isCut ? random.pick(8, 9) : Int.random(in: 0..<40, using: &random) {
        case 8:
            // Lost on the way there.
            answer(.unknown, ClusterSimulation.second)
        case 9 where !isCut, 10:
            // Done, and the answer is lost.
            after(milliseconds(1...200)) { [self] in _ = engine.apply(call, at: now) }
            answer(.unknown, ClusterSimulation.second)
        case 11, 9:
            // Given up early, and carried out long after.
            after(milliseconds(500...20_000)) { [self] in _ = engine.apply(call, at: now) }
            answer(.unknown, milliseconds(1...1_000))
        default:
            after(milliseconds(1...40)) { [self] in answer(engine.apply(call, at: now), milliseconds(1...40)) }
        }
    }

    // MARK: Trouble

    private func trouble(until end: UInt64) {
        after(milliseconds(200...4_000)) { [self] in
            guard now < end else { return }
            let node = nodes[Int.random(in: 0..<nodes.count, using: &random)]
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1, 2: crash(node)
            case 3: node.pausedUntil = now + milliseconds(100...9_000)
            case 4, 5: node.cutUntil = now + milliseconds(100...9_000)
            case 6: downUntil = now + milliseconds(100...6_000)
            case 7: engine.isFull.toggle()
            case 8: input(node) { $0.drainRequested(at: now) }
            case 9: for node in nodes { crash(node) }
            case 10:
                // The power fails everywhere: only what is synced is left.
                for node in nodes { crash(node, losesAll: true) }
            default: if nodes.count > 2, !isWiped { wipe(node) }
            }
            trouble(until: end)
        }
    }

    private func crash(_ node: SimulatedNode, losesAll: Bool = false) {
        if isTraced { print(now / 1_000_000, node.name, "crash", node.log.head, node.log.synced, losesAll) }
        guard node.isRunning else { return }
        node.crash(&random, losesAll: losesAll)
        restart(node)
    }

    /// A node loses its disk, once: a second one may lose what the first has not fetched yet.
    private func wipe(_ node: SimulatedNode) {
        isWiped = true
        crash(node)
        node.wipe()
    }

    // MARK: Promises

    private func check() throws {
        let longest = nodes.map(\.log).max { $0.head < $1.head } ?? ModelLog()
        for node in nodes {
            if let error = node.stopped, !node.isRunning {
                throw Difference(description: "\(node.name) stopped: \(error)")
            }
            let end = node.writing?.before ?? node.log.head
            guard Array(longest.records.prefix(end)) == Array(node.log.records.prefix(end)) else {
                throw Difference(description: "\(node.name) has other records")
            }
            guard node.replica?.isCaughtUp == true else {
                throw Difference(
                    description: "\(node.name) is not caught up: \(node.replica?.stateText ?? "no process")")
            }
        }
        for (position, value) in acknowledged {
            guard position <= longest.head, longest.records[position - 1].value == value else {
                throw Difference(description: "position \(position) was acknowledged as \(value) and is lost")
            }
        }
        var seen: Set<UInt64> = []
        for record in longest.records {
            guard !denied.contains(record.value) else {
                throw Difference(description: "\(record.value) is in the log, and a client was told that it is not")
            }
            guard seen.insert(record.value).inserted else {
                throw Difference(description: "\(record.value) is in the log twice")
            }
        }
    }
}
