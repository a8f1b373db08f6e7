import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

extension HostileTests {
    /// Links that break off, again and again: the release build keeps nothing of them.
    ///
    /// `LINKS` says how many there are of each kind.
    @Suite struct LinkMemoryTests {
        private static let links =
            ProcessInfo.processInfo.environment["LINKS"].flatMap { Int($0) } ?? HostileTests.scale.of(40, long: 10_000)
        private static let event = #"APPEND note-1 {"type":"Wrote","data":1}"#
        /// The bytes of a line without an end that each link brings before it breaks.
        private static let junk = [UInt8](repeating: 0x78, count: 2_000_000)
        /// The growth that is no leak: buffers of the allocator and of one link.
        private static let bound = 32 << 20

        @Test func `a replica keeps nothing of a source that brings an event, then nonsense, and breaks off`() throws {
            let source = try RunningDaemon()
            let writer = try source.client()
            _ = try writer.ask(Self.event)
            let proxy = try BreakingProxy(to: .path(source.socket), at: .path(source.folder.place("proxy")))
            let replica = try RunningDaemon(options: ["--follow", source.folder.place("proxy")])
            let reader = try replica.client()
            func nextLink() throws {
                // The event lets the replica connect again at once.
                let position = try require(writer.ask(Self.event).number("position"))
                try until("the event is there: \(replica.trace.suffix(300))") {
                    try reader.ask("PING min=\(position)").hasPrefix("+")
                }
                try proxy.breakOff(after: Self.junk)
            }
            try expectNothingKept(of: nextLink, by: replica, "a source")
            expect(try replica.stop() == .code(0))
            expect(try source.stop() == .code(0))
        }

        @Test func `a node keeps nothing of a leader that brings a reply, then nonsense, and breaks off`() throws {
            let (etcd, folder) = (try RunningEtcd(), try Scratch())
            try Self.makeLog(in: folder, etcd.port)
            let leader = try RunningDaemon(
                data: folder.place("data"),
                options: Self.node("n1", etcd.port) + ["--advertise", folder.place("proxy")])
            let proxy = try BreakingProxy(to: .path(leader.socket), at: .path(folder.place("proxy")))
            try until("n1 leads") { try LineSocket(leader.socket).line().text("state") == "leading" }
            let node = try RunningDaemon(options: Self.node("n2", etcd.port))
            let writer = try node.client()
            func nextLink() throws {
                // The reply lets the node connect again at once.
                try Self.write(writer)
                try proxy.breakOff(after: Self.junk)
            }
            try expectNothingKept(of: nextLink, by: node, "a leader")
            for daemon in [node, leader] { expect(try daemon.stop() == .code(0)) }
        }

        @Test func `a node keeps nothing of an etcd that answers a call, then sends nonsense, and breaks off`() throws {
            let (etcd, folder) = (try RunningEtcd(), try Scratch())
            try Self.makeLog(in: folder, etcd.port)
            let port = try LoopbackPort.free()
            let proxy = try BreakingProxy(to: .port(etcd.port), at: .port(port))
            let node = try RunningDaemon(data: folder.place("data"), options: Self.node("n1", port))
            try until("n1 leads") { try LineSocket(node.socket).line().text("state") == "leading" }
            let writer = try node.client()
            func nextLink() throws {
                // The acknowledgement lets the node connect again at once.
                try Self.write(writer)
                try proxy.breakOff(after: Self.junk)
            }
            try expectNothingKept(of: nextLink, by: node, "etcd")
            expect(try node.stop() == .code(0))
        }

        /// The options of a node, whose lead lasts over many links that break.
        private static func node(_ name: String, _ port: UInt16) -> [String] {
            ["--cluster", "http://127.0.0.1:\(port)", "--node", name, "--lease", "60", "--patience", "60"]
        }

        /// Makes a log, whose first node has its data in a folder.
        private static func makeLog(in folder: Scratch, _ port: UInt16) throws {
            let maker = try RunningDaemon(
                data: folder.place("data"), options: node("n1", port) + ["--create"], isStarted: false)
            try maker.launch()
            guard try maker.wait() == .code(0) else { throw TookTooLong(what: "the log is made: \(maker.trace)") }
        }

        private static func write(_ client: LineSocket) throws {
            let answer = try client.ask(event)
            guard answer.hasPrefix("+") else { throw TookTooLong(what: "a write: \(answer)") }
        }

        /// Expects that the memory of a daemon does not grow with the links that break off.
        ///
        /// - Parameters:
        ///   - next: has one link break off, and waits for the next one.
        ///   - end: waits until the last link is gone.
        ///   - kind: the other side of the links.
        private func expectNothingKept(
            of next: () throws -> Void, by daemon: RunningDaemon, _ kind: String, endingWith end: () throws -> Void = {}
        ) throws {
            for _ in 0..<5 { try next() }
            let before = daemon.anonymousMemory
            for _ in 0..<Self.links { try next() }
            try end()
            let after = daemon.anonymousMemory
            let figures = "memory \(before >> 10) KiB before, \(after >> 10) KiB after"
            print("hostile: \(Self.links) broken links of \(kind): \(figures)")
            expect(after - before < Self.bound, "\(after - before) bytes for \(Self.links) links of \(kind)")
        }

        @Test func `a daemon keeps nothing of clients that leave within a long line`() throws {
            let daemon = try RunningDaemon()
            let half = Array("APPEND note-1 ".utf8) + [UInt8](repeating: 0x20, count: 900_000)
            func leave() throws {
                let client = try daemon.client()
                client.send(half)
                client.hangUp()
            }
            func allAreGone() throws {
                let client = try daemon.client()
                try until("all are gone") { try client.ask("STATS").contains(#""connections":1"#) }
            }
            try expectNothingKept(of: leave, by: daemon, "clients", endingWith: allAreGone)
            expect(try daemon.stop() == .code(0))
        }
    }
}

/// A socket or a port that passes bytes on to that of a store or of etcd, until it is told to break off.
private final class BreakingProxy: Sendable {
    /// The end of a connection: a Unix socket, or a port on loopback.
    enum Place {
        case path(String)
        case port(UInt16)
    }

    private let target: Place
    private let listener: Int32
    /// The number of connections so far, and the last one.
    private let state = Mutex((count: 0, last: Pair?.none))

    init(to target: Place, at place: Place) throws {
        self.target = target
        listener = try BreakingProxy.socket(at: place, { Glibc.bind($0, $1, $2) == 0 && listen($0, 5) == 0 })
        Thread { [self] in while takeNext() {} }.start()
    }

    deinit { close(listener) }

    /// Sends bytes to the client of the last connection, cuts it, and waits for the next one.
    func breakOff(after bytes: [UInt8]) throws {
        let (count, last) = state.withLock { $0 }
        last?.breakOff(after: bytes)
        try until("it is connected to again") { state.withLock { $0.count > count } }
    }

    private func takeNext() -> Bool {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return false }
        let store = try? BreakingProxy.socket(at: target, { Glibc.connect($0, $1, $2) == 0 })
        guard let store else {
            close(client)
            return true
        }
        let pair = Pair(near: client, far: store)
        state.withLock { $0 = ($0.count + 1, pair) }
        Thread { pair.pass(from: pair.far, to: pair.near) }.start()
        Thread { pair.pass(from: pair.near, to: pair.far) }.start()
        return true
    }

    private static func socket(
        at place: Place, _ begin: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) throws -> Int32 {
        let (isDone, descriptor): (Bool, Int32)
        switch place {
        case .path(let path):
            descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            isDone = withBytes(of: address) { begin(descriptor, $0, $1) }
        case .port(let port):
            descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            isDone = withBytes(of: address) { begin(descriptor, $0, $1) }
        }
        guard isDone else {
            close(descriptor)
            throw SystemRefused(call: "connect", code: errno)
        }
        return descriptor
    }

    private static func withBytes<Address>(
        of address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}

/// A connection to a proxy and the one that its bytes are passed on by; both are closed once nobody uses them.
private final class Pair: Sendable {
    let (near, far): (Int32, Int32)

    init(near: Int32, far: Int32) { (self.near, self.far) = (near, far) }

    deinit {
        close(near)
        close(far)
    }

    /// Passes bytes on until one side ends, and then cuts both.
    func pass(from source: Int32, to target: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0, send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        shutdown(near, Int32(SHUT_RDWR))
        shutdown(far, Int32(SHUT_RDWR))
    }

    /// Sends bytes to the near side, and cuts it.
    func breakOff(after bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(near, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            sent += count
        }
        shutdown(near, Int32(SHUT_RDWR))
    }
}
