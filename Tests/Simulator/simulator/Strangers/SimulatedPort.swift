import StoryNetwork
import StoryReactor
import TestSupport

/// The port of other machines while peers come that never get in: the shipped slots of handshakes, over peers that are
/// no sockets.
final class SimulatedPort {
    /// The behaviour of a peer in the handshake.
    private enum Manner {
        case good, saysNothing, half, stopsMidway
    }

    private struct Peer {
        let id: ConnectionID
        let manner: Manner
        /// True while bytes of the peer wait to be read.
        var isInputWaiting: Bool
        var isAnswered = false
    }

    /// The time in milliseconds within which a peer that does its part is let in.
    private static let bound: UInt64 = 1_000
    /// The steps of handshakes that the daemon computes in a tenth of a second, each of which takes a few milliseconds.
    private static let stepsInTick = 30

    private let bug: PlantedBug?
    private var random: SplitMix64
    private var handshakes = Handshakes()
    private var peers: [Peer] = []
    private var count: UInt64 = 0
    private var now: UInt64 = 0
    /// The peers that say nothing, half of a greeting, or stop after it, of each tick.
    private let rates: [(manner: Manner, most: Int)]
    /// The hosts that these come from.
    private let hosts: UInt32
    /// The good peer that was let in last.
    private var letIn: ConnectionID?

    init(_ random: SplitMix64, _ bug: PlantedBug?) {
        var random = random
        self.bug = bug
        rates = [
            (.saysNothing, random.pick(0, 20, 100, 400)), (.half, random.pick(0, 10, 80)),
            (.stopsMidway, random.pick(0, 5, 20)),
        ]
        hosts = random.pick(1, 3, 500)
        self.random = random
    }

    /// Has peers come for some seconds, and clients, replicas and nodes of other hosts between them.
    ///
    /// - Throws: where one of those is not let in in time, or more is kept than there are slots.
    func besiege(_ story: Story) throws {
        for host in 1...3 {
            for _ in 0..<Int.random(in: 5...25, using: &random) { try tick() }
            // A host that was let in before is known.
            let ticks = try ticksUntilLetIn(host: UInt32(random.pick(1, host)))
            story.add("a peer is let in after \(ticks) ticks, beside \(handshakes.count) handshakes")
        }
    }

    private func ticksUntilLetIn(host: UInt32) throws -> UInt64 {
        guard let good = arrive(.good, from: .ipv4(host)) else {
            throw Difference("a peer is refused beside \(handshakes.count) handshakes that do not go on")
        }
        let since = now
        repeat {
            try tick()
            if letIn == good { return (now - since) / 100 }
        } while now - since < SimulatedPort.bound
        throw Difference("a peer is not let in within a second, beside \(handshakes.count) handshakes")
    }

    /// A tenth of a second goes by.
    private func tick() throws {
        now += 100
        for (manner, most) in rates where most > 0 {
            for _ in 0..<Int.random(in: most / 2...most, using: &random) {
                _ = arrive(manner, from: .ipv6(UInt64.random(in: 0..<UInt64(hosts), using: &random)))
            }
        }
        var left = SimulatedPort.stepsInTick
        while left > 0, peers.contains(where: \.isInputWaiting) { turn(&left) }
        if bug != .silentPeersKeepSlots { for id in handshakes.late(at: now) { giveUp(id) } }
        guard handshakes.count <= Handshakes.most, peers.count == handshakes.count else {
            throw Difference("\(peers.count) peers are kept, with \(handshakes.count) handshakes")
        }
    }

    /// Connects a peer; nil where it is refused.
    private func arrive(_ manner: Manner, from host: RemoteHost) -> ConnectionID? {
        var slot = handshakes.slot(for: host, at: now) { id in
            peers.contains { $0.id == id && $0.isInputWaiting }
        }
        if bug == .silentPeersKeepSlots, slot != .free { slot = .none }
        switch slot {
        case .free: break
        case .of(let other): giveUp(other)
        case .none: return nil
        }
        count += 1
        let id = ConnectionID(count)
        handshakes.began(id, from: host, at: now)
        peers.append(Peer(id: id, manner: manner, isInputWaiting: manner != .saysNothing))
        return id
    }

    private func giveUp(_ id: ConnectionID) {
        handshakes.ended(id)
        peers.removeAll { $0.id == id }
    }

    /// A turn of the loop, which reads the peers that wait.
    private func turn(_ left: inout Int) {
        for peer in peers where peer.isInputWaiting && handshakes.mayGoOn() { step(peer.id, &left) }
        handshakes.turnEnded()
    }

    private func step(_ id: ConnectionID, _ left: inout Int) {
        guard let index = peers.firstIndex(where: { $0.id == id }) else { return }
        peers[index].isInputWaiting = false
        // Half of a greeting costs nothing, and has no answer.
        if peers[index].manner == .half { return }
        left -= 1
        if peers[index].isAnswered {
            handshakes.ended(id, isLetIn: true)
            peers.remove(at: index)
            letIn = id
        } else {
            handshakes.answered(id)
            peers[index].isAnswered = true
            peers[index].isInputWaiting = peers[index].manner == .good
        }
    }
}
