#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The bytes of a blocking connection to one endpoint: plain over a Unix socket, in TLS over TCP.
final class StoreWire {
    private let descriptor: Descriptor
    private let tls: TLSWire?
    private var incoming = LineBuffer()
    /// The bytes of requests that are not encrypted yet; none without TLS.
    private var unsealed: [UInt8] = []
    private var outgoing: [UInt8] = []
    private var sent = 0
    /// True once the store has closed the connection and all its bytes were received.
    private(set) var isAtEnd = false
    private var readBuffer = [UInt8](repeating: 0, count: 65_536)

    /// Connects, and begins the handshake of TLS.
    ///
    /// - Parameters:
    ///   - waits: false if connecting must not wait for a store that is slow to accept.
    ///   - deadline: the moment at which trying ends.
    ///   - interruption: a descriptor that ends the wait once it is readable; −1 for none.
    init(to endpoint: StoreEndpoint, waits: Bool, deadline: Deadline, interruption: Int32) throws(StoreError) {
        switch endpoint {
        case .socket(let path, let owner):
            tls = nil
            descriptor = try Descriptor(connectedTo: path, owner: owner, waits: waits)
        case .remote(let remote, let identity):
            let tls = try TLSWire(remote, identity)
            descriptor = try Descriptor(to: remote, deadline: deadline, interruption: interruption)
            try tls.begin(&outgoing)
            self.tls = tls
        case .malformed(let text): throw StoreWire.malformed(text)
        }
    }

    /// Returns the error for a URL that is malformed.
    static func malformed(_ text: String) -> StoreError {
        .insecure(path: text, reason: "another machine's store is named as tls://HOST:PORT")
    }

    /// The number of bytes of requests that wait to be sent.
    var unsentCount: Int { unsealed.count + outgoing.count - sent }

    /// Enqueues a request line, without its LF.
    func enqueue(_ request: some Collection<UInt8>) {
        if tls == nil {
            outgoing.append(contentsOf: request)
            outgoing.append(0x0A)
        } else {
            unsealed.append(contentsOf: request)
            unsealed.append(0x0A)
        }
    }

    /// Returns the next whole line that has arrived; nil if there is none.
    func arrivedLine() -> ArraySlice<UInt8>? { incoming.next() }

    /// Shuts down the sending side of the connection; what waits must be sent before.
    func endSending() throws(StoreError) {
        tls?.close(&outgoing)
        try sendSome()
        shutdown(descriptor.number, Int32(SHUT_WR))
    }

    /// Waits until bytes were sent or received, or `other` or `alarm` is readable; returns true for `other`.
    func wait(
        for other: Int32?, _ deadline: Deadline, interruption: Int32, alarm: Int32 = -1
    ) throws(StoreError) -> Bool {
        let events = Int16(POLLIN) | (unsentCount > 0 ? Int16(POLLOUT) : 0)
        var polled = [
            pollfd(fd: descriptor.number, events: events, revents: 0),
            pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&polled, nfds_t(polled.count), deadline.milliseconds)
        if count < 0, errno != EINTR { throw .system(call: "poll", reason: reason(errno)) }
        if polled[1].revents != 0 { throw .interrupted }
        if count == 0, deadline.milliseconds == 0 { throw .timedOut }
        if count > 0, polled[0].revents != 0 {
            if polled[0].revents & Int16(POLLOUT) != 0 { try sendSome() }
            if polled[0].revents & ~Int16(POLLOUT) != 0 { try receiveSome() }
        }
        return count > 0 && polled[2].revents != 0
    }

    /// Sends the bytes that the kernel accepts now.
    func sendSome() throws(StoreError) {
        if let tls, !unsealed.isEmpty {
            try tls.seal(unsealed, into: &outgoing)
            unsealed.removeAll(keepingCapacity: true)
        }
        while sent < outgoing.count {
            // Not thrown out of the closure: a typed error would lose its type there.
            let result = outgoing.withUnsafeBytes { bytes -> Result<Int?, StoreError> in
                Result { () throws(StoreError) in
                    try descriptor.send(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
                }
            }
            // A store that closed the connection may have sent the reason, which is read before the end.
            if case .failure(.closed) = result { break }
            guard let count = try result.get() else { return }
            sent += count
        }
        outgoing.removeAll(keepingCapacity: true)
        sent = 0
    }

    private func receiveSome() throws(StoreError) {
        guard incoming.unreadCount <= LineBuffer.longestLine else { throw .protocolViolation("a line without end") }
        let result = readBuffer.withUnsafeMutableBytes { buffer -> Result<Int?, StoreError> in
            Result { () throws(StoreError) in
                guard let count = try descriptor.receive(buffer) else { return nil }
                try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return count
            }
        }
        if try result.get() == 0 { isAtEnd = true }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        guard let tls else { return incoming.append(bytes) }
        do throws(StoreError) {
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
