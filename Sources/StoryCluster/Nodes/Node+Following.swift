import StoryCore

// MARK: Joining

extension Node {
    mutating func join() {
        state = .joining
        main = Attempt(keys.joining, &calls)
    }

    mutating func joined(
        _ results: [OrderingResult], _ header: OrderingHeader, at now: UInt64
    ) throws(ClusterError) {
        let log = try JoinedLog(results, header, of: keys, reading: settings.formats)
        guard history == log.record.identity.id else { throw .otherHistory }
        ordering.cluster = log.record.cluster
        membership.replace(by: results[1...2], header)
        guard incoming.taken <= log.end else {
            throw .ahead("this node ends at \(incoming.taken.value), etcd at \(log.end.value)")
        }
        guard try claim.mayTake(membership.member, for: settings, head: incoming.taken, at: now) else { return }
        incoming.tail.joined(log.start.next)
        if let last = log.last, last.head.last <= incoming.taken { calls.act(.compare(last)) }
        state = .registering(behind: incoming.taken < log.start ? log.start : nil)
        main = Attempt(report.write(over: membership.member), &calls)
    }

    /// Asks another node for the events that the ordering service no longer has.
    mutating func seed(through position: Position, at now: UInt64) {
        // An entry that the shell takes comes before them.
        guard seeds.isDue(at: now), incoming.isEmpty else { return }
        guard let (name, address) = membership.source(of: position, after: seeds.last) else {
            if seeds.last == nil { calls.act(.seedIsMissing(position)) }
            // The nodes are read again, since one of them may have come meanwhile.
            seeds.roundEnded(at: now)
            return join()
        }
        seeds.began(with: name)
        calls.act(.seed(from: address, through: position))
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
        _ results: [OrderingResult], _ header: OrderingHeader, for aim: Aim, at now: UInt64
    ) throws(ClusterError) {
        guard results.count == 3, case .ranged(let entries) = results[2] else { throw .unexpected }
        let before = membership.leader
        membership.replace(by: results[0...1], header)
        if membership.leader != before { calls.act(.leaderIs(membership.leader)) }
        try checkNodes()
        for pair in entries.keys {
            guard let first = keys.first(ofKey: pair.key) else { continue }
            found(first)
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

    /// Notes that the ordering service has an entry; a late try may put back one that was removed.
    private mutating func found(_ first: Position) { lastFirst = max(lastFirst ?? first, first) }

    /// Events were removed from the ordering service before this node had them.
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

    /// Checks that this node is one of the log still, and has the same seals as the others.
    func checkNodes() throws(ClusterError) {
        guard let member = membership.member else { throw .removed }
        guard member.run == settings.run else { throw .replaced }
        try checkSeals()
    }

    func checkSeals() throws(ClusterError) {
        for (name, member) in membership.members where name != settings.node {
            guard let position = member.seal.flatMap({ seals.difference(from: $0) }) else { continue }
            throw .diverged(
                "the node \(name) has another seal at position \(position); verify both, and replace the one that is wrong"
            )
        }
    }

    mutating func changed(_ id: WatchID, _ batch: OrderingWatchBatch, at now: UInt64) throws(ClusterError) {
        let before = membership.leader
        var trimmed = Position.zero
        for change in batch.changes {
            if case .put(let pair) = change, let first = keys.first(ofKey: pair.key) {
                guard id == .live, watch.isOn else { continue }
                if try incoming.accept(pair.value) == .gap, case .following = state { return readAgain() }
                found(first)
            } else {
                if case .deleted(let key, _) = change, let first = keys.first(ofKey: key) {
                    trimmed = max(trimmed, first)
                }
                membership.changed(change)
            }
            calls.saw(change.revision)
        }
        // Entries are removed from the oldest on.
        incoming.tail.removed(before: trimmed.next)
        try checkNodes()
        if membership.leader != before { calls.act(.leaderIs(membership.leader)) }
        if case .leading(let term) = state {
            if membership.leader?.term != term.term, term.writing == nil { lostLead() }
        } else {
            incoming.advance(keys, &calls)
            campaignIfFree()
        }
    }

    mutating func partsAnswered(_ answer: OrderingAnswer, at now: UInt64) {
        guard case .ranged(let ranged, _) = answer else { return incoming.readingFailed(&calls, at: now) }
        guard incoming.answered(ranged) else {
            incoming.clear()
            if case .following = state { return readAgain() }
            return caughtUpSoFar()
        }
        incoming.advance(keys, &calls)
    }
}
