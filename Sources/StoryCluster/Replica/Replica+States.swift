import StoryCore

// MARK: Joining

extension Replica {
    mutating func join() {
        state = .joining
        let operations =
            [.get(EngineRange(from: keys.identity))] + Membership.operations(keys)
            + [
                EngineTransaction.Operation.get(.prefix(keys.entries, limit: 1, isKeysOnly: true)),
                .get(.prefix(keys.entries, limit: 1, order: .descending)),
            ]
        main = Attempt(.transaction(EngineTransaction(conditions: [], then: operations)), &calls)
    }

    private mutating func joined(_ results: [EngineResult], _ header: EngineHeader) throws(ClusterError) {
        guard results.count == 5, case .ranged(let id) = results[0], case .ranged(let firsts) = results[3],
            case .ranged(let lasts) = results[4]
        else { throw .unreadable("the engine answers something else than it was asked") }
        guard let pair = id.keys.first else { throw .noLog(settings.log) }
        let record = try LogRecord(pair.value)
        guard header.cluster == record.cluster else { throw .otherCluster }
        guard history == record.identity.id else { throw .otherHistory }
        membership.replace(by: results[1...2], header)
        let last = try lasts.keys.first.map { (pair) throws(ClusterError) in try EntryHead.read(pair.value) }
        let end = last?.0.last ?? record.position
        guard incoming.taken <= end else {
            throw .ahead("this node ends at \(incoming.taken.value), the engine at \(end.value)")
        }
        if case (let head, let term, let records?)? = last, head.last <= incoming.taken {
            calls.act(.compare(Entry(head, term, records: records)))
        }
        let start = firsts.keys.first.flatMap { keys.first(ofKey: $0.key)?.previous } ?? record.position
        state = .registering(behind: incoming.taken < start ? start : nil)
        main = Attempt(report.write(over: membership.member), &calls)
    }

    /// Asks another node for the events that the engine no longer has.
    mutating func seed(through position: Position, at now: UInt64) {
        guard !watch.isSeeding, now >= watch.seedAt else { return }
        guard let source = membership.source(of: position) else {
            // The nodes are read again, since one of them may have come meanwhile.
            watch.seedFailed(at: now)
            return join()
        }
        watch.isSeeding = true
        calls.act(.seed(from: source))
    }
}

// MARK: Following

extension Replica {
    mutating func catchUp(_ aim: Aim) {
        state = .catchingUp(then: aim)
        readNext()
    }

    /// Reads on behind the entries that were accepted.
    private mutating func readNext() {
        guard main == nil, !incoming.isFull else { return }
        let read = EngineTransaction(
            conditions: [],
            then: Membership.operations(keys) + [.get(keys.entries(from: incoming.reach.next, limit: 16))])
        main = Attempt(.transaction(read), &calls)
    }

    /// Reads on from the log's head, since the watch has ended or misses something.
    mutating func readAgain() {
        if watch.isOn { calls.act(.endWatch(.live)) }
        watch.isOn = false
        incoming.clear()
        main = nil
        catchUp(.follow)
    }

    mutating func caughtUpSoFar() {
        if case .catchingUp = state { readNext() }
        campaignIfFree()
    }

    private mutating func read(
        _ results: [EngineResult], _ header: EngineHeader, _ aim: Aim, at now: UInt64
    ) throws(ClusterError) {
        guard results.count == 3, case .ranged(let entries) = results[2] else {
            throw .unreadable("the engine answers something else than it was asked")
        }
        let before = membership.leader
        membership.replace(by: results[0...1], header)
        if membership.leader != before { calls.act(.leaderIs(membership.leader)) }
        try checkOwnKey()
        for pair in entries.keys {
            guard let first = keys.first(ofKey: pair.key) else { continue }
            lastFirst = first
            guard try incoming.accept(pair.value) == .gap else { continue }
            return gapFound(before: first, aim, at: now)
        }
        incoming.advance(keys, &calls)
        switch aim {
        case .follow:
            guard !entries.hasMore else { return readNext() }
            calls.watch(.live, keys.live, from: header.revision + 1)
            watch.isOn = true
            state = .following
            campaignIfFree()
        case .lead(let term, let lease, let seconds):
            guard entries.keys.isEmpty, incoming.isEmpty else { return readNext() }
            begin(term, lease: lease, seconds: seconds, at: now)
        }
    }

    /// Events were removed from the engine before this node had them.
    private mutating func gapFound(before first: Position, _ aim: Aim, at now: UInt64) {
        incoming.clear()
        switch aim {
        // Another node has them, and can lead.
        case .lead(let term, _, _): resign(term)
        case .follow:
            state = .seeding(through: first.previous)
            seed(through: first.previous, at: now)
        }
    }

    private func checkOwnKey() throws(ClusterError) {
        guard let member = membership.member else { throw .removed }
        guard member.run == settings.run else { throw .replaced }
    }

    mutating func changed(_ id: WatchID, _ batch: EngineWatchBatch, at now: UInt64) throws(ClusterError) {
        let before = membership.leader
        for change in batch.changes {
            if case .put(let pair) = change, keys.first(ofKey: pair.key) != nil {
                guard id == .live, watch.isOn else { continue }
                if try incoming.accept(pair.value) == .gap, case .following = state { return readAgain() }
                lastFirst = keys.first(ofKey: pair.key)
            } else {
                membership.changed(change)
            }
        }
        try checkOwnKey()
        if membership.leader != before { calls.act(.leaderIs(membership.leader)) }
        if case .leading(let term) = state {
            if membership.leader?.term != term.term, term.writing == nil { lostLead() }
        } else {
            incoming.advance(keys, &calls)
            campaignIfFree()
        }
    }

    mutating func partsAnswered(_ answer: EngineAnswer, at now: UInt64) {
        guard case .ranged(let ranged, _) = answer else { return incoming.readingFailed(&calls, at: now) }
        guard incoming.answered(ranged) else {
            incoming.clear()
            if case .following = state { return readAgain() }
            return caughtUpSoFar()
        }
        incoming.advance(keys, &calls)
    }
}

// MARK: Leading

extension Replica {
    mutating func campaignIfFree() {
        guard case .following = state, !isDraining else { return }
        if let leader = membership.leader {
            // An earlier run of this node is gone: it wrote its key, and this one took the key over.
            guard leader.node == settings.node, watch.dismissal == nil else { return }
            watch.dismissal = Attempt(delete(leader.term), &calls)
        } else if incoming.isEmpty, watch.isOn {
            state = .campaigning(lease: nil, seconds: 0)
            main = Attempt(.grantLease(seconds: settings.lease), &calls)
        }
    }

    private var nonce: String { "\(settings.run)-\(campaigns)" }

    private mutating func granted(_ lease: Int64, _ seconds: Int) {
        campaigns += 1
        state = .campaigning(lease: lease, seconds: seconds)
        let value = Leader.value(node: settings.node, address: settings.address, nonce: nonce)
        main = Attempt(
            .transaction(
                EngineTransaction(
                    conditions: [.created(keys.leader, at: 0)], then: [.put(keys.leader, value, lease: lease)],
                    otherwise: [.get(EngineRange(from: keys.leader))])), &calls)
    }

    private mutating func campaigned(
        _ succeeded: Bool, _ results: [EngineResult], _ header: EngineHeader, lease: Int64, seconds: Int
    ) {
        var term = succeeded ? Term(header.revision) : nil
        if !succeeded, case .ranged(let ranged)? = results.first, let leader = ranged.keys.first.map({ Leader($0) }) {
            if leader.nonce == nonce { term = leader.term }
            membership.led(by: leader)
            calls.act(.leaderIs(leader))
        }
        guard let term else {
            state = .following
            return
        }
        guard !isDraining else { return resign(term) }
        catchUp(.lead(term, lease: lease, seconds: seconds))
    }

    private mutating func begin(_ term: Term, lease: Int64, seconds: Int, at now: UInt64) {
        if watch.isOn { calls.act(.endWatch(.live)) }
        watch.isOn = false
        var leadership = Leadership(term, lease: lease, seconds: seconds, settings, keys, at: now)
        leadership.found(last: lastFirst)
        leadership.readMembers(&calls)
        state = .leading(leadership)
        calls.act(.leadingBegan(term))
        leadership.ticked(membership, &calls, at: now)
        state = .leading(leadership)
        if isDraining { resign(term) }
    }

    mutating func termAnswered(_ id: CallID, _ answer: EngineAnswer, at now: UInt64) throws(ClusterError) {
        guard case .leading(var term) = state, let news = term.answered(id, answer, at: now, &calls) else { return }
        state = .leading(term)
        switch news {
        case .nothing: break
        case .leaseEnded, .superseded: if term.writing == nil { lostLead() }
        case .members(let results, let header):
            membership.replace(by: results[...], header)
            try checkOwnKey()
            guard membership.leader?.term == term.term || term.writing != nil else { return lostLead() }
            calls.watch(.leader, EngineRange(from: keys.leader), from: header.revision + 1)
            calls.watch(.nodes, keys.nodesAndWish, from: header.revision + 1)
        case .written(let head, let end): try written(head, end, term)
        }
    }

    private mutating func written(
        _ head: EntryHead, _ end: Writing.Ended, _ term: Leadership
    ) throws(ClusterError) {
        switch end {
        case .committed:
            var term = term
            term.wrote(head)
            lastFirst = head.first
            state = .leading(term)
            incoming.taken(through: head.last)
            calls.act(.writeEnded(.committed))
        case .full: calls.act(.writeEnded(.full))
        case .superseded, .unknown:
            calls.act(.writeEnded(end == .unknown ? .unknown : .superseded))
            return lostLead()
        case .refused(let text): throw .refused(text)
        }
        if term.isHandingOver { resign(term.term) }
    }

    /// Gives up an entry whose outcome did not become known in time. A try of it may still be under way, so the term ends.
    mutating func giveUp(_ entry: Writing) {
        calls.act(.writeEnded(entry.isInDoubt ? .unknown : .superseded))
        resign(entry.term)
    }

    private mutating func lostLead() {
        endTerm()
        catchUp(.follow)
    }

    private mutating func endTerm() {
        guard isLeading else { return }
        calls.act(.endWatch(.leader))
        calls.act(.endWatch(.nodes))
        calls.act(.leadingEnded)
        main = nil
    }

    mutating func resign(_ term: Term) {
        endTerm()
        state = .resigning(term)
        main = Attempt(delete(term), &calls)
    }

    private func delete(_ term: Term) -> EngineCall {
        .transaction(
            EngineTransaction(
                conditions: [.created(keys.leader, at: term.revision)], then: [.delete(EngineRange(from: keys.leader))])
        )
    }
}

// MARK: Answers and ends

extension Replica {
    mutating func mainAnswered(_ answer: EngineAnswer, at now: UInt64) throws(ClusterError) {
        switch answer {
        case .unknown, .refused(.tokenExpired), .refused(.noSpace), .refused(.compacted):
            main?.failed(&calls, at: now)
        case .refused(.noLease): main = Attempt(.grantLease(seconds: settings.lease), &calls)
        case .refused(.denied): throw .refused("a call, for this user")
        case .refused(.tooLarge): throw .refused("a call that is too large")
        case .refused(.other(let text)): throw .refused(text)
        case .granted(let lease, let seconds, _):
            main = nil
            granted(lease, seconds)
        case .transacted(let succeeded, let results, let header):
            main = nil
            try transacted(succeeded, results, header, at: now)
        case .ranged, .renewed, .compacted: main = nil
        }
    }

    private mutating func transacted(
        _ succeeded: Bool, _ results: [EngineResult], _ header: EngineHeader, at now: UInt64
    ) throws(ClusterError) {
        switch state {
        case .joining: try joined(results, header)
        case .registering(let position):
            guard succeeded else { return join() }
            report.wrote(&membership, at: header.revision)
            if let position {
                state = .seeding(through: position)
                seed(through: position, at: now)
            } else {
                catchUp(.follow)
            }
        case .catchingUp(let aim): try read(results, header, aim, at: now)
        case .campaigning(let lease?, let seconds):
            campaigned(succeeded, results, header, lease: lease, seconds: seconds)
        case .resigning: if isDraining { drained() } else { catchUp(.follow) }
        case .campaigning, .seeding, .following, .leading, .stopped: break
        }
    }

    var isRegistered: Bool {
        switch state {
        case .joining, .registering, .stopped: false
        case .seeding, .catchingUp, .following, .campaigning, .leading, .resigning: true
        }
    }

    mutating func drained() {
        state = .stopped
        main = nil
        calls.act(.drained)
    }

    mutating func stop(_ error: ClusterError) {
        state = .stopped
        main = nil
        calls.act(.stop(error))
    }
}
