import CHiredis
import Glibc

/// One client's connection: what waits to be sent, and when each request without an answer was made.
final class Link {
    let descriptor: Int32
    let dialect: any Dialect
    private var output: [UInt8] = []
    private var made: [UInt64] = []
    private var answered = 0
    private(set) var events = 0
    private(set) var bytes = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

    init(_ path: String, _ dialect: any Dialect) {
        self.dialect = dialect
        descriptor = Link.connected(to: path)
        guard descriptor >= 0 else { fail("cannot connect to \(path): is the server running?") }
        if type(of: dialect).isGreeted {
            var byte: UInt8 = 0
            while byte != 0x0A { guard recv(descriptor, &byte, 1, 0) == 1 else { fail("no greeting from \(path)") } }
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(descriptor)
        buffer.deallocate()
    }

    /// A socket that is connected, or -1.
    static func connected(to path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if code == 0 { return descriptor }
        close(descriptor)
        return -1
    }

    var outstanding: Int { made.count - answered }
    var hasOutput: Bool { !output.isEmpty }

    func add(_ now: UInt64, _ write: (inout [UInt8]) -> Void) {
        write(&output)
        made.append(now)
    }

    func flush() {
        guard !output.isEmpty else { return }
        let count = output.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count == output.count {
            output.removeAll(keepingCapacity: true)
        } else if count > 0 {
            output.removeFirst(count)
        } else if errno != EAGAIN {
            fail("the server closed the connection")
        }
    }

    /// Reads what is there and tells of each answer how long it took.
    func receive(_ now: UInt64, _ tell: (UInt64) -> Void) -> Heard {
        var heard = Heard()
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { fail("the server closed the connection") }
            return heard
        }
        dialect.hear(UnsafeRawBufferPointer(rebasing: buffer[..<count]), &heard)
        events += heard.events
        bytes += count
        for _ in 0..<min(heard.answers, outstanding) {
            tell(now - made[answered])
            answered += 1
        }
        if answered == made.count {
            made.removeAll(keepingCapacity: true)
            answered = 0
        }
        return heard
    }

    /// Waits until the request that was sent is answered.
    func settle() {
        while outstanding > 0 {
            flush()
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN | (hasOutput ? POLLOUT : 0)), revents: 0)
            poll(&entry, 1, 1_000)
            _ = receive(Clock.now()) { _ in }
        }
    }
}
