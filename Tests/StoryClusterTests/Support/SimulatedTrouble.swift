import StoryCluster
import StoryCore
import TestSupport

// MARK: The network

extension ClusterSimulation {
    /// Plants the bug into a call.
    func changed(_ call: OrderingCall) -> OrderingCall {
        guard case .transaction(var transaction) = call, let bug else { return call }
        let isWrite = transaction.conditions.count == 2
        let isTrim = transaction.then.count == 2 && transaction.otherwise.isEmpty
        switch bug {
        case .noLeaderCompare where isWrite: transaction.conditions.removeFirst()
        case .lateReportBelieved:
            if case .changed = transaction.conditions.first { transaction.conditions = [] }
        case .trimByBytesAlone where isTrim:
            transaction.then = transaction.then.map { operation in
                guard case .delete(var range) = operation, range.from.hasSuffix("/log/") else { return operation }
                range.end = etcd.pairs.keys.filter { $0.hasPrefix(range.from) }.max() ?? range.end
                return .delete(range)
            }
        case .trimmedPastCalledNone where isWrite: transaction.otherwise[2] = .get(OrderingRange(from: "none"))
        case .noLeaderCompare, .errorReadAsNo, .storedAheadOfSync, .trimByBytesAlone, .trimmedPastCalledNone:
            break
        }
        return .transaction(transaction)
    }

    func send(_ node: SimulatedNode, _ id: CallID, _ call: OrderingCall) {
        let run = node.run
        let answer = { [self] (answer: OrderingAnswer, delay: UInt64) in
            after(delay) { [self] in
                guard node.run == run, node.isRunning else { return }
                var answer = answer
                if bug == .errorReadAsNo, answer == .unknown, case .transaction(let transaction) = call,
                    transaction.conditions.count == 2
                {
                    answer = .transacted(
                        succeeded: false,
                        [.ranged(OrderingRanged([])), .ranged(OrderingRanged([])), .ranged(OrderingRanged([]))],
                        etcd.header
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
            return after(milliseconds(1...10)) { [self] in answer(etcd.apply(call, at: now), milliseconds(1...10)) }
        }
        let isCut = node.cutUntil > now || isDown
        switch isCut ? random.pick(8, 9) : Int.random(in: 0..<40, using: &random) {
        case 8:
            // Lost on the way there.
            answer(.unknown, ClusterSimulation.second)
        case 9 where !isCut, 10:
            // Done, and the answer is lost.
            after(milliseconds(1...200)) { [self] in _ = etcd.apply(call, at: now) }
            answer(.unknown, ClusterSimulation.second)
        case 11, 9:
            // Given up early, and carried out long after.
            after(milliseconds(500...20_000)) { [self] in _ = etcd.apply(call, at: now) }
            answer(.unknown, milliseconds(1...1_000))
        default:
            after(milliseconds(1...40)) { [self] in answer(etcd.apply(call, at: now), milliseconds(1...40)) }
        }
    }

    // MARK: Trouble

    func trouble(until end: UInt64) {
        after(milliseconds(200...4_000)) { [self] in
            guard now < end else { return }
            let node = nodes[Int.random(in: 0..<nodes.count, using: &random)]
            switch Int.random(in: 0..<13, using: &random) {
            case 0, 1, 2: crash(node)
            case 3: node.pausedUntil = now + milliseconds(100...9_000)
            case 4, 5: node.cutUntil = now + milliseconds(100...9_000)
            case 6: downUntil = now + milliseconds(100...6_000)
            case 7: etcd.isFull.toggle()
            case 8: drain(node)
            case 9: for node in nodes { crash(node) }
            case 10:
                // The power fails everywhere: only what is synced is left.
                for node in nodes { crash(node, losesAll: true) }
            case 11:
                let other = nodes[Int.random(in: 0..<nodes.count, using: &random)].name
                input(node) { $0.asked(for: .promote(other), order, at: now) }
            default:
                let isCopied = nodes.contains { $0 !== node && $0.log.synced >= aloneThrough }
                if nodes.count > 2, !isWiped, isCopied { wipe(node) }
            }
            trouble(until: end)
        }
    }

    /// Takes the lead away, and asks the nodes to end while all of them want it: those that lose have to end as well.
    func endWhileCampaigning() {
        let deletion = OrderingTransaction(
            conditions: [], then: [.delete(OrderingRange(from: LogKeys(log: "main").leader))])
        _ = etcd.apply(.transaction(deletion), at: now)
        for node in nodes { after(milliseconds(0...150)) { [self] in drain(node) } }
    }

    private func drain(_ node: SimulatedNode) {
        node.isEnding = node.isRunning
        input(node) { $0.drainRequested(at: now) }
    }

    func crash(_ node: SimulatedNode, losesAll: Bool = false) {
        guard node.isRunning else { return }
        node.crash(&random, losesAll: losesAll)
        restart(node)
    }

    /// A node loses its disk, once: a second one may lose what the first has not fetched yet. It is removed from the log
    /// before it comes back.
    private func wipe(_ node: SimulatedNode) {
        isWiped = true
        crash(node)
        node.wipe()
        let key = OrderingRange(from: LogKeys(log: "main").node(node.name))
        _ = etcd.apply(changed(.transaction(OrderingTransaction(conditions: [], then: [.delete(key)]))), at: now)
    }

    // MARK: Promises

    func check() throws {
        guard unread.isEmpty else { throw Difference(description: "an entry is not read by \(unread)") }
        let longest = nodes.map(\.log).max { $0.head < $1.head } ?? ModelLog()
        for node in nodes {
            if let error = node.stopped, !node.isRunning {
                throw Difference(description: "\(node.name) stopped: \(error)")
            }
            guard !node.isEnding else {
                throw Difference(description: "\(node.name) was asked to end and did not")
            }
            let end = node.writing?.before ?? node.log.head
            guard Array(longest.records.prefix(end)) == Array(node.log.records.prefix(end)) else {
                throw Difference(description: "\(node.name) has other records")
            }
            guard node.replica?.isCaughtUp == true else {
                throw Difference(
                    description: "\(node.name) is not caught up: \(node.replica.map { "\($0)" } ?? "no process")")
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
