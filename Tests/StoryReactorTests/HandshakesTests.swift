import CUV
import StoryCore
import StoryNetwork
import TestSupport
import Testing

@testable import StoryReactor

/// The slots of handshakes: which peer gives up its own for another one.
struct HandshakesTests {
    private let authority: TestAuthority
    private let context: TLSContext

    init() throws {
        authority = try TestAuthority.shared()
        let store = try authority.sign("store")
        context = try TLSContext(
            .server, TLSFiles(certificate: store.certificate, key: store.key, authority: authority.file))
    }

    /// A peer at 127.0.0.N.
    private func peer(_ host: UInt8, since: UInt64 = 0, isAnswered: Bool = false) throws -> SocketConnection {
        let address = try ResolvedAddress.resolve(HostAndPort(host: "127.0.0.\(host)", port: 1)).first
        let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        let connection = SocketConnection(id: ConnectionID(0), descriptor: -1, handle: handle)
        connection.remote = SocketConnection.Remote(address)
        connection.phase = .handshaking(deadline: since + Handshakes.longest)
        guard isAnswered else { return connection }
        connection.security = SocketConnection.Security(session: try context.session(), from: "", acceptedBy: context)
        connection.security?.isAnswered = true
        return connection
    }

    private func filled(_ peers: [SocketConnection]) -> Handshakes {
        var handshakes = Handshakes()
        for peer in peers { handshakes.began(peer) }
        return handshakes
    }

    private func ended(_ handshakes: Handshakes, for peer: SocketConnection, at now: UInt64) -> String {
        switch handshakes.slot(for: peer.remote?.host ?? .unknown, at: now) {
        case .free: "nobody"
        case .none: "itself"
        case .of(let other): handshakes.underWay.firstIndex { $0 === other }.map { "\($0)" } ?? "?"
        }
    }

    @Test func `while there are few nobody goes, and then the oldest that said nothing`() throws {
        let silent = try (0..<Handshakes.many).map { _ in try peer(1) }
        #expect(ended(filled(Array(silent.dropLast())), for: try peer(1), at: 0) == "nobody")
        #expect(ended(filled(silent), for: try peer(1), at: 0) == "0")
        let one = try peer(1, isAnswered: true)
        #expect(ended(filled([one] + silent), for: try peer(1), at: 0) == "1")
    }

    @Test func `the host with most handshakes gives up a slot first, and a known one last`() throws {
        let (few, many) = (try (0..<10).map { _ in try peer(2) }, try (0..<250).map { _ in try peer(3) })
        #expect(ended(filled(few + many), for: try peer(4), at: 0) == "10")
        #expect(ended(filled(few + many), for: try peer(2), at: 0) == "10")
        var known = filled(few + many)
        known.letIn(many[0])
        #expect(ended(known, for: try peer(4), at: 0) == "0")
    }

    @Test func `peers that were answered have a second, and wait together, up to the number of slots`() throws {
        let answered = try (0..<Handshakes.most).map { _ in try peer(1, isAnswered: true) }
        #expect(ended(filled(Array(answered.dropLast())), for: try peer(1), at: 999) == "nobody")
        #expect(ended(filled(answered), for: try peer(1), at: 999) == "itself")
        #expect(ended(filled(answered), for: try peer(1), at: 1_000) == "0")
        #expect(ended(filled(answered), for: try peer(2), at: 999) == "0", "its host has none")
    }

    @Test func `those that take too long while there are many go together, down to half`() throws {
        let peers = try (0..<Handshakes.many).map { try peer(1, isAnswered: $0 < 100) }
        #expect(filled(peers).late(at: 999).isEmpty)
        #expect(filled(Array(peers.dropLast())).late(at: 5_000).isEmpty)
        let late = filled(peers).late(at: 1_000)
        #expect(late.count == Handshakes.many / 2 && late.allSatisfy { $0.security == nil })
        var handshakes = filled(peers)
        for connection in late { handshakes.ended(connection) }
        #expect(handshakes.underWay.count == Handshakes.many / 2)
    }
}
