import StoryCore

// MARK: Joining

extension Node {
    mutating func join() {
        state = .joining
        main = Attempt(keys.joining, &calls)
    }

    mutating func joined(_ results: [EngineResult], _ header: EngineHeader) throws(ClusterError) {
        let log = try JoinedLog(results, header, of: keys)
        guard history == log.record.identity.id else { throw .otherHistory }
        membership.replace(by: results[1...2], header)
        guard incoming.taken <= log.end else {
            throw .ahead("this node ends at \(incoming.taken.value), the engine at \(log.end.value)")
        }
        tail.joined(log.start.next)
        if let last = log.last, last.head.last <= incoming.taken { calls.act(.compare(last)) }
        state = .registering(behind: incoming.taken < log.start ? log.start : nil)
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

extension Node {
    /// Begins to follow, or ends where the process is asked to: this node has no lead that it could hand over.
    ///
    /// - Parameter isWatching: whether this node has the watch of a follower already.
    mutating func follow(isWatching: Bool = false) {
        guard !isDraining else { return drained() }
        if isWatching { state = .following } else { catchUp(.follow) }
    }

    mutating func catchUp(_ aim: Aim) {
        state = .catchingUp(then: aim)
        readNext()
    }

    /// Reads on behind the entries that were accepted.
    private mutating func readNext() {
        guard main == nil, !incoming.isFull else { return }
        main = Attempt(keys.reading(from: incoming.reach.next), &calls)
    }

    /// Reads on from the log's head, since the watch has ended or misses something.
    mutating func readAgain() {
        if watch.isOn { calls.act(.endWatch(.live)) }
        watch.isOn = false
        incoming.clear()
        main = nil
        follow()
    }

    mutating func caughtUpSoFar() {
        if case .catchingUp = state { readNext() }
        campaignIfFree()
    }

    mutating func read(
        _ results: [EngineResult], _ header: EngineHeader, for aim: Aim, at now: UInt64
    ) throws(ClusterError) {
        guard results.count == 3, case .ranged(let entries) = results[2] else { throw .unexpected }
        let before = membership.leader
        membership.replace(by: results[0...1], header)
        if membership.leader != before { calls.act(.leaderIs(membership.leader)) }
        try checkOwnKey()
        for pair in entries.keys {
            guard let first = keys.first(ofKey: pair.key) else { continue }
            lastFirst = first
            tail.added(first, bytes: EntryHead.bytes(of: pair.value))
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

    func checkOwnKey() throws(ClusterError) {
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
                if let lastFirst { tail.added(lastFirst, bytes: EntryHead.bytes(of: pair.value)) }
            } else if case .deleted(let key, _) = change, let first = keys.first(ofKey: key) {
                tail.removed(before: first.next)
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
