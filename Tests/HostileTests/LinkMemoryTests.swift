import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

extension HostileTests {
    /// Links that break off, again and again: the release build keeps nothing of them.
    @Suite struct LinkMemoryTests {
        private static let links = HostileTests.scale.of(40, long: 1_000)
        /// The bytes of a line without an end that each link brings before it breaks.
        private static let junk = [UInt8](repeating: 0x78, count: 2_000_000)
        /// The growth that is no leak: buffers of the allocator and of one link.
        private static let bound = 32 << 20

        @Test func `a replica keeps nothing of a source that brings an event, then nonsense, and breaks off`() throws {
            let source = try RunningDaemon()
            let writer = try source.client()
            let event = #"APPEND note-1 {"type":"Wrote","data":1}"#
            _ = try writer.ask(event)
            let proxy = try BreakingProxy(to: source.socket, at: source.folder.place("proxy"))
            let replica = try RunningDaemon(options: ["--follow", proxy.path])
            let reader = try replica.client()
            func nextLink() throws {
                // The event lets the replica connect again at once.
                let position = try #require(writer.ask(event).number("position"))
                try until("the event is there: \(replica.trace.suffix(300))") {
                    try reader.ask("PING min=\(position)").hasPrefix("+")
                }
                let count = proxy.connections
                proxy.breakOff(after: Self.junk)
                try until("the replica connects again") { proxy.connections > count }
            }
            for _ in 0..<5 { try nextLink() }
            let before = replica.anonymousMemory
            for _ in 0..<Self.links { try nextLink() }
            let grown = replica.anonymousMemory - before
            #expect(grown < Self.bound, "\(grown) bytes for \(Self.links) links")
            #expect(try replica.stop() == .code(0))
            #expect(try source.stop() == .code(0))
        }

        @Test func `a daemon keeps nothing of clients that leave within a long line`() throws {
            let daemon = try RunningDaemon()
            let half = Array("APPEND note-1 ".utf8) + [UInt8](repeating: 0x20, count: 900_000)
            func leave() throws {
                let client = try daemon.client()
                client.send(half)
                client.hangUp()
            }
            for _ in 0..<5 { try leave() }
            let before = daemon.anonymousMemory
            for _ in 0..<2 * Self.links { try leave() }
            let client = try daemon.client()
            try until("all are gone") { try client.ask("STATS").contains(#""connections":1"#) }
            #expect(daemon.anonymousMemory - before < Self.bound)
            #expect(try daemon.stop() == .code(0))
        }
    }
}

/// A socket that passes bytes on to that of a store, until it is told to break off.
private final class BreakingProxy: Sendable {
    let path: String
    private let target: String
    private let listener: Int32
    private let state = Mutex((count: 0, client: Int32(-1)))

    init(to target: String, at path: String) throws {
        (self.target, self.path) = (target, path)
        listener = try BreakingProxy.socket(
            at: path, { Glibc.bind($0, $1, $2) == 0 && listen($0, 5) == 0 })
        Thread { [self] in while takeNext() {} }.start()
    }

    deinit { close(listener) }

    /// The number of connections so far.
    var connections: Int { state.withLock { $0.count } }

    /// Sends bytes to the client of the present connection, and cuts it.
    func breakOff(after bytes: [UInt8]) {
        state.withLock { state in
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(state.client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { break }
                sent += count
            }
            shutdown(state.client, Int32(SHUT_RDWR))
        }
    }

    private func takeNext() -> Bool {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return false }
        let store = try? BreakingProxy.socket(at: target, { Glibc.connect($0, $1, $2) == 0 })
        guard let store else {
            close(client)
            return true
        }
        state.withLock { $0 = ($0.count + 1, client) }
        Thread { [self] in pass(store, client) }.start()
        Thread { [self] in pass(client, store) }.start()
        return true
    }

    /// Passes bytes on until one side ends, and then cuts both; the descriptors of few connections stay open.
    private func pass(_ from: Int32, _ to: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0, send(to, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        shutdown(from, Int32(SHUT_RDWR))
        shutdown(to, Int32(SHUT_RDWR))
    }

    private static func socket(
        at path: String, _ begin: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) throws -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let isDone = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                begin(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isDone else {
            close(descriptor)
            throw SystemRefused(call: "connect", code: errno)
        }
        return descriptor
    }
}
