import StoryCore

/// The changes of a log's nodes that this node was asked for, and its knowledge of who lives.
struct NodeChanges: Equatable {
    /// A change that is under way.
    private struct Pending: Equatable {
        let id: UInt64
        let change: NodeChange
        /// When it is given up, in nanoseconds.
        let deadline: UInt64
        /// True until its call is made: others are to know first how far this node is.
        var isHeld = false
        /// True where the node to promote is known to lead: its call asks whether it does still.
        var isConfirmed = false
        /// The term when the call was made; nil where no node led.
        var term: Term?
        /// The call that makes it; nil once that was answered.
        var attempt: Attempt?
        /// The revision of the wish; 0 before it is known.
        var wished: Int64 = 0
    }

    private let keys: LogKeys
    private let own: String
    private let patience: UInt64
    private(set) var sightings = Sightings()
    private var deference = Deference()
    private var pending: [Pending] = []
    /// The removal of a wish that cannot come true.
    private var dismissal: Attempt?

    init(_ settings: ReplicaSettings, _ keys: LogKeys) {
        (self.keys, own, patience) = (keys, settings.node, settings.patience)
    }

    // MARK: Changes

    /// Begins a change, or ends it at once where it cannot be made.
    ///
    /// - Parameters:
    ///   - membership: the nodes; nil before this one has joined.
    ///   - progress: the progress of this node, which its last report may not have.
    mutating func ask(
        for change: NodeChange, _ id: UInt64, of membership: Membership?, _ progress: NodeProgress,
        _ calls: inout Calls, at now: UInt64
    ) {
        guard let membership else { return calls.act(.changeEnded(id, .notJoined)) }
        let end = hindrance(of: change, in: membership, progress)
        if case .leads? = end, let leader = membership.leader {
            // The last change may not have reached this node yet.
            var asked = Pending(id: id, change: change, deadline: now + patience, isConfirmed: true)
            (asked.term, asked.attempt) = (leader.term, Attempt(keys.confirmation(of: leader), &calls))
            return pending.append(asked)
        }
        if let end { return calls.act(.changeEnded(id, end)) }
        pending.append(Pending(id: id, change: change, deadline: now + patience, isHeld: true))
        begin(pending.count - 1, in: membership, &calls)
    }

    /// Makes the call of a change that is held, unless others do not know yet that this node can lead.
    private mutating func begin(_ index: Int, in membership: Membership, _ calls: inout Calls) {
        let (change, leader) = (pending[index].change, membership.leader)
        guard pending[index].isHeld, change != .promote(own) || isKnownFit(in: membership) else { return }
        let call =
            switch change {
            case .promote(let node): keys.wish(node, under: leader)
            case .remove(let node): keys.removal(of: node, under: leader)
            }
        (pending[index].isHeld, pending[index].term) = (false, leader?.term)
        pending[index].attempt = Attempt(call, &calls)
    }

    /// True where this node's last report is a new one, and says that it has all events.
    private func isKnownFit(in membership: Membership) -> Bool {
        membership.member?.progress.phase != .catchingUp && sightings.isKnown(own) && !sightings.isSilent(own)
    }

    /// Returns the end of a change that cannot be made, or need not; nil for any other.
    ///
    /// - Parameter progress: the progress of this node; nil where its last report counts.
    private func hindrance(
        of change: NodeChange, in membership: Membership, _ progress: NodeProgress? = nil
    ) -> NodeChangeEnd? {
        let leader = membership.leader
        guard let member = membership.members[change.node] else {
            return .noNode(known: membership.members.keys.sorted())
        }
        switch change {
        case .remove(let node): return leader?.node == node ? .isLeading : nil
        case .promote(let node):
            if let leader, leader.node == node { return .leads(leader.term) }
            if node == own, let progress {
                return progress.phase == .catchingUp ? .behind(progress.position) : nil
            }
            guard sightings.isLiving(node) else { return .silent }
            return member.progress.phase == .catchingUp ? .behind(member.progress.position) : nil
        }
    }

    /// Takes the answer to a call of these; returns false for another call.
    mutating func answered(_ id: CallID, by answer: OrderingAnswer, _ calls: inout Calls, at now: UInt64) -> Bool {
        if dismissal?.id == id {
            if case .transacted = answer { dismissal = nil } else { dismissal?.failed(&calls, at: now) }
            return true
        }
        guard let index = pending.firstIndex(where: { $0.attempt?.id == id }) else { return false }
        switch answer {
        case .transacted(true, _, let header):
            pending[index].attempt = nil
            pending[index].wished = header.revision
            if case .remove = pending[index].change {
                end(index, as: .removed, &calls)
            } else if pending[index].isConfirmed, let term = pending[index].term {
                end(index, as: .leads(term), &calls)
            }
        case .transacted(false, let results, _): superseded(index, by: results, &calls)
        case .refused(.denied): end(index, as: .refused("it is not for this user"), &calls)
        case .refused(.other(let text)): end(index, as: .refused(text), &calls)
        case .unknown, .full, .refused, .ranged, .granted, .renewed, .revoked, .compacted, .status:
            pending[index].attempt?.failed(&calls, at: now)
        }
        return true
    }

    /// Ends a change whose transaction found another leader: an earlier try may have been carried out, and have come true.
    private mutating func superseded(_ index: Int, by results: [OrderingResult], _ calls: inout Calls) {
        guard case .ranged(let ranged)? = results.first, let leader = ranged.keys.first.map({ Leader($0) }) else {
            return end(index, as: .led(by: nil), &calls)
        }
        let isDone = pending[index].change == .promote(leader.node)
        end(index, as: isDone ? .leads(leader.term) : .led(by: leader.node), &calls)
    }

    private mutating func end(_ index: Int, as end: NodeChangeEnd, _ calls: inout Calls) {
        calls.act(.changeEnded(pending[index].id, end))
        pending.remove(at: index)
    }

    /// Tries again, and gives up what took too long.
    mutating func ticked(_ membership: Membership, _ calls: inout Calls, at now: UInt64) {
        sightings.ticked(membership.members, at: now)
        deference.ticked(membership, at: now)
        dismissal?.ticked(&calls, at: now)
        for index in pending.indices.reversed() {
            begin(index, in: membership, &calls)
            pending[index].attempt?.ticked(&calls, at: now)
            if now >= pending[index].deadline { end(index, as: .late, &calls) }
        }
    }

    /// Ends the promotions that have come true, or will not.
    mutating func heed(_ membership: Membership, _ calls: inout Calls) {
        guard let leader = membership.leader else { return }
        for index in pending.indices.reversed() {
            guard case .promote(let node) = pending[index].change, pending[index].attempt == nil else { continue }
            if leader.node == node {
                end(index, as: .leads(leader.term), &calls)
            } else if pending[index].isHeld {
                continue
            } else if leader.term != pending[index].term {
                end(index, as: .led(by: leader.node), &calls)
            } else if membership.wish == nil, membership.revision >= pending[index].wished {
                // The leader has refused it.
                end(index, as: .behind(membership.members[node]?.progress.position ?? .zero), &calls)
            }
        }
    }

    // MARK: Wishes

    /// Returns whether this node, which leads, is to hand the lead over; a wish that cannot come true is removed.
    mutating func mustYield(in membership: Membership, _ calls: inout Calls) -> Bool {
        guard let wish = membership.wish else { return false }
        if wish.node != own, hindrance(of: .promote(wish.node), in: membership) == nil { return true }
        if dismissal == nil { dismissal = Attempt(keys.dismissal(of: wish), &calls) }
        return false
    }

    /// Returns whether another node is to campaign first.
    func defers(in membership: Membership) -> Bool {
        guard let wish = membership.wish, wish.node != own else { return false }
        return sightings.isLiving(wish.node) && deference.holds(for: wish)
    }
}
