#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The bytes of a connection to one endpoint: plain over a Unix socket, in TLS over TCP. Only `wait` waits.
///
/// It is used by one thread at a time: that of a `StoreConnection`, or the one that holds the lock of a `Channel`.
final class StoreWire: @unchecked Sendable {
    private let descriptor: Descriptor
    private let tls: TLSWire?
    private var incoming = LineBuffer()
    /// The bytes of requests that are not encrypted yet; none without TLS.
    private var unsealed: [UInt8] = []
    private var outgoing: [UInt8] = []
    private var sent = 0
    /// True once the store has closed the connection and all its bytes were received.
    private(set) var isAtEnd = false
    private var readBuffer: [UInt8]

    /// Connects, and begins the handshake of TLS.
    ///
    /// - Parameters:
    ///   - waits: false if connecting must not wait for a store that is slow to accept.
    ///   - deadline: the moment at which trying ends.
    ///   - interruption: a descriptor that ends the wait once it is readable; −1 for none.
    ///   - readBytes: the bytes that are received at once.
    init(
        to endpoint: StoreEndpoint, waits: Bool, deadline: Deadline, interruption: Int32, readBytes: Int = 65_536
    ) throws(ClientError) {
        readBuffer = [UInt8](repeating: 0, count: readBytes)
        switch endpoint {
        case .socket(let path, let owner):
            tls = nil
            descriptor = try Descriptor(connectedTo: path, owner: owner, waits: waits)
        case .remote(let remote, let identity):
            let tls = try TLSWire(remote, identity)
            descriptor = try Descriptor(to: remote, deadline: deadline, interruption: interruption)
            try tls.begin(&outgoing)
            self.tls = tls
        case .malformed(let text):
            throw .insecure(path: text, reason: "another machine's store is named as tls://HOST:PORT")
        }
    }

    /// The number of the socket, to poll.
    var number: Int32 { descriptor.number }

    /// The number of bytes of requests that wait to be sent.
    var unsentCount: Int { unsealed.count + outgoing.count - sent }

    /// Enqueues bytes of requests, each with its LF.
    func enqueue(_ bytes: some Sequence<UInt8>) {
        if tls == nil { outgoing.append(contentsOf: bytes) } else { unsealed.append(contentsOf: bytes) }
    }

    /// Returns the next whole line that has arrived; nil if there is none.
    func arrivedLine() -> ArraySlice<UInt8>? { incoming.next() }

    /// Shuts down the sending side of the connection; what waits must be sent before.
    func endSending() throws(ClientError) {
        tls?.close(&outgoing)
        try sendSome()
        shutdown(number, Int32(SHUT_WR))
    }

    /// Waits until bytes were sent or received, or `other` or `alarm` is readable; returns true for `other`.
    func wait(
        for other: Int32?, _ deadline: Deadline, interruption: Int32, alarm: Int32 = -1
    ) throws(ClientError) -> Bool {
        let events = Int16(POLLIN) | (unsentCount > 0 ? Int16(POLLOUT) : 0)
        var polled = [
            pollfd(fd: number, events: events, revents: 0),
            pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&polled, nfds_t(polled.count), deadline.milliseconds)
        if count < 0, errno != EINTR { throw .system(call: "poll", reason: reason(errno)) }
        if polled[1].revents != 0 { throw .interrupted }
        if count == 0, deadline.milliseconds == 0 { throw .timedOut(after: deadline.limit) }
        if count > 0 { try move(polled[0].revents) }
        return count > 0 && polled[2].revents != 0
    }

    /// Sends and receives as the events allow that `poll` returned for the socket.
    func move(_ events: Int16) throws(ClientError) {
        if events & Int16(POLLOUT) != 0 { try sendSome() }
        if events & ~Int16(POLLOUT) != 0 { try receiveSome() }
    }

    /// Sends the bytes that the kernel accepts now.
    func sendSome() throws(ClientError) {
        if let tls, !unsealed.isEmpty {
            try tls.seal(unsealed, into: &outgoing)
            unsealed.removeAll(keepingCapacity: true)
        }
        while sent < outgoing.count {
            // Not thrown out of the closure: a typed error would lose its type there.
            let result = outgoing.withUnsafeBytes { bytes -> Result<Int?, ClientError> in
                Result { () throws(ClientError) in
                    try descriptor.send(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
                }
            }
            // A store that closed the connection may have sent the reason, which is read before the end.
            if case .failure(.connectionLost) = result { break }
            guard let count = try result.get() else { return }
            sent += count
        }
        outgoing.removeAll(keepingCapacity: outgoing.count <= 65_536)
        sent = 0
    }

    private func receiveSome() throws(ClientError) {
        guard incoming.unreadCount <= LineBuffer.longestLine else { throw .protocolViolation("a line without end") }
        let result = readBuffer.withUnsafeMutableBytes { buffer -> Result<Int?, ClientError> in
            Result { () throws(ClientError) in
                guard let count = try descriptor.receive(buffer) else { return nil }
                try accept(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return count
            }
        }
        if try result.get() == 0 { isAtEnd = true }
    }

    private func accept(_ bytes: UnsafeRawBufferPointer) throws(ClientError) {
        guard let tls else { return incoming.append(bytes) }
        do throws(ClientError) {
            try tls.open(bytes, answers: &outgoing).withUnsafeBytes { incoming.append($0) }
        } catch {
            // The alert is sent, so that the store can tell why; the connection is over anyway.
            try? sendSome()
            throw error
        }
        if tls.isAtEnd { isAtEnd = true }
        try sendSome()
    }
}

/// A buffer of received bytes that are read line by line.
struct LineBuffer {
    /// The maximum size of a line in bytes: eight times the 1 MiB that a store accepts, since escapes make rows longer.
    static let longestLine = 8_388_608

    private var bytes: [UInt8] = []
    private var start = 0
    /// An index with no LF between `start` and it, so that a long line is not searched again for each of its parts.
    private var searched = 0

    /// The number of bytes that were not returned yet.
    var unreadCount: Int { bytes.count - start }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        if start > 0, start == bytes.count || start > 65_536 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Returns the next whole line without its LF; nil if there is none.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let end = bytes[searched...].firstIndex(of: 0x0A) else {
            searched = bytes.count
            return nil
        }
        defer {
            start = end + 1
            searched = start
        }
        return bytes[start..<end]
    }

    /// Returns the bytes that remain at the end of the input, a last line without its LF; nil if there are none.
    mutating func rest() -> ArraySlice<UInt8>? {
        guard start < bytes.count else { return nil }
        defer {
            start = bytes.count
            searched = start
        }
        return bytes[start...]
    }
}

/// The moment at which a wait ends; without a limit, the wait never ends.
package struct Deadline {
    private var end: ContinuousClock.Instant?
    /// The time limit of the wait; zero without one.
    let limit: Duration

    /// Creates a deadline that is the given duration from now; nil: no limit.
    package init(after limit: Duration?) {
        end = limit.map { ContinuousClock.now + $0 }
        self.limit = limit ?? .zero
    }

    /// Returns the earlier one of two deadlines.
    func earlier(_ other: Deadline) -> Deadline {
        var deadline = self
        deadline.end = [end, other.end].compactMap(\.self).min()
        return deadline
    }

    /// The remaining time in whole milliseconds, for `poll`: 0 when it is over, −1 without a limit.
    package var milliseconds: Int32 {
        guard let end else { return -1 }
        let left = ContinuousClock.now.duration(to: end).components
        guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
        // Rounded up, so that waiting never ends a little too early and spins.
        let rest = left.attoseconds / 1_000_000_000_000_000 + 1
        return Int32(clamping: min(left.seconds, 1_000_000) * 1_000 + rest)
    }
}
