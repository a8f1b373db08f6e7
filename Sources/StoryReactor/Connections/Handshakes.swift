import StoryNetwork

/// The handshakes of TLS that are under way, and their limits: each costs a millisecond, and a peer may never end it.
///
/// While there are many, each peer that connects takes the slot of one that says nothing, so nobody waits for such
/// peers. A host with many handshakes gives up a slot before one with few, and hosts whose peers were let in before
/// come last: they are those of nodes, replicas and known clients.
struct Handshakes {
    /// The number of handshakes that are many.
    static let many = 256
    /// The most handshakes at once: that many peers that do begin may come together.
    static let most = 512
    /// The most handshakes that go on in one turn; the bytes of the others wait in their sockets.
    static let inOneTurn = 4
    /// The time in milliseconds that a handshake may take.
    static let longest: UInt64 = 10_000
    /// The time in milliseconds that it may take while there are many.
    static let longestOfMany: UInt64 = 1_000

    /// The connections in the handshake, the oldest first.
    private(set) var underWay: [SocketConnection] = []
    private var counts: [RemoteHost: Int] = [:]
    private var known = KnownHosts()
    private var leftInTurn = inOneTurn

    private var areMany: Bool { underWay.count >= Handshakes.many }

    mutating func began(_ connection: SocketConnection) {
        underWay.append(connection)
        counts[Handshakes.host(connection), default: 0] += 1
    }

    mutating func ended(_ connection: SocketConnection) {
        guard let index = underWay.firstIndex(where: { $0 === connection }) else { return }
        underWay.remove(at: index)
        let host = Handshakes.host(connection)
        let left = (counts[host] ?? 1) - 1
        counts[host] = left > 0 ? left : nil
    }

    /// Notes that a peer was let in.
    mutating func letIn(_ connection: SocketConnection) { known.insert(Handshakes.host(connection)) }

    /// Counts a step of a handshake; false where the turn has had its steps.
    mutating func mayGoOn() -> Bool {
        guard leftInTurn > 0 else { return false }
        leftInTurn -= 1
        return true
    }

    mutating func turnEnded() { leftInTurn = Handshakes.inOneTurn }

    // MARK: Slots

    /// The outcome for a peer that connects.
    enum Slot {
        case free
        /// This connection gives its slot to the peer.
        case of(SocketConnection)
        /// The peer itself is the one to go.
        case none
    }

    /// Finds a slot for a peer of a host.
    ///
    /// A peer that said nothing goes before one that was answered. That one has a second, unless all slots are taken
    /// and its host has more of them than that of the new peer.
    func slot(for host: RemoteHost, at now: UInt64) -> Slot {
        guard areMany else { return .free }
        let rank = rank(of: host)
        if let silent = first(rankedFrom: rank, where: { !$0.isAnswered && !$0.isInputWaiting }) { return .of(silent) }
        if let late = first(rankedFrom: rank, where: { $0.isLate(at: now) }) { return .of(late) }
        guard underWay.count >= Handshakes.most else { return .free }
        return first(rankedFrom: rank + 2) { _ in true }.map(Slot.of) ?? .none
    }

    /// Returns the connections that take too long while there are many, as many as leave half of these: those that were
    /// not answered before the others.
    func late(at now: UInt64) -> [SocketConnection] {
        guard areMany else { return [] }
        let late = underWay.filter { $0.isLate(at: now) }
        let ordered = late.filter { !$0.isAnswered } + late.filter(\.isAnswered)
        return Array(ordered.prefix(underWay.count - Handshakes.many / 2))
    }

    /// Returns the oldest fitting connection of the highest host in the order of giving up slots, from a rank on.
    private func first(rankedFrom least: Int, where fits: (SocketConnection) -> Bool) -> SocketConnection? {
        var (best, found) = (least - 1, SocketConnection?.none)
        for connection in underWay {
            let rank = rank(of: Handshakes.host(connection))
            if rank > best, fits(connection) { (best, found) = (rank, connection) }
        }
        return found
    }

    /// The rank of a host in the order of giving up slots: the highest number is the first.
    private func rank(of host: RemoteHost) -> Int {
        (counts[host] ?? 0) + (known.contains(host) ? 0 : Handshakes.most)
    }

    private static func host(_ connection: SocketConnection) -> RemoteHost { connection.remote?.host ?? .unknown }
}

extension SocketConnection {
    /// True once the peer said what a handshake begins with.
    fileprivate var isAnswered: Bool { security?.isAnswered == true }

    /// True where the handshake takes longer than it may while there are many.
    fileprivate func isLate(at now: UInt64) -> Bool {
        guard case .handshaking(let deadline) = phase else { return false }
        return now + Handshakes.longest >= deadline + Handshakes.longestOfMany
    }
}

/// The hosts whose peers were let in last.
private struct KnownHosts {
    private static let most = 1_024

    private var hosts: Set<RemoteHost> = []
    /// The hosts in the order of coming, and the index of the one that is forgotten next.
    private var order: [RemoteHost] = []
    private var oldest = 0

    func contains(_ host: RemoteHost) -> Bool { hosts.contains(host) }

    mutating func insert(_ host: RemoteHost) {
        guard hosts.insert(host).inserted else { return }
        guard order.count == KnownHosts.most else { return order.append(host) }
        hosts.remove(order[oldest])
        order[oldest] = host
        oldest = (oldest + 1) % KnownHosts.most
    }
}
