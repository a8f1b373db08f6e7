import CHiredis
import Foundation
import Glibc

/// One client's connection: what waits to be sent, and when each request without an answer was made.
final class Link {
    let descriptor: Int32
    let dialect: any Dialect
    private var output = RequestText()
    private var made: [UInt64] = []
    private var answered = 0
    private(set) var events = 0
    private(set) var bytes = 0
    /// What the server said first, if it does.
    private(set) var greeting = ""
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

    init(_ path: String, _ dialect: any Dialect) {
        self.dialect = dialect
        descriptor = Link.connected(to: path)
        guard descriptor >= 0 else { fail("cannot connect to \(path): is the server running?") }
        if type(of: dialect).isGreeted {
            // Nothing else comes before something is asked.
            var line: [UInt8] = []
            while line.last != 0x0A {
                let count = recv(descriptor, buffer.baseAddress, 4_096, 0)
                guard count > 0 else { fail("no greeting from \(path)") }
                line += buffer[..<count]
            }
            greeting = String(decoding: line, as: UTF8.self)
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

    /// The process that listens at the other end.
    var server: Int32 {
        // A `struct ucred`, which Glibc keeps to itself: process, user, group.
        var peer: [Int32] = [0, 0, 0]
        var size = socklen_t(MemoryLayout<Int32>.size * peer.count)
        return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer[0] : 0
    }

    var outstanding: Int { made.count - answered }
    var hasOutput: Bool { !output.isEmpty }

    func add(_ now: UInt64, _ write: (inout RequestText) -> Void) {
        write(&output)
        made.append(now)
    }

    func flush() {
        guard !output.isEmpty else { return }
        let count = send(descriptor, output.bytes.baseAddress, output.count, Int32(MSG_NOSIGNAL))
        if count == output.count {
            output.removeAll()
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

    /// The number of a limit that the greeting tells.
    func limit(_ name: String) -> Int? { Member.number("\"\(name)\":", of: greeting) }

    /// Sends one line and waits for what answers it; whether that was a success.
    func ask(_ line: String) -> Bool {
        add(0) { $0.put(text: line + "\n") }
        return settle()
    }

    /// Waits until the request that was sent is answered; whether nothing was refused.
    @discardableResult
    func settle() -> Bool {
        var failures = 0
        while outstanding > 0 {
            flush()
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN | (hasOutput ? POLLOUT : 0)), revents: 0)
            poll(&entry, 1, 1_000)
            failures += receive(Clock.now()) { _ in }.failures
        }
        return failures == 0
    }
}
