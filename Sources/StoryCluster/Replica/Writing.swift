import StoryCore

/// An entry that a leader writes: its parts first, then the transaction that makes it an entry of the log.
struct Writing: Equatable {
    /// The number of parts that are put at once.
    private static let partsAtOnce = 4

    let head: EntryHead
    let term: Term
    let began: UInt64
    private let keys: LogKeys
    private let records: [UInt8]
    /// The parts under way, and the number of the next one.
    private var parts: [Attempt] = []
    private var nextPart = 0
    /// The transaction; nil before all parts are put.
    private var transaction: Attempt?
    /// The search for the entry after an answer that the ordering service is full, which may have taken it all the
    /// same.
    private var look: Attempt?
    /// True once the outcome of a try is unknown: then a refusal says nothing of that one.
    private(set) var isInDoubt = false

    init(
        _ head: EntryHead, records: [UInt8], _ keys: LogKeys, term: Term, at now: UInt64, _ calls: inout Calls
    ) {
        (self.head, self.records, self.keys, self.term, began) = (head, records, keys, term, now)
        advance(&calls)
    }

    /// True for a call of this entry.
    func isAsking(_ id: CallID) -> Bool { attempts.contains { $0.id == id } }

    private var attempts: [Attempt] { (look ?? transaction).map { [$0] } ?? parts }

    /// True while it is not known whether the entry is in the log or will be: an answer was lost, or said that the
    /// ordering service is full.
    var isUndecided: Bool { isInDoubt || look != nil }

    /// True while no call is under way.
    var isWaiting: Bool { attempts.allSatisfy { $0.id == nil } }

    /// When the next try is due; nil while none is.
    var retryAt: UInt64? { attempts.filter { $0.id == nil }.map(\.retryAt).min() }

    mutating func ticked(_ calls: inout Calls, at now: UInt64) {
        if look == nil { transaction?.ticked(&calls, at: now) }
        look?.ticked(&calls, at: now)
        for index in parts.indices { parts[index].ticked(&calls, at: now) }
    }

    /// Takes the answer to a call of this entry.
    ///
    /// - Returns: the end of the entry; nil where it is not known yet.
    mutating func answered(_ id: CallID, _ answer: OrderingAnswer, at now: UInt64, _ calls: inout Calls) -> Ended? {
        if look?.id == id { return looked(answer, at: now, &calls) }
        switch answer {
        case .transacted(let succeeded, let results, _):
            if transaction?.id == id { return succeeded ? .committed : end(of: results) }
            guard succeeded else { return .superseded }
            parts.removeAll { $0.id == id }
            advance(&calls)
            return nil
        case .full:
            guard transaction?.id == id else { return .full }
            transaction?.failed(&calls, at: now)
            look = Attempt(.transaction(then: places), &calls)
            return nil
        case .refused(.denied): return denied(id, &calls, at: now)
        case .refused(.tooLarge) where !isInDoubt: return .refused("an entry of \(head.bytes) bytes")
        case .refused(.other(let text)) where !isInDoubt: return .refused(text)
        case .unknown: isInDoubt = isInDoubt || transaction?.id == id
        case .refused, .ranged, .granted, .renewed, .revoked, .compacted, .status: break
        }
        if transaction?.id == id { transaction?.failed(&calls, at: now) }
        for index in parts.indices where parts[index].id == id { parts[index].failed(&calls, at: now) }
        return nil
    }

    /// Waits, since rights may come back.
    private mutating func denied(_ id: CallID, _ calls: inout Calls, at now: UInt64) -> Ended? {
        if transaction?.id == id { transaction?.refused(&calls, at: now) }
        for index in parts.indices where parts[index].id == id { parts[index].refused(&calls, at: now) }
        return nil
    }

    /// The end of an entry.
    enum Ended: Equatable {
        case committed, full, superseded, unknown
        /// The ordering service refuses the entry, such as one that is larger than its settings allow.
        case refused(String)
    }

    private mutating func advance(_ calls: inout Calls) {
        let leads = OrderingTransaction.Condition.created(keys.leader, at: term.revision)
        while nextPart < head.parts, parts.count < Writing.partsAtOnce {
            let range = nextPart * EntryHead.bytesOfPart..<min((nextPart + 1) * EntryHead.bytesOfPart, head.bytes)
            let key = keys.part(nextPart, of: head.first, term: term)
            let put = OrderingTransaction.Operation.put(key, Array(records[range]), lease: 0)
            parts.append(Attempt(.transaction(if: [leads], then: [put]), &calls))
            nextPart += 1
        }
        guard parts.isEmpty, transaction == nil else { return }
        let key = keys.entry(head.first)
        transaction = Attempt(
            .transaction(
                if: [leads, .created(key, at: 0)],
                then: [.put(key, head.value(term: term, records: records), lease: 0)], otherwise: places), &calls)
    }

    /// Reads the leader, the entry, and the first entry that the ordering service has.
    private var places: [OrderingTransaction.Operation] {
        [
            .get(OrderingRange(from: keys.leader)), .get(OrderingRange(from: keys.entry(head.first))),
            .get(.prefix(keys.entries, limit: 1, isKeysOnly: true)),
        ]
    }

    /// Takes the answer to the search for the entry. Where this node leads still, and no earlier try is in doubt, an entry
    /// that is not there will not be.
    private mutating func looked(_ answer: OrderingAnswer, at now: UInt64, _ calls: inout Calls) -> Ended? {
        guard case .transacted(true, let results, _) = answer else {
            look?.failed(&calls, at: now)
            return nil
        }
        look = nil
        guard results.count == 3, case .ranged(let leader) = results[0], case .ranged(let own) = results[1] else {
            return .unknown
        }
        guard own.keys.isEmpty, leader.keys.first?.created == term.revision else { return end(of: results) }
        return isInDoubt ? nil : .full
    }

    /// Returns the end of an entry whose transaction did not find the log as it should be.
    private func end(of results: [OrderingResult]) -> Ended {
        guard results.count == 3, case .ranged(let own) = results[1], case .ranged(let firsts) = results[2] else {
            return .unknown
        }
        if let found = own.keys.first,
            let (head, term, _) = try? EntryHead.read(found.value, of: RecordFormats(oldest: head.format))
        {
            // An earlier try has written it.
            return term == self.term && head == self.head ? .committed : .superseded
        }
        // Without it nothing is known where another leader trimmed past it.
        guard let first = firsts.keys.first.flatMap({ keys.first(ofKey: $0.key) }) else { return .superseded }
        return first > head.first ? .unknown : .superseded
    }
}
