import LoopSupport
import StoryCluster
import StoryCore
import TestSupport

/// The calls between a node and the ordering service, with a planted bug.
final class TwistedCalls {
    private let bug: PlantedBug
    private let node: String
    private let shared: SharedEtcd
    private let keys = LogKeys(log: "main")
    /// The highest revision that an answer had.
    private var highest: Int64 = 0
    /// The text that tells this run of the node from every other.
    var run = ""

    init(_ bug: PlantedBug, node: String, _ shared: SharedEtcd) {
        (self.bug, self.node, self.shared) = (bug, node, shared)
    }

    /// A call as the ordering service gets it.
    func onTheWay(_ call: OrderingCall) -> OrderingCall {
        if bug == .termIsTakenUpAgain, case .renewLease = call, let leader = heldLead {
            // The term that is taken up again goes on with the lease that it began with.
            return .renewLease(leader.lease)
        }
        guard case .transaction(var transaction) = call else { return call }
        switch bug {
        case .leaderIsNotCompared where call.isEntry: transaction.conditions.removeFirst()
        case .entriesAreWrittenOver where call.isEntry: transaction.conditions.removeLast()
        case .trimmedPastIsSuperseded where call.isEntry: transaction.otherwise[2] = .get(OrderingRange(from: "none"))
        case .lateReportIsBelieved:
            if case .changed = transaction.conditions.first { transaction.conditions = [] }
        case .tailIsTrimmedByBytes where isTrim(transaction): trim(&transaction, before: lastFirst)
        case .oneCopyIsEnough where isTrim(transaction):
            trim(&transaction, before: min(keys.entry(mostStored.next), lastFirst))
        case .termIsTakenUpAgain where isResignation(transaction) && heldLead != nil:
            transaction = OrderingTransaction(conditions: [], then: [])
        default: break
        }
        return .transaction(transaction)
    }

    /// An answer as the node gets it.
    func onTheWayBack(_ call: OrderingCall, _ answer: OrderingAnswer) -> OrderingAnswer {
        if bug == .revisionIsNotCompared { return raised(answer) }
        guard case .transaction(let transaction) = call else { return answer }
        switch (bug, answer) {
        case (.errorIsNo, .unknown) where call.isEntry:
            let none = OrderingResult.ranged(OrderingRanged([]))
            return .transacted(succeeded: false, [none, none, none], shared.etcd.header)
        case (.undecidedIsShown, .unknown) where call.isEntry:
            return .transacted(succeeded: true, [.put], shared.etcd.header)
        case (.entriesAreWrittenOver, .transacted(true, var results, let header)) where isReading(transaction):
            // It has the lead, and does not catch up.
            guard leader(in: results)?.field("node") == node else { return answer }
            results[2] = .ranged(OrderingRanged([]))
            return .transacted(succeeded: true, results, header)
        case (.gapIsTakenOver, .transacted(true, var results, let header)) where isReading(transaction):
            guard case .ranged(var entries) = results[2], entries.keys.count > 1 else { return answer }
            let first = entries.keys.removeFirst().value
            entries.keys[0].value.replaceSubrange(8..<16, with: first[8..<16])
            results[2] = .ranged(entries)
            return .transacted(succeeded: true, results, header)
        case (.termIsTakenUpAgain, .transacted(true, var results, let header)) where isReading(transaction):
            // Nobody leads, as far as it knows, so it campaigns.
            if heldLead != nil { results[0] = .ranged(OrderingRanged([])) }
            return .transacted(succeeded: true, results, header)
        case (.termIsTakenUpAgain, .transacted(false, _, let header)):
            // The lead that it has from before is the one that it asked for.
            guard case .put(keys.leader, let value, _)? = transaction.then.first, var leader = heldLead else {
                return answer
            }
            leader.value = value
            return .transacted(succeeded: false, [.ranged(OrderingRanged([leader]))], header)
        default: return answer
        }
    }

    /// An answer whose revision is never lower than before, so that a service that was set back is not noticed.
    private func raised(_ answer: OrderingAnswer) -> OrderingAnswer {
        func raised(_ header: OrderingHeader) -> OrderingHeader {
            highest = max(highest, header.revision)
            return OrderingHeader(cluster: header.cluster, revision: highest)
        }
        switch answer {
        case .ranged(let range, let header): return .ranged(range, raised(header))
        case .transacted(let succeeded, let results, let header):
            return .transacted(succeeded: succeeded, results, raised(header))
        default: return answer
        }
    }

    /// The lead that this run of the node has.
    private var heldLead: OrderingKeyValue? {
        let leader = shared.etcd.pairs[keys.leader]
        return leader?.field("nonce")?.hasPrefix("\(run)-") == true ? leader : nil
    }

    private func leader(in results: [OrderingResult]) -> OrderingKeyValue? {
        guard case .ranged(let leader)? = results.first else { return nil }
        return leader.keys.first
    }

    private func isResignation(_ transaction: OrderingTransaction) -> Bool {
        guard case .delete(let range)? = transaction.then.first else { return false }
        return transaction.then.count == 1 && range.from == keys.leader
    }

    private func isTrim(_ transaction: OrderingTransaction) -> Bool {
        transaction.then.count == 2
            && transaction.then.allSatisfy { if case .delete = $0 { true } else { false } }
    }

    private func isReading(_ transaction: OrderingTransaction) -> Bool {
        guard transaction.then.count == 3, transaction.conditions.isEmpty, case .get(let range) = transaction.then[2]
        else { return false }
        return range.limit == 16
    }

    /// The key of the last entry.
    private var lastFirst: String { shared.etcd.pairs.keys.filter { $0.hasPrefix(keys.entries) }.max() ?? "" }

    /// The newest position that some node says it has stored.
    private var mostStored: Position {
        let members = shared.etcd.pairs.filter { keys.node(ofKey: $0.key) != nil }.values
        let stored = members.compactMap { $0.field("stored").flatMap { UInt64($0) } }
        return Position(stored.max() ?? 0)
    }

    /// Deletes all entries before one.
    private func trim(_ transaction: inout OrderingTransaction, before key: String) {
        transaction.then[0] = .delete(OrderingRange(from: keys.entries, end: key))
    }
}

extension OrderingKeyValue {
    /// The value of a line `name=value` of the key's value.
    func field(_ name: String) -> String? {
        let lines = String(decoding: value, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
