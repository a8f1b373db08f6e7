import Glibc
import StoryCluster
import StoryEtcd

/// A connection to a member of etcd by the client that the store itself has, with one call at a time.
final class EtcdClient {
    private let descriptor: Int32
    private let session: EtcdSession
    private var part = [UInt8](repeating: 0, count: 1 << 18)
    private var next: UInt64 = 1

    /// - Parameter address: a host's number and a port, as in `127.0.0.1:2379`.
    init(_ address: String) throws(BenchError) {
        descriptor = Loopback.connected(to: address)
        guard descriptor >= 0 else { throw BenchError("cannot connect to etcd at \(address)") }
        session = EtcdSession(EtcdPeer(authority: address))
    }

    deinit { close(descriptor) }

    /// Whether a member answers: its port is open before that.
    static func isServing(_ address: String) -> Bool {
        guard let link = try? EtcdClient(address), let answer = try? link.answer(to: .range(OrderingRange(from: "/")))
        else { return false }
        return answer != .unknown
    }

    /// Makes a call and waits for its answer, ten seconds at most.
    func answer(to call: OrderingCall) throws(BenchError) -> OrderingAnswer {
        let id = CallID(next)
        next += 1
        session.call(id, call)
        while true {
            send(session.takeOutput())
            for result in session.takeResults() {
                if case .answered(id, let answer) = result { return answer }
            }
            guard !session.hasEnded else { throw BenchError("etcd ended a connection") }
            try receive()
        }
    }

    /// The keys of a range.
    func keys(_ range: OrderingRange) throws(BenchError) -> [OrderingKeyValue] {
        guard case .ranged(let ranged, _) = try answer(to: .range(range)) else {
            throw BenchError("etcd does not answer")
        }
        return ranged.keys
    }

    private func send(_ bytes: [UInt8]) {
        var sent = 0
        bytes.withUnsafeBytes { bytes in
            while sent < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let count = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return session.peerClosed() }
                sent += count
            }
        }
    }

    private func receive() throws(BenchError) {
        let count = recv(descriptor, &part, part.count, 0)
        guard count >= 0 else { throw BenchError("etcd does not answer within ten seconds") }
        guard count > 0 else { return session.peerClosed() }
        part.withUnsafeBytes { session.received(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}

/// Ports of TCP on this machine.
enum Loopback {
    /// A socket that is connected to an address and waits ten seconds at most, or -1.
    static func connected(to address: String) -> Int32 {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else { return -1 }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if call(descriptor, port, connect) == 0 { return descriptor }
        close(descriptor)
        return -1
    }

    /// Addresses on which nobody listened a moment ago.
    static func free(_ count: Int) throws(BenchError) -> [String] {
        // All are held until all are found, so that none is found twice.
        var held: [Int32] = []
        defer { for descriptor in held { close(descriptor) } }
        var addresses: [String] = []
        for _ in 0..<count {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            held.append(descriptor)
            guard call(descriptor, 0, bind) == 0, let port = port(of: descriptor) else {
                throw BenchError("no port of TCP is free")
            }
            addresses.append("127.0.0.1:\(port)")
        }
        return addresses
    }

    private static func call(
        _ descriptor: Int32, _ port: UInt16, _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func port(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return code == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }
}
