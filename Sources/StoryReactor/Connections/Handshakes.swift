package import StoryNetwork

/// The handshakes of TLS that are under way, and their limits: each costs a millisecond, and a peer may never end it.
///
/// While there are many, each peer that connects takes the slot of one that says nothing, so nobody waits for such
/// peers. A host with many handshakes gives up a slot before one with few, and hosts whose peers were let in before
/// come last: they are those of nodes, replicas and known clients.
package struct Handshakes {
    /// The number of handshakes that are many.
    package static let many = 256
    /// The most handshakes at once: that many peers that do begin may come together.
    package static let most = 512
    /// The most handshakes that go on in one turn; the bytes of the others wait in their sockets.
    package static let inOneTurn = 4
    /// The time in milliseconds that a handshake may take.
    package static let longest: UInt64 = 10_000
    /// The time in milliseconds that it may take while there are many.
    package static let longestOfMany: UInt64 = 1_000

    /// A connection in the handshake.
    private struct UnderWay {
        let id: ConnectionID
        let host: RemoteHost
        /// When it began, in milliseconds.
        let since: UInt64
        /// True once the peer said what a handshake begins with.
        var isAnswered = false
    }

    /// The connections in the handshake, the oldest first.
    private var underWay: [UnderWay] = []
    private var counts: [RemoteHost: Int] = [:]
    private var known = KnownHosts()
    private var leftInTurn = inOneTurn

    /// Makes the handshakes of a port that nobody has connected to.
    package init() {}

    /// The number of handshakes that are under way.
    package var count: Int { underWay.count }

    private var areMany: Bool { underWay.count >= Handshakes.many }

    /// Adds a connection.
    package mutating func began(_ id: ConnectionID, from host: RemoteHost, at now: UInt64) {
        underWay.append(UnderWay(id: id, host: host, since: now))
        counts[host, default: 0] += 1
    }

    /// Notes that bytes were sent to a peer.
    package mutating func answered(_ id: ConnectionID) {
        if let index = index(of: id) { underWay[index].isAnswered = true }
    }

    /// Removes a connection, whose handshake has ended; `isLetIn`: well.
    package mutating func ended(_ id: ConnectionID, isLetIn: Bool = false) {
        guard let index = index(of: id) else { return }
        let host = underWay.remove(at: index).host
        let left = (counts[host] ?? 1) - 1
        counts[host] = left > 0 ? left : nil
        if isLetIn { known.insert(host) }
    }

    private func index(of id: ConnectionID) -> Int? { underWay.firstIndex { $0.id == id } }

    /// Counts a step of a handshake; false where the turn has had its steps.
    package mutating func mayGoOn() -> Bool {
        guard leftInTurn > 0 else { return false }
        leftInTurn -= 1
        return true
    }

    /// Notes that a turn has ended.
    package mutating func turnEnded() { leftInTurn = Handshakes.inOneTurn }

    // MARK: Slots

    /// The outcome for a peer that connects.
    package enum Slot: Equatable {
        case free
        /// This connection gives its slot to the peer.
        case of(ConnectionID)
        /// The peer itself is the one to go.
        case none
    }

    /// Finds a slot for a peer of a host.
    ///
    /// A peer that said nothing goes before one that was answered. That one has a second, unless all slots are taken
    /// and its host has more of them than that of the new peer.
    ///
    /// - Parameter isInputWaiting: whether a connection has bytes that were not read.
    package func slot(
        for host: RemoteHost, at now: UInt64, isInputWaiting: (ConnectionID) -> Bool
    ) -> Slot {
        guard areMany else { return .free }
        let rank = rank(of: host)
        if let silent = first(rankedFrom: rank, where: { !$0.isAnswered && !isInputWaiting($0.id) }) {
            return .of(silent)
        }
        if let late = first(rankedFrom: rank, where: { Handshakes.isLate($0, at: now) }) { return .of(late) }
        guard underWay.count >= Handshakes.most else { return .free }
        return first(rankedFrom: rank + 2) { _ in true }.map(Slot.of) ?? .none
    }

    /// Returns the connections that take too long while there are many, as many as leave half of these: those that were
    /// not answered before the others.
    package func late(at now: UInt64) -> [ConnectionID] {
        guard areMany else { return [] }
        let late = underWay.filter { Handshakes.isLate($0, at: now) }
        let ordered = late.filter { !$0.isAnswered } + late.filter(\.isAnswered)
        return ordered.prefix(underWay.count - Handshakes.many / 2).map(\.id)
    }

    /// True where the handshake takes longer than it may while there are many.
    private static func isLate(_ one: UnderWay, at now: UInt64) -> Bool { now >= one.since + longestOfMany }

    /// Returns the oldest fitting connection of the highest host in the order of giving up slots, from a rank on.
    private func first(rankedFrom least: Int, where fits: (UnderWay) -> Bool) -> ConnectionID? {
        var (best, found) = (least - 1, ConnectionID?.none)
        for one in underWay {
            let rank = rank(of: one.host)
            if rank > best, fits(one) { (best, found) = (rank, one.id) }
        }
        return found
    }

    /// The rank of a host in the order of giving up slots: the highest number is the first.
    private func rank(of host: RemoteHost) -> Int {
        (counts[host] ?? 0) + (known.contains(host) ? 0 : Handshakes.most)
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
