import Glibc
import StoryCore
import StoryNetwork
import StoryReactor
import Synchronization
import TestSupport
import Testing

/// Clients of other machines at the reactor: handshakes, data in both directions, and ends.
@Suite struct SecureTests {
    private let authority: TestAuthority
    private let laptop: TestAuthority.Signed

    init() throws {
        authority = try TestAuthority.shared()
        laptop = try authority.sign("laptop")
    }

    /// A reactor that listens at a port as well.
    private func reactor(_ behaviour: Behaviour = .echo) throws -> (RunningReactor, UInt16) {
        let store = try authority.sign("store")
        let files = TLSFiles(certificate: store.certificate, key: store.key, authority: authority.file)
        let reactor = try RunningReactor(behaviour)
        let port: Mutex<Result<UInt16, any Error>?> = Mutex(nil)
        reactor.perform { reactor in
            let result = Result {
                try reactor.listen(at: HostAndPort(host: "127.0.0.1", port: 0), TLSContext(.server, files)).port
            }
            port.withLock { $0 = result }
        }
        try until("it listens") { port.withLock { $0 != nil } }
        return (reactor, try require(port.withLock { try $0?.get() }))
    }

    private func peer(_ port: UInt16, receiveBuffer: Int32? = nil) throws -> SecurePeer {
        let files = TLSFiles(certificate: laptop.certificate, key: laptop.key, authority: authority.file)
        return try SecurePeer(port, files, receiveBuffer: receiveBuffer)
    }

    @Test func `what is sent comes back, and the handler knows of the client after its handshake`() throws {
        let (reactor, port) = try reactor()
        let peer = try peer(port)
        try peer.send(Array("hello".utf8))
        expect(try peer.receive(5) == Array("hello".utf8))
        let opened = try require(reactor.told.first)
        expect(opened.contains(#"opened 1 by PeerCredentials(uid: 4294967295"#), "\(opened)")
        expect(opened.contains(#"name: Optional("laptop"), from: "127.0.0.1:"#), "\(opened)")
        peer.endSending()
        try until("it is closed") { reactor.told.count == 3 }
        expect(reactor.told.suffix(2) == ["ended 1", "closed 1"])
        expect(try peer.receive(1) == [] && peer.isEnded, "its end was announced")
        try reactor.stop()
    }

    @Test func `a connection that is cut without an announced end is closed, and its end is not taken for one`() throws
    {
        let (reactor, port) = try reactor()
        let peer = try peer(port)
        try peer.send([1])
        expect(try peer.receive(1) == [1])
        peer.hangUp()
        try until("it is closed") { reactor.told.count == 2 }
        expect(reactor.told.last == "closed 1")
        try reactor.stop()
    }

    @Test func `a slow reader gets every byte in order`() throws {
        // More than the kernel takes: 4 MB of what is sent, and little of what is not read.
        let whole = (0..<9_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let (reactor, port) = try reactor(
            Behaviour(received: { reactor, id, _ in
                for start in stride(from: 0, to: whole.count, by: 30_000) {
                    reactor.send(id, Array(whole[start..<start + 30_000]))
                }
                // Most of it waits here, encrypted, and is counted.
                expect(reactor.unsentCount(id) > 0)
            }))
        let peer = try peer(port, receiveBuffer: 65_536)
        try peer.send([1])
        var got: [UInt8] = []
        while got.count < whole.count { got += try peer.receive(min(100_000, whole.count - got.count)) }
        expect(got == whole)
        try until("it is drained") { reactor.told.contains("drained 1") }
        try reactor.stop()
    }

    @Test func `a paused connection is not read, and loses nothing`() throws {
        let got: Mutex<Int> = Mutex(0)
        let (reactor, port) = try reactor(
            Behaviour(
                opened: { reactor, id in reactor.pauseReading(id) },
                received: { _, _, bytes in got.withLock { $0 += bytes.count } }))
        let peer = try peer(port)
        try until("it is let in") { reactor.told.count == 1 }
        try peer.send([UInt8](repeating: 7, count: 100_000))
        let local = try Peer(reactor.path)
        try until("another one is let in") { reactor.told.count == 2 }
        expect(got.withLock { $0 } == 0)
        reactor.perform { reactor in reactor.resumeReading(ConnectionID(1 << 20)) }
        try until("all came") { got.withLock { $0 == 100_000 } }
        try withExtendedLifetime((peer, local)) { try reactor.stop() }
    }

    @Test func `a hundred handshakes at once all end, and those that fail are not reported`() throws {
        let (reactor, port) = try reactor()
        let silent = try (0..<20).map { _ in try PlainConnection(port) }
        let garbage = try (0..<20).map { _ in
            let connection = try PlainConnection(port)
            connection.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            return connection
        }
        let peers = try (0..<100).map { _ in try peer(port) }
        for peer in peers { try peer.send([9]) }
        for peer in peers { expect(try peer.receive(1) == [9]) }
        for connection in garbage { connection.awaitEnd() }
        expect(reactor.told.count == 100, "\(reactor.told.last ?? "")")
        try withExtendedLifetime(silent) { try reactor.stop() }
    }

    @Test func `a port that is taken, and a host that is none, are named`() throws {
        let (reactor, port) = try reactor()
        let store = try authority.sign("store")
        let context = try TLSContext(
            .server, TLSFiles(certificate: store.certificate, key: store.key, authority: authority.file))
        let other = try Reactor()
        #expect(throws: ReactorError.refusedPort("127.0.0.1:\(port)", reason: "Address already in use")) {
            try other.listen(at: HostAndPort(host: "127.0.0.1", port: port), context)
        }
        #expect(throws: ReactorError.self) {
            try other.listen(at: HostAndPort(host: "no.such.host.invalid", port: 1), context)
        }
        try reactor.stop()
    }
}

/// A client's end with TLS, blocking.
private final class SecurePeer {
    private let connection: PlainConnection
    private let session: TLSSession
    private var arrived: [UInt8] = []

    init(_ port: UInt16, _ files: TLSFiles, receiveBuffer: Int32?) throws {
        connection = try PlainConnection(port, receiveBuffer: receiveBuffer)
        session = try TLSContext(.client, files).session(host: "127.0.0.1")
        try session.handshake { [connection] in connection.send(Array($0)) }
        while session.state == .handshaking { try take() }
    }

    var isEnded: Bool { session.state == .ended }

    func send(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in
            try session.send(bytes) { [connection] in connection.send(Array($0)) }
        }
    }

    /// Reads until so many bytes came, or the other side ended.
    func receive(_ count: Int) throws -> [UInt8] {
        while arrived.count < count, session.state == .open { try take() }
        defer { arrived.removeFirst(min(count, arrived.count)) }
        return Array(arrived.prefix(count))
    }

    func endSending() { session.close { [connection] in connection.send(Array($0)) } }

    func hangUp() { connection.endSending() }

    private func take() throws {
        let bytes = connection.receive()
        guard !bytes.isEmpty else { throw TookTooLong(what: "TLS, as the connection ended") }
        var data: [UInt8] = []
        try bytes.withUnsafeBytes { bytes in
            try session.received(
                bytes, send: { [connection] in connection.send(Array($0)) }, deliver: { data += Array($0) })
        }
        arrived += data
    }
}
