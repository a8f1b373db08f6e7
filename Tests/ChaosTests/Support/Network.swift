import Glibc
import Synchronization
import TestSupport

/// The network between a node and the members of etcd: it passes bytes on, and can be cut in each direction.
///
/// A cut holds bytes back and closes nothing, as a network that loses packets; they arrive once it is whole again.
final class Network: Sendable {
    /// A direction in which nothing arrives.
    struct Cut: OptionSet {
        let rawValue: Int

        static let toEtcd = Cut(rawValue: 1)
        static let toNode = Cut(rawValue: 2)
    }

    /// The ports that the node connects to, one for each member.
    let ports: [UInt16]
    private let state = Mutex((cut: Cut(), isEnding: false))

    /// - Parameter members: the ports of the members.
    init(to members: [UInt16]) throws {
        let listeners = try members.map { try Listener($0) }
        ports = listeners.map(\.port)
        let thread = Background { [self] in Network.pass(through: listeners) { state.withLock { $0 } } }
        withExtendedLifetime(thread) {}
    }

    /// Cuts it from now on; an empty set makes it whole.
    func cut(_ cut: Cut) { state.withLock { $0.cut = cut } }

    /// Closes all that goes through it.
    func end() { state.withLock { $0.isEnding = true } }

    private static func pass(through listeners: [Listener], _ state: () -> (cut: Cut, isEnding: Bool)) {
        var pairs: [Pair] = []
        while true {
            let (cut, isEnding) = state()
            guard !isEnding else { break }
            var polls = listeners.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            polls += pairs.flatMap { $0.polls(cut) }
            poll(&polls, nfds_t(polls.count), 5)
            for pair in pairs { pair.move(cut) }
            for (listener, poll) in zip(listeners, polls) where poll.revents != 0 {
                if let pair = listener.accept() { pairs.append(pair) }
            }
            pairs.removeAll { $0.isBroken }
        }
    }
}

/// A port of this machine whose connections go on to a member.
private final class Listener: Sendable {
    let descriptor: Int32
    let port: UInt16
    private let member: UInt16

    init(_ member: UInt16) throws {
        self.member = member
        port = try LoopbackPort.free()
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let result = Listener.withAddress(port) { bind(descriptor, $0, $1) }
        guard result == 0, listen(descriptor, 64) == 0 else {
            close(descriptor)
            throw SystemRefused(call: "listen", code: errno)
        }
    }

    deinit { close(descriptor) }

    /// Connects a client of it to the member; nil where the member refuses, which the client sees as a reset.
    func accept() -> Pair? {
        let node = Glibc.accept(descriptor, nil, nil)
        guard node >= 0 else { return nil }
        _ = fcntl(node, F_SETFD, FD_CLOEXEC)
        let etcd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard Listener.withAddress(member, { connect(etcd, $0, $1) }) == 0 else {
            close(etcd)
            close(node)
            return nil
        }
        return Pair(node: node, etcd: etcd)
    }

    private static func withAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

/// A connection of a node, the one to the member that it goes on by, and the bytes between.
private final class Pair {
    private let node: Int32
    private let etcd: Int32
    private var toEtcd: [UInt8] = []
    private var toNode: [UInt8] = []
    private var part = [UInt8](repeating: 0, count: 65_536)
    private(set) var isBroken = false

    init(node: Int32, etcd: Int32) {
        (self.node, self.etcd) = (node, etcd)
        var one: Int32 = 1
        for descriptor in [node, etcd] {
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    deinit {
        close(node)
        close(etcd)
    }

    /// The events that it waits for; a side that can do nothing is not looked at.
    func polls(_ cut: Network.Cut) -> [pollfd] {
        func events(reads: Bool, writes: Bool) -> Int16 {
            (reads ? Int16(POLLIN) : 0) | (writes ? Int16(POLLOUT) : 0)
        }
        let (hasWayUp, hasWayDown) = (!cut.contains(.toEtcd), !cut.contains(.toNode))
        let ofNode = events(reads: hasWayUp && toEtcd.isEmpty, writes: hasWayDown && !toNode.isEmpty)
        let ofEtcd = events(reads: hasWayDown && toNode.isEmpty, writes: hasWayUp && !toEtcd.isEmpty)
        return [
            pollfd(fd: ofNode == 0 ? -1 : node, events: ofNode, revents: 0),
            pollfd(fd: ofEtcd == 0 ? -1 : etcd, events: ofEtcd, revents: 0),
        ]
    }

    func move(_ cut: Network.Cut) {
        if !cut.contains(.toEtcd) { move(from: node, \.toEtcd, to: etcd) }
        if !cut.contains(.toNode) { move(from: etcd, \.toNode, to: node) }
    }

    private func move(from source: Int32, _ bytes: ReferenceWritableKeyPath<Pair, [UInt8]>, to target: Int32) {
        if self[keyPath: bytes].isEmpty {
            let count = recv(source, &part, part.count, Int32(MSG_DONTWAIT))
            if count == 0 || count < 0 && errno != EAGAIN { isBroken = true }
            if count > 0 { self[keyPath: bytes] = Array(part[..<count]) }
        }
        let waiting = self[keyPath: bytes]
        guard !waiting.isEmpty else { return }
        let sent = send(target, waiting, waiting.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        if sent > 0 { self[keyPath: bytes].removeFirst(sent) }
        if sent < 0, errno != EAGAIN { isBroken = true }
    }
}
