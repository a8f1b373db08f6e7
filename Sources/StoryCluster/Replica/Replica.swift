package import StoryCore

/// A node of a log that several machines have: it follows the log in the ordering service, or leads and writes to it.
///
/// Each method is an input, named for the event that happened; `now` is monotonic time in nanoseconds. Each returns the
/// actions for the shell, in their order. No safety rests on a clock.
package struct Replica: Equatable {
    var node: Node

    /// Creates a node over its own log.
    package init(_ settings: ReplicaSettings, _ log: LocalLog) { node = Node(settings, log) }

    /// The node that leads, as far as is known.
    package var leader: Leader? { node.membership.leader }
    /// The nodes of the log.
    package var members: [String: Member] { node.membership.members }

    /// The term that this node leads and may write in; nil while it may not.
    package var writableTerm: Term? {
        guard case .leading(let term) = node.state, term.writing == nil, !term.isHandingOver else { return nil }
        return term.term
    }

    /// The format of the records of the next entry: the newest that all nodes of the log read.
    package var entryFormat: UInt8 { node.settings.formats.newest(readBy: members.values.map(\.formats)) }

    /// True while the ordering service has so much more than it should keep that writes wait until a second node has
    /// stored it.
    package var isTailFull: Bool { isLeading && node.incoming.tail.removableBytes / 4 >= node.settings.tail }
    /// The last position that is known to be in the log.
    package var reach: Position {
        if case .seeding(let end) = node.state { max(end, node.incoming.reach) } else { node.incoming.reach }
    }
    /// True while this node has the lead.
    package var isLeading: Bool { if case .leading = node.state { true } else { false } }
    /// True while this node may get the lead, or has it and does not write yet.
    package var isToLead: Bool {
        switch node.state {
        case .campaigning, .catchingUp(then: .lead): true
        case .joining, .registering, .seeding, .catchingUp(then: .follow), .following, .leading, .resigning, .stopped:
            false
        }
    }
    /// True once this node has everything that was in the log when it started.
    package var isCaughtUp: Bool {
        switch node.state {
        case .following, .campaigning, .leading, .resigning: true
        case .joining, .registering, .seeding, .catchingUp, .stopped: false
        }
    }

    /// When the next try of a call is due, in nanoseconds; nil while none is.
    package var wakeAt: UInt64? {
        var times = [node.main, node.incoming.reading].compactMap { $0 }.filter { $0.id == nil }.map(\.retryAt)
        if case .leading(let term) = node.state, let time = term.writing?.retryAt { times.append(time) }
        return times.min()
    }

    /// The reason why the ordering service refuses what this node has to do, which a person has to see to; nil while it
    /// does not.
    package var etcdRefuses: String? { node.ordering.refusal }
    /// The last time that the ordering service was found to have an earlier state than it had; nil where it was not
    /// since the process began.
    package var etcdSetBack: OrderingSetBack? { node.ordering.setBack }

    // MARK: Inputs

    /// The process has started.
    package mutating func began(at now: UInt64) -> [ClusterAction] {
        node.join()
        return node.calls.take()
    }

    /// A call was answered, or its outcome will not be known.
    package mutating func answered(_ id: CallID, _ answer: OrderingAnswer, at now: UInt64) -> [ClusterAction] {
        let isOfLog = heard(id, answer)
        let answer = isOfLog ? answer : .unknown
        do throws(ClusterError) {
            if node.main?.id == id {
                try node.mainAnswered(answer, at: now)
            } else if node.incoming.reading?.id == id {
                node.partsAnswered(answer, at: now)
            } else if let end = node.report.answered(id, answer, in: &node.membership) {
                try end.get()
                if case .transacted = answer { node.ordering.refusal = nil }
            } else if node.watch.check?.id == id {
                if node.watch.answered(answer, node.keys, reach: node.incoming.reach, at: now) { node.readAgain() }
            } else if node.watch.dismissal?.id == id {
                node.watch.dismissal = nil
            } else if !node.changes.answered(id, by: answer, &node.calls, at: now) {
                try node.termAnswered(id, answer, at: now)
            }
            if !isOfLog { throw .otherCluster }
        } catch {
            node.failed(error)
        }
        heedChanges()
        return node.calls.take()
    }

    /// A watch tells changes.
    package mutating func watched(_ id: WatchID, _ batch: OrderingWatchBatch, at now: UInt64) -> [ClusterAction] {
        do throws(ClusterError) { try node.changed(id, batch, at: now) } catch { node.failed(error) }
        heedChanges()
        return node.calls.take()
    }

    /// A watch has ended by itself.
    package mutating func watchEnded(_ id: WatchID, _ end: OrderingWatchEnd, at now: UInt64) -> [ClusterAction] {
        node.calls.turn()
        switch (id, node.state) {
        case (.live, .following), (.live, .campaigning):
            node.main = nil
            node.readAgain()
        case (.live, .catchingUp): node.watch.isOn = false
        case (.leader, .leading(var term)), (.nodes, .leading(var term)):
            if term.snapshot == nil { term.readMembers(&node.calls) }
            node.state = .leading(term)
        case (.live, _), (.leader, _), (.nodes, _): break
        }
        return node.calls.take()
    }

    /// Time has gone by.
    package mutating func ticked(at now: UInt64) -> [ClusterAction] {
        node.main?.ticked(&node.calls, at: now)
        node.incoming.ticked(&node.calls, at: now)
        node.changes.ticked(node.membership, &node.calls, at: now)
        if node.state.isRegistered {
            node.report.ticked(NodeProgress(of: node), in: node.membership, &node.calls, at: now)
        }
        switch node.state {
        case .following:
            node.watch.ticked(node.keys, &node.calls, at: now)
            let patience = 2 * UInt64(max(1, node.settings.lease)) * 1_000_000_000
            node.fitness.ticked(isFree: node.membership.leader == nil, patience: patience, at: now)
            node.campaignIfFree()
        case .leading(var term):
            term.ticked(
                node.membership, tail: node.incoming.tail, erased: node.erased.last, &node.calls, at: now)
            node.state = .leading(term)
            if let entry = term.writing, entry.isWaiting, now >= entry.began + node.settings.patience {
                giveUp(entry)
            }
            handOverIfUnfit()
        case .seeding(let position): node.seed(through: position, at: now)
        case .joining: if node.main == nil, let next = node.claim.nextAt, now >= next { node.join() }
        case .registering, .catchingUp, .campaigning, .resigning, .stopped: break
        }
        return node.calls.take()
    }

    /// An entry is ready to be written, while `writableTerm` is not nil. The end comes as `writeEnded`.
    package mutating func entryReady(_ head: EntryHead, records: [UInt8], at now: UInt64) -> [ClusterAction] {
        guard case .leading(var term) = node.state, term.writing == nil else {
            preconditionFailure("an entry from \(head.first.value) of a node that cannot write")
        }
        term.writing = Writing(head, records: records, node.keys, term: term.term, at: now, &node.calls)
        node.state = .leading(term)
        return node.calls.take()
    }

    /// The log is folded up to a position: the entry that was to be taken is.
    package mutating func taken(through position: Position, at now: UInt64) -> [ClusterAction] {
        node.incoming.taken(through: position)
        node.doubt = nil
        node.incoming.advance(node.keys, &node.calls)
        node.caughtUpSoFar()
        return node.calls.take()
    }

    /// The entry that was to be taken cannot follow, or differs from the one that is there.
    package mutating func notTaken(_ reason: String) -> [ClusterAction] {
        node.incoming.notTaken()
        node.failed(.diverged(reason))
        return node.calls.take()
    }

    /// The own log is synced up to a position.
    ///
    /// - Parameter seal: `POSITION:SEAL` of the newest one at which nodes compare theirs; nil where there is none.
    package mutating func stored(through position: Position, seal: String? = nil) -> [ClusterAction] {
        node.report.stored(through: position, seal: seal)
        if let seal { node.seals.add(seal) }
        do throws(ClusterError) { try node.checkSeals() } catch { node.failed(error) }
        return node.calls.take()
    }

    /// The own storage is full from now on, or is no more: then another node is to lead, if there is one.
    package mutating func storageChanged(isFull: Bool) { node.fitness.changed(isFit: !isFull) }

    /// Another node was asked for the events that the ordering service no longer has: they are here up to a position.
    /// Where some are missing, the next node is asked.
    package mutating func seedEnded(through position: Position, at now: UInt64) -> [ClusterAction] {
        let end = if case .seeding(let end) = node.state { end } else { position }
        node.incoming.taken(through: position)
        node.seeds.ended(isComplete: position >= end, at: now)
        if case .seeding = node.state, position >= end { node.follow() }
        return node.calls.take()
    }

    /// Another node that was asked for events has other ones than this one.
    package mutating func seedDiffers(_ reason: String) -> [ClusterAction] {
        node.stop(.diverged(reason))
        return node.calls.take()
    }

    /// The process that leads in a term is gone: its link was reset, and then refused. The lead is taken from it, once a
    /// lease at most; it is deleted for that term alone, so one that lives after all loses no more than the lead.
    package mutating func leaderIsGone(_ term: Term, at now: UInt64) -> [ClusterAction] {
        guard case .following = node.state, node.membership.leader?.term == term else { return [] }
        node.watch.dismiss(term, node.keys, lease: node.settings.lease, &node.calls, at: now)
        return node.calls.take()
    }

    /// True once the process is asked to end.
    package var isDraining: Bool { node.isDraining }

    /// The process is asked to end: the lead is handed over first.
    package mutating func drainRequested(at now: UInt64) -> [ClusterAction] {
        node.isDraining = true
        switch node.state {
        case .leading(let term): node.handOver(term)
        case .catchingUp(then: .lead(let term, _, _)): node.resign(term)
        case .joining, .registering, .seeding, .catchingUp(then: .follow), .following: node.drained()
        case .campaigning, .resigning, .stopped: break
        }
        return node.calls.take()
    }
}
