import StoryCore

// MARK: Leading

extension Node {
    mutating func campaignIfFree() {
        guard case .following = state, !isDraining, !changes.defers(in: membership) else { return }
        if let leader = membership.leader {
            // An earlier run of this node is gone: it wrote its key, and this one took the key over.
            guard leader.node == settings.node, watch.dismissal == nil else { return }
            watch.dismissal = Attempt(keys.resignation(from: leader.term), &calls)
        } else if incoming.isEmpty, watch.isOn, !fitness.isStandingBack {
            state = .campaigning(lease: nil, seconds: 0)
            main = Attempt(.grantLease(seconds: settings.lease), &calls)
        }
    }

    private var nonce: String { "\(settings.run)-\(campaigns)" }

    mutating func granted(_ lease: Int64, _ seconds: Int) {
        campaigns += 1
        state = .campaigning(lease: lease, seconds: seconds)
        let value = Leader.value(node: settings.node, address: settings.address, nonce: nonce)
        main = Attempt(keys.campaign(value, lease: lease), &calls)
    }

    mutating func campaigned(
        succeeded: Bool, _ results: [OrderingResult], _ header: OrderingHeader, lease: Int64, seconds: Int
    ) {
        var term = succeeded ? Term(header.revision) : nil
        if !succeeded, case .ranged(let ranged)? = results.first, let leader = ranged.keys.first.map({ Leader($0) }) {
            if leader.nonce == nonce { term = leader.term }
            membership.led(by: leader)
            calls.act(.leaderIs(leader))
        }
        guard let term else { return follow(isWatching: true) }
        guard !isDraining else { return resign(term) }
        catchUp(.lead(term, lease: lease, seconds: seconds))
    }

    mutating func begin(_ term: Term, lease: Int64, seconds: Int, at now: UInt64) {
        if watch.isOn { calls.act(.endWatch(.live)) }
        watch.isOn = false
        var leadership = Leadership(term, lease: lease, seconds: seconds, settings, keys, at: now)
        leadership.found(last: lastFirst)
        leadership.readMembers(&calls)
        state = .leading(leadership)
        calls.act(.leadingBegan(term))
        leadership.ticked(membership, tail: incoming.tail, erased: erased.last, &calls, at: now)
        state = .leading(leadership)
        if isDraining { resign(term) }
    }

    mutating func termAnswered(_ id: CallID, _ answer: OrderingAnswer, at now: UInt64) throws(ClusterError) {
        guard case .leading(var term) = state, let news = term.answered(id, answer, at: now, &calls) else { return }
        state = .leading(term)
        switch news {
        case .nothing: break
        case .leaseEnded, .superseded: if term.writing == nil { lostLead() }
        case .members(let results, let header):
            membership.replace(by: results[...], header)
            try checkNodes()
            guard membership.leader?.term == term.term || term.writing != nil else { return lostLead() }
            calls.watch(.leader, OrderingRange(from: keys.leader), from: header.revision + 1)
            calls.watch(.nodes, keys.nodesAndWish, from: header.revision + 1)
        case .written(let head, let end): try written(head, end, in: term)
        case .trimmed(let first): incoming.tail.removed(before: first)
        }
    }

    private mutating func written(
        _ head: EntryHead, _ end: Writing.Ended, in term: Leadership
    ) throws(ClusterError) {
        switch end {
        case .committed:
            var term = term
            term.wrote(head)
            incoming.tail.added(head)
            lastFirst = head.first
            state = .leading(term)
            incoming.taken(through: head.last)
            (doubt, ordering.refusal) = (nil, nil)
            calls.act(.writeEnded(.committed))
        case .full: calls.act(.writeEnded(.full))
        case .superseded, .unknown:
            calls.act(.writeEnded(end == .unknown ? .unknown : .superseded))
            return lostLead()
        case .refused(let text): calls.act(.writeEnded(.refused(text)))
        }
        if term.isHandingOver { resign(term.term) }
    }

    /// Hands the lead over as soon as no entry is under way.
    mutating func handOver(_ leadership: Leadership) {
        var term = leadership
        term.isHandingOver = true
        state = .leading(term)
        if term.writing == nil { resign(term.term) }
    }

    mutating func lostLead() {
        endTerm()
        follow()
    }

    mutating func endTerm() {
        guard case .leading = state else { return }
        calls.act(.endWatch(.leader))
        calls.act(.endWatch(.nodes))
        calls.act(.leadingEnded)
        main = nil
    }

    mutating func resign(_ term: Term) {
        endTerm()
        state = .resigning(term)
        main = Attempt(keys.resignation(from: term), &calls)
    }
}
