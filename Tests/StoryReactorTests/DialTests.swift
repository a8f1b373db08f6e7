import Glibc
@testable import StoryReactor
import Synchronization
import TestSupport
import Testing

/// TCP connections that a reactor makes.
@Suite struct DialTests {
    /// A listening socket of TCP on 127.0.0.1.
    private final class Listener: Sendable {
        private let descriptor: Int32
        let port: UInt16

        /// - Parameter backlog: the number of connections that wait to be accepted.
        init(backlog: Int32 = 16) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            let isListening = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, size) == 0 && listen(descriptor, backlog) == 0
                        && getsockname(descriptor, $0, &size) == 0
                }
            }
            guard isListening else { throw SystemRefused(call: "listen", code: errno) }
            port = UInt16(bigEndian: address.sin_port)
        }

        deinit { close(descriptor) }

        /// Accepts a connection, and sends back the first bytes that come.
        func echoOnce() throws {
            let accepted = accept(descriptor, nil, nil)
            guard accepted >= 0 else { throw SystemRefused(call: "accept", code: errno) }
            defer { close(accepted) }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = recv(accepted, &bytes, bytes.count, 0)
            guard send(accepted, bytes, count, Int32(MSG_NOSIGNAL)) == count else {
                throw SystemRefused(call: "send", code: errno)
            }
        }
    }

    private func dial(_ reactor: RunningReactor, _ host: String, _ port: UInt16) {
        reactor.perform { reactor in
            do throws(ReactorError) {
                _ = try reactor.connect(host: host, port: port)
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `one to an address or a name is made, and served like that of a client until its end`(host: String) throws {
        let listener = try Listener()
        let heard = Mutex<[UInt8]>([])
        let reactor = try RunningReactor(
            Behaviour(
                made: { reactor, id in reactor.send(id, Array("hello".utf8)) },
                received: { _, _, bytes in heard.withLock { $0 += bytes } }))
        dial(reactor, host, listener.port)
        try listener.echoOnce()
        try until("its echo is received") { heard.withLock { $0 } == Array("hello".utf8) }
        try until("its end is noticed") { reactor.told.count == 3 }
        expect(reactor.told == ["made 1", "ended 1", "closed 1"])
        try reactor.stop()
    }

    @Test func `it sends small messages at once, and notices a peer that is gone`() throws {
        let listener = try Listener()
        let found = Mutex<[Int32]>([])
        let reactor = try RunningReactor(
            Behaviour(made: { reactor, id in
                guard let descriptor = reactor.connections[id]?.descriptor else { return }
                let tcp = Int32(IPPROTO_TCP)
                let options = [
                    (tcp, TCP_NODELAY), (SOL_SOCKET, SO_KEEPALIVE), (tcp, TCP_KEEPIDLE), (tcp, TCP_KEEPINTVL),
                    (tcp, TCP_KEEPCNT), (tcp, TCP_USER_TIMEOUT),
                ]
                let values = options.map { level, option in
                    var (value, size) = (Int32(-1), socklen_t(MemoryLayout<Int32>.size))
                    getsockopt(descriptor, level, option, &value, &size)
                    return value
                }
                found.withLock { $0 = values }
            }))
        dial(reactor, "127.0.0.1", listener.port)
        try until("it is made") { !found.withLock { $0.isEmpty } }
        expect(found.withLock { $0 } == [1, 1, 10, 5, 2, 20_000])
        try reactor.stop()
    }

    @Test func `one that is refused is reported as closed, with the reason`() throws {
        let reactor = try RunningReactor()
        dial(reactor, "127.0.0.1", try LoopbackPort.free())
        try until("its end is reported") { !reactor.told.isEmpty }
        expect(reactor.told == ["closed 0: Connection refused"])
        try reactor.stop()
    }

    @Test func `a name without an address is reported as closed, and the loop serves meanwhile`() throws {
        let reactor = try RunningReactor()
        dial(reactor, "no-such-host.invalid", 1)
        let peer = try Peer(reactor.path)
        peer.send("hello".utf8)
        expect(try peer.receive(5) == Array("hello".utf8))
        try until("its end is reported") { reactor.told.contains { $0.hasPrefix("closed 0") } }
        expect(reactor.told.contains { $0.hasPrefix("closed 0: the name no-such-host.invalid") }, "\(reactor.told)")
        peer.hangUp()
        try reactor.stop()
    }

    @Test func `one that nobody answers ends after a time`() throws {
        // Once the backlog is full, the system answers no further attempt.
        let (listener, reactor) = (try Listener(backlog: 0), try RunningReactor())
        let count = 6
        for _ in 0..<count { dial(reactor, "127.0.0.1", listener.port) }
        try until("each is made or has ended") { reactor.told.count == count }
        let ended = reactor.told.filter { $0 == "closed 0: Connection timed out" }
        expect(!ended.isEmpty && ended.count < count, "\(reactor.told)")
        expect(reactor.told.allSatisfy { $0.hasPrefix("made ") || ended.contains($0) }, "\(reactor.told)")
        try reactor.stop()
    }

    @Test func `one that is closed before it is made is reported once, and not within the call`() throws {
        let (listener, reactor) = (try Listener(), try RunningReactor())
        let port = listener.port
        reactor.perform { reactor in
            do throws(ReactorError) {
                let id = try reactor.connect(host: "127.0.0.1", port: port)
                // These are no errors of a connection that is not made.
                expect(reactor.send(id, Array("lost".utf8)) && reactor.unsentCount(id) == 0)
                reactor.close(id)
                reactor.close(id)
            } catch {
                Issue.record("\(error)")
            }
        }
        try until("its end is reported") { !reactor.told.isEmpty }
        dial(reactor, "127.0.0.1", port)
        try until("the next one is made") { reactor.told.count == 2 }
        expect(reactor.told == ["closed 0: it was given up", "made 1"])
        try reactor.stop()
    }

    @Test func `a reactor that stops ends those that are not made, also while their names are looked up`() throws {
        let (listener, reactor) = (try Listener(), try RunningReactor())
        let port = listener.port
        reactor.perform { reactor in
            for host in ["127.0.0.1", "no-such-host.invalid"] {
                do throws(ReactorError) {
                    _ = try reactor.connect(host: host, port: port)
                } catch {
                    Issue.record("\(error)")
                }
            }
            reactor.stop()
        }
        try reactor.stop()
        expect(reactor.told == ["closed 0: it was given up", "closed 0: it was given up"])
    }

    @Test func `no more than 16 names are looked up at a time`() throws {
        let reactor = try RunningReactor()
        let port = try LoopbackPort.free()
        reactor.perform { reactor in
            do throws(ReactorError) {
                // No result is taken before this turn is over.
                for _ in 0..<40 { _ = try reactor.connect(host: "no-such-host.invalid", port: port) }
            } catch {
                Issue.record("\(error)")
            }
        }
        try until("all have ended") { reactor.told.count == 40 }
        expect(reactor.told.count { $0 == "closed 0: too many names are looked up" } == 40 - 16)
        try reactor.stop()
    }
}
