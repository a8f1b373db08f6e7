import Glibc

/// One client's connection: what waits to be sent, and when each request without an answer was made.
final class Link {
    let descriptor: Int32
    private var output: [UInt8] = []
    private var made: [UInt64] = []
    private var answered = 0
    private var isLineStart = true
    private var isClosing = false
    private var isFailure = false
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)

    init(_ path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { fail("cannot connect to \(path): is stored running?") }
        var byte: UInt8 = 0
        while byte != 0x0A { guard recv(descriptor, &byte, 1, 0) == 1 else { fail("no greeting") } }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    var outstanding: Int { made.count - answered }
    var hasOutput: Bool { !output.isEmpty }

    func add(_ now: UInt64, _ write: (inout [UInt8]) -> Void) {
        write(&output)
        made.append(now)
    }

    func queue(_ bytes: [UInt8], at now: UInt64) { add(now) { $0 += bytes } }

    func flush() {
        guard !output.isEmpty else { return }
        let count = output.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count > 0 { output.removeFirst(count) }
        if count < 0, errno != EAGAIN { fail("the server closed the connection") }
    }

    /// Reads what is there; tells of each answer how long it took and whether it is a failure. Answers how many came.
    func receive(_ now: UInt64, _ tell: (UInt64, Bool) -> Void) -> Int {
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { fail("the server closed the connection") }
            return 0
        }
        var answers = 0
        for byte in buffer[..<count] {
            if isLineStart {
                isClosing = byte == 0x2B || byte == 0x2D
                isFailure = byte == 0x2D
                isLineStart = false
            }
            guard byte == 0x0A else { continue }
            isLineStart = true
            guard isClosing else { continue }
            tell(now - made[answered], isFailure)
            answered += 1
            answers += 1
        }
        if answered == made.count {
            made.removeAll(keepingCapacity: true)
            answered = 0
        }
        return answers
    }
}
