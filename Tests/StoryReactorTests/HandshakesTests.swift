import StoryNetwork
import TestSupport
import Testing

@testable import StoryReactor

/// The slots of handshakes: which peer gives up its own for another one.
struct HandshakesTests {
    /// A peer of one of a few hosts.
    private struct Peer {
        let host: UInt32
        var isAnswered = false
    }

    /// Handshakes of these peers, which began at 0; the number of each is its index.
    private func filled(_ peers: [Peer]) -> Handshakes {
        var handshakes = Handshakes()
        for (number, peer) in peers.enumerated() {
            let id = ConnectionID(UInt64(number))
            handshakes.began(id, from: .ipv4(peer.host), at: 0)
            if peer.isAnswered { handshakes.answered(id) }
        }
        return handshakes
    }

    private func peers(_ count: Int, of host: UInt32 = 1, isAnswered: Bool = false) -> [Peer] {
        Array(repeating: Peer(host: host, isAnswered: isAnswered), count: count)
    }

    private func ended(_ handshakes: Handshakes, for host: UInt32, at now: UInt64, waiting: [UInt64] = []) -> String {
        switch handshakes.slot(for: .ipv4(host), at: now, isInputWaiting: { waiting.contains($0.value) }) {
        case .free: "nobody"
        case .none: "itself"
        case .of(let other): "\(other.value)"
        }
    }

    @Test func `while there are few nobody goes, and then the oldest that said nothing`() {
        let silent = peers(Handshakes.many)
        expect(ended(filled(silent.dropLast()), for: 1, at: 0) == "nobody")
        expect(ended(filled(silent), for: 1, at: 0) == "0")
        expect(ended(filled(silent), for: 1, at: 0, waiting: [0, 1]) == "2", "their bytes were not read")
        expect(ended(filled(peers(1, isAnswered: true) + silent), for: 1, at: 0) == "1")
    }

    @Test func `the host with most handshakes gives up a slot first, and a known one last`() {
        let crowd = peers(10, of: 2) + peers(250, of: 3)
        expect(ended(filled(crowd), for: 4, at: 0) == "10")
        expect(ended(filled(crowd), for: 2, at: 0) == "10")
        var known = filled(crowd)
        known.began(ConnectionID(1_000), from: .ipv4(3), at: 0)
        known.ended(ConnectionID(1_000), isLetIn: true)
        expect(ended(known, for: 4, at: 0) == "0")
    }

    @Test func `peers that were answered have a second, and wait together, up to the number of slots`() {
        let answered = peers(Handshakes.most, isAnswered: true)
        expect(ended(filled(answered.dropLast()), for: 1, at: 999) == "nobody")
        expect(ended(filled(answered), for: 1, at: 999) == "itself")
        expect(ended(filled(answered), for: 1, at: 1_000) == "0")
        expect(ended(filled(answered), for: 2, at: 999) == "0", "its host has none")
    }

    @Test func `those that take too long while there are many go together, down to half`() {
        let crowd = peers(100, isAnswered: true) + peers(Handshakes.many - 100)
        expect(filled(crowd).late(at: 999).isEmpty)
        expect(filled(crowd.dropLast()).late(at: 5_000).isEmpty)
        var handshakes = filled(crowd)
        let late = handshakes.late(at: 1_000)
        expect(late.count == Handshakes.many / 2 && late.allSatisfy { $0.value >= 100 })
        for id in late { handshakes.ended(id) }
        expect(handshakes.count == Handshakes.many / 2)
    }
}
