import COpenSSL
import TestSupport
import Testing

@testable import StoryNetwork

struct TLSSessionTests {
    private let authority: TestAuthority
    private let store: TestAuthority.Signed
    private let laptop: TestAuthority.Signed

    init() throws {
        authority = try TestAuthority.shared()
        store = try authority.sign("store")
        laptop = try authority.sign("laptop")
    }

    @Test(arguments: ["localhost", "127.0.0.1", "::1"])
    func `both sides talk, and know each other's names`(_ host: String) throws {
        let ends = try Ends(laptop, store, authority: authority, host: host)
        ends.carry()
        expect(ends.client.state == .open && ends.server.state == .open)
        expect(ends.server.peerName == "laptop" && ends.client.peerName == "store")
        let data = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try ends.sendFromClient(data)
        try ends.sendFromServer(data.reversed())
        ends.carry()
        expect(ends.atServer == data && ends.atClient == data.reversed())
    }

    @Test func `the client's first data may come with the end of its handshake`() throws {
        let ends = try Ends(laptop, store, authority: authority)
        ends.give(server: ends.toServer)
        ends.toServer = []
        ends.give(client: ends.toClient)
        ends.toClient = []
        expect(ends.client.state == .open && ends.server.state == .handshaking)
        try ends.sendFromClient(Array("PING\n".utf8))
        ends.give(server: ends.toServer)
        expect(ends.server.state == .open && ends.atServer == Array("PING\n".utf8))
    }

    @Test func `the first certificate that expires ends a session, and another authority does not accept it`() throws {
        let short = try authority.sign("short", days: 3)
        let ends = try Ends(short, store, authority: authority)
        ends.carry()
        let expiry = try require(ends.server.expiry)
        expect((2 * 86_400...3 * 86_400).contains(expiry - WallClock.seconds))
        expect(try require(ends.client.expiry) > expiry, "that of the store is longer")
        try ends.server.checkExpiry(at: expiry - 1)
        #expect(throws: TLSError.expired) { try ends.server.checkExpiry(at: expiry) }
        try ends.server.verifyPeer(by: TLSContext(.server, store, authority))
        try ends.client.verifyPeer(by: TLSContext(.client, short, authority))
        let other = try TestAuthority("Another")
        #expect(throws: TLSError.self) { try ends.server.verifyPeer(by: TLSContext(.server, store, other)) }
        #expect(throws: TLSError.self) { try ends.client.verifyPeer(by: TLSContext(.client, short, other)) }
        expect(ends.server.expiry == expiry)
    }

    @Test(arguments: [1, 2, 3, 5, 7, 64, 1_000])
    func `bytes may be cut anywhere`(_ parts: Int) throws {
        let ends = try Ends(laptop, store, authority: authority)
        ends.carry(parts: parts)
        expect(ends.client.state == .open && ends.server.state == .open)
        let data = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }
        try ends.sendFromClient(data)
        try ends.sendFromServer(data)
        ends.carry(parts: parts)
        expect(ends.atServer == data && ends.atClient == data)
    }

    @Test func `a stream that ends at any place of the handshake neither opens nor fails`() throws {
        let whole = try Ends(laptop, store, authority: authority)
        let first = whole.toServer.count
        for place in stride(from: 0, to: first, by: 5) {
            let ends = try Ends(laptop, store, authority: authority)
            ends.give(server: Array(ends.toServer.prefix(place)))
            expect(ends.server.state == .handshaking && ends.serverError == nil, "after \(place) bytes")
        }
    }

    @Test func `an end is announced, and the other direction stays open`() throws {
        let ends = try Ends(laptop, store, authority: authority)
        ends.carry()
        try ends.sendFromClient([1, 2, 3])
        ends.client.close { ends.toServer += Array($0) }
        ends.carry()
        expect(ends.server.state == .ended && ends.atServer == [1, 2, 3])
        try ends.sendFromServer([4, 5])
        ends.carry()
        expect(ends.atClient == [4, 5] && ends.clientError == nil)
    }

    // MARK: Refusals

    @Test func `a client without a certificate is refused, and told why`() throws {
        let ends = try Ends(nil, store, authority: authority)
        ends.carry()
        expect(ends.serverError == .noCertificate && ends.server.state == .failed)
        expect(ends.clientError == .certificateWanted)
    }

    @Test func `a certificate of another authority is refused on either side`() throws {
        let other = try TestAuthority("Other authority")
        let ends = try Ends(try other.sign("laptop"), store, authority: authority)
        ends.carry()
        guard case .notAccepted(let reason)? = ends.serverError else {
            Issue.record("\(String(describing: ends.serverError))")
            return
        }
        expect(reason.contains("issuer certificate"))
        expect(ends.clientError == .refused(alert: "tlsv1 alert unknown ca"))
        let back = try Ends(laptop, store, authority: authority, clientAuthority: other)
        back.carry()
        guard case .notAccepted? = back.clientError else {
            Issue.record("\(String(describing: back.clientError))")
            return
        }
        expect(back.server.state == .failed && back.atServer == [])
    }

    @Test func `a certificate that has expired is refused, and told as expired on either side`() throws {
        let ends = try Ends(try authority.sign("laptop", days: -1), store, authority: authority)
        ends.carry()
        expect(ends.serverError == .expired)
        guard case .localExpired(let end?)? = ends.clientError else {
            Issue.record("\(String(describing: ends.clientError))")
            return
        }
        expect(abs(end - (WallClock.seconds - 86_400)) < 3_600)
        let sentence = "\(TLSError.localExpired(end: 1_795_824_000))"
        expect(
            sentence
                == "the certificate shown to the peer has expired, as the peer says: it was valid until "
                + "2026-11-28T00:00:00.000Z; show a new one")
        let back = try Ends(laptop, try authority.sign("store", days: -1), authority: authority)
        back.carry()
        expect(back.clientError == .expired)
    }

    @Test func `a store's certificate that is for another host is refused`() throws {
        let ends = try Ends(laptop, store, authority: authority, host: "example.org")
        ends.carry()
        expect(ends.clientError == .notAccepted(reason: "hostname mismatch"))
        let address = try Ends(laptop, store, authority: authority, host: "127.0.0.2")
        address.carry()
        expect(address.clientError == .notAccepted(reason: "IP address mismatch"))
    }

    @Test func `a common name is no host's name`() throws {
        let other = try authority.sign("localhost", for: "email:store@example.org")
        let ends = try Ends(laptop, other, authority: authority)
        ends.carry()
        expect(ends.clientError == .notAccepted(reason: "hostname mismatch"))
    }

    @Test func `TLS 1_2 is refused, and told so`() throws {
        let server = try TLSContext(.server, store, authority).session()
        // A ClientHello of version 1.2 with two ciphers and no extension.
        let hello: [UInt8] =
            [22, 3, 1, 0, 47, 1, 0, 0, 43, 3, 3] + [UInt8](repeating: 7, count: 32) + [
                0, 0, 4, 0xC0, 0x2F, 0, 0x9C, 1, 0,
            ]
        var answer: [UInt8] = []
        #expect(throws: TLSError.oldVersion) {
            try hello.withUnsafeBytes { try server.received($0, send: { answer += Array($0) }, deliver: { _ in }) }
        }
        expect(answer == [21, 3, 3, 0, 2, 2, 70], "a fatal alert, protocol_version")
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "PING\nPING\nPING\nPING\n", "SSH-2.0-OpenSSH_9.2\r\n"])
    func `what is no TLS is refused`(_ text: String) throws {
        let server = try TLSContext(.server, store, authority).session()
        #expect(throws: TLSError.notTLS) {
            try Array(text.utf8).withUnsafeBytes { try server.received($0, send: { _ in }, deliver: { _ in }) }
        }
        expect(server.state == .failed)
    }

    @Test func `a byte that was changed on the way ends the session`() throws {
        let ends = try Ends(laptop, store, authority: authority)
        ends.carry()
        try ends.sendFromClient(Array("APPEND".utf8))
        ends.toServer[ends.toServer.count - 1] ^= 1
        ends.carry()
        expect(ends.server.state == .failed && ends.atServer == [])
        expect(ends.serverError == .failed(reason: "decryption failed or bad record mac"))
        expect(ends.clientError == .refused(alert: "sslv3 alert bad record mac"))
    }

    @Test func `any bytes, and a handshake with any byte changed, let in nobody else`() throws {
        var random = SplitMix64(seed: 7)
        let server = try TLSContext(.server, store, authority)
        for _ in 0..<300 {
            let session = try server.session()
            let bytes = (0..<Int.random(in: 1...600, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // A record of the handshake as often as not.
            let start: [UInt8] = Bool.random(using: &random) ? [22, 3, 1, 1, 0, 1] : []
            _ = try? (start + bytes).withUnsafeBytes { try session.received($0, send: { _ in }, deliver: { _ in }) }
            expect(session.state == .handshaking || session.state == .failed)
        }
        for _ in 0..<200 {
            let ends = try Ends(laptop, store, authority: authority)
            if Bool.random(using: &random) {
                ends.give(server: ends.toServer)
                ends.give(client: ends.toClient)
                (ends.toServer, ends.toClient) = (Array(ends.toServer.dropFirst(ends.hello)), [])
            }
            let place = Int.random(in: 0..<ends.toServer.count, using: &random)
            ends.toServer[place] ^= UInt8.random(in: 1...255, using: &random)
            ends.carry(parts: Int.random(in: 1...500, using: &random))
            expect(ends.server.state != .open || ends.server.peerName == "laptop")
        }
    }

    @Test func `keys may be changed, but a flood of changes ends the session`() throws {
        let ends = try Ends(laptop, store, authority: authority)
        ends.carry()
        for count in [1, 32, 33] {
            for _ in 0..<count {
                expect(SSL_key_update(ends.client.session, SSL_KEY_UPDATE_NOT_REQUESTED) == 1)
                SSL_do_handshake(ends.client.session)
            }
            try ends.sendFromClient([UInt8(count)])
            ends.carry()
        }
        expect(ends.atServer == [1, 32] && ends.serverError == .tooManyMessages)
    }

    // MARK: Names

    @Test(arguments: [
        ("/CN=one/CN=two", nil), ("/O=nobody", nil), ("/CN=ë", "Ã«"), ("/O=Org/CN=a b", "a b"),
    ])
    // `openssl` takes each byte of a subject for a character of Latin-1.
    func `a certificate's name is its only common name`(_ subject: String, _ name: String?) throws {
        let ends = try Ends(try authority.sign("", subject: subject), store, authority: authority)
        ends.carry()
        expect(ends.server.state == .open && ends.server.peerName == name)
    }
}
