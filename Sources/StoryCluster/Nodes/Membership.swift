import StoryCore

/// The nodes of a log and the one that leads, as the ordering service has them.
struct Membership: Equatable {
    private let keys: LogKeys
    private let own: String
    private(set) var leader: Leader?
    private(set) var members: [String: Member] = [:]
    /// The wish that a node leads; nil while there is none.
    private(set) var wish: LeaderWish?
    /// The last revision that is known, of the snapshot or of a change.
    private(set) var revision: Int64 = 0

    init(_ keys: LogKeys, own: String) { (self.keys, self.own) = (keys, own) }

    /// Reads both, and the wish.
    static func operations(_ keys: LogKeys) -> [OrderingTransaction.Operation] {
        [.get(OrderingRange(from: keys.leader)), .get(keys.nodesAndWish)]
    }

    /// Takes over the results of `operations`.
    mutating func replace(by results: ArraySlice<OrderingResult>, _ header: OrderingHeader) {
        (leader, members, wish, revision) = (nil, [:], nil, header.revision)
        for case .ranged(let ranged) in results { for pair in ranged.keys { put(pair) } }
    }

    /// Takes over a change; entries are none of it.
    mutating func changed(_ change: OrderingWatchBatch.Change) {
        switch change {
        case .put(let pair): put(pair)
        case .deleted(let key, let revision):
            self.revision = max(self.revision, revision)
            if key == keys.leader, leader.map({ $0.term.revision <= revision }) == true { leader = nil }
            if let wish, key == keys.wish, wish.revision <= revision { self.wish = nil }
            if let name = keys.node(ofKey: key) { members[name] = nil }
        }
    }

    mutating func put(_ pair: OrderingKeyValue) {
        revision = max(revision, pair.changed)
        if pair.key == keys.leader { leader = Leader(pair) }
        if pair.key == keys.wish { wish = LeaderWish(pair) }
        if let name = keys.node(ofKey: pair.key) { members[name] = Member(pair) }
    }

    /// Notes that this node's key was written.
    mutating func registered(_ member: Member, at revision: Int64) {
        members[own] = member
        members[own]?.revision = revision
        self.revision = max(self.revision, revision)
    }

    mutating func led(by leader: Leader?) { self.leader = leader }

    /// This node as the ordering service has it.
    var member: Member? { members[own] }

    /// Returns the next node that has everything up to a position stored: by name, and the one that leads last, since
    /// the others have less to do.
    func source(of position: Position, after last: String?) -> (name: String, address: String)? {
        members.filter { $0.key != own && $0.value.stored >= position && isSource(last, before: $0.key) }
            .min { isSource($0.key, before: $1.key) }.map { ($0.key, $0.value.address) }
    }

    /// Returns true where a node is asked before another one; nil is before all.
    private func isSource(_ one: String?, before other: String) -> Bool {
        guard let one else { return true }
        let (first, second) = (one == leader?.node, other == leader?.node)
        return first == second ? one < other : second
    }

    /// The position up to which all nodes have stored the log.
    var storedByAll: Position { members.values.map(\.stored).min() ?? .zero }

    /// The position up to which two nodes have stored the log, or the only one.
    var storedTwice: Position {
        let stored = members.values.map(\.stored).sorted(by: >)
        return stored.count > 1 ? stored[1] : storedByAll
    }
}
