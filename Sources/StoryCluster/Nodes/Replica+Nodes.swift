package import StoryCore

/// A node of a log, as another one sees it.
package struct NodeView: Equatable, Sendable {
    package let name: String
    package let address: String
    package let version: String
    /// Its progress, as it reported it.
    package let phase: NodeState.Phase
    /// True where it should have reported meanwhile.
    package let isSilent: Bool
    /// The last position that it has folded, and the last one that it has stored.
    package let (position, stored): (Position, Position)
    /// The position through which each erasure is carried out in its directory.
    package let erased: Position
    /// True where its program can follow entries whose records are erased.
    package let followsErasures: Bool
    /// How long ago it reported, in nanoseconds; nil where it did not since this node began.
    package let seen: UInt64?
}

/// The erasures of a log, as far as a node knows them.
package struct NodeErasures: Equatable, Sendable {
    /// The position through which each of them is carried out in its directory.
    package var through: Position
    /// The position of the last event `Erased`; zero where there is none.
    package var last: Position

    /// Creates the progress of a node.
    package init(through: Position = .zero, last: Position = .zero) { (self.through, self.last) = (through, last) }
}

// MARK: The nodes

extension Replica {
    /// The erasures came so far.
    package mutating func erased(_ erasures: NodeErasures) { node.erased = erasures }

    /// The erasures, as far as they came in this node's directory.
    package var erasures: NodeErasures { node.erased }

    /// Returns the nodes of the log, in the order of their names.
    package func nodes(at now: UInt64) -> [NodeView] {
        node.membership.members.sorted { $0.key < $1.key }.map { name, member in
            let progress = member.progress
            return NodeView(
                name: name, address: member.address, version: member.version,
                phase: name == leader?.node ? .leading : progress.phase == .leading ? .following : progress.phase,
                isSilent: node.changes.sightings.isSilent(name), position: max(progress.position, member.stored),
                stored: member.stored, erased: progress.erased,
                followsErasures: member.formats.reads(RecordFormats.erasable),
                seen: node.changes.sightings.lastReport(of: name).map { now - min($0, now) })
        }
    }

    /// The last event of the log, as far as the ordering service and the nodes have told; nil before this one has
    /// joined.
    package var end: Position? {
        guard node.state.isRegistered else { return nil }
        return members.values.reduce(reach) { max($0, $1.progress.position, $1.stored) }
    }

    /// The entries that the ordering service has, as the node that leads knows them; nil where none leads.
    package var tail: TailSize? {
        isLeading ? node.incoming.tail.size : leader.flatMap { members[$0.node]?.progress.tail }
    }

    /// The number of calls that were made again.
    package var retries: UInt64 { node.calls.retries }

    /// True while this node leads and is not asked to hand the lead over.
    package var takesWrites: Bool { if case .leading(let term) = node.state { !term.isYielding } else { false } }

    /// True while this node is to hand the lead over to another one.
    package var isYielding: Bool { if case .leading(let term) = node.state { term.isYielding } else { false } }

    // MARK: Inputs

    /// Somebody asks for a change of the nodes. Its end comes as `changeEnded` with the same number.
    package mutating func asked(for change: NodeChange, _ id: UInt64, at now: UInt64) -> [ClusterAction] {
        node.changes.ask(
            for: change, id, of: node.state.isRegistered ? node.membership : nil, NodeProgress(of: node), &node.calls,
            at: now)
        return node.calls.take()
    }

    /// Nothing that was decided here waits any more, so that the lead can be handed over.
    package mutating func handOverReady(at now: UInt64) -> [ClusterAction] {
        guard case .leading(let term) = node.state, term.isYielding, !term.isHandingOver else { return [] }
        node.handOver(term)
        return node.calls.take()
    }
}

// MARK: Steps of the inputs

extension Replica {
    /// Takes note of an answer.
    ///
    /// - Returns: false where another ordering service answers than the one that the log was found in.
    mutating func heard(_ id: CallID, _ answer: OrderingAnswer) -> Bool {
        let setBack = node.calls.answered(id, at: answer.linearizable)
        let isDuty = node.main?.id == id || node.report.isAsking(id)
        return node.ordering.heard(answer, isDuty: isDuty, setBack, &node.calls)
    }

    /// Heeds the news of the nodes that an input brought.
    mutating func heedChanges() {
        if case .leading(var term) = node.state, !term.isYielding,
            node.changes.mustYield(in: node.membership, &node.calls)
        {
            term.isYielding = true
            node.state = .leading(term)
            node.calls.act(.handOverWanted)
        }
        node.changes.heed(node.membership, &node.calls)
    }

    /// Gives up an entry whose outcome did not become known in time. A try of it may still be under way, so the term ends.
    mutating func giveUp(_ entry: Writing) {
        node.calls.act(.writeEnded(entry.isUndecided ? .unknown : .superseded))
        node.resign(entry.term)
    }

    /// Hands the lead over once where this node cannot store the log, and there is another one.
    mutating func handOverIfUnfit() {
        guard case .leading(let term) = node.state, node.membership.members.count > 1, node.fitness.handsOver() else {
            return
        }
        node.handOver(term)
    }
}

extension NodeProgress {
    /// The progress that a node reports.
    init(of node: Node) {
        self.init()
        (position, erased) = (node.incoming.taken, node.erased.through)
        switch node.state {
        case .leading: (phase, tail) = (.leading, node.incoming.tail.size)
        case .following, .campaigning, .resigning: phase = .following
        case .joining, .registering, .seeding, .catchingUp, .stopped: break
        }
    }
}
