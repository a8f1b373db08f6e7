#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A blocking connection to a store, for one thread: replies come in the order of the requests, pushes are kept apart.
public final class StoreConnection {
    /// The store that it is connected to.
    public let address: StoreAddress
    /// The time limit for a reply; nil: none.
    public var timeout: Duration?
    /// A descriptor that ends every wait with `StoreError.interrupted` once it is readable; −1 for none.
    public var interruption: Int32 = -1
    /// The JSON of the store's greeting.
    public private(set) var greeting: [UInt8] = []
    /// True once the store has announced that it stops.
    public private(set) var isDraining = false

    private let descriptor: Descriptor
    private var incoming = LineBuffer()
    private var outgoing: [UInt8] = []
    private var sent = 0
    private var pushes: [ReplyLine] = []
    private var isAtEnd = false
    /// The number of replies that were given up, and are dropped when they come.
    private var givenUp = 0
    private var readBuffer = [UInt8](repeating: 0, count: 65_536)

    /// Connects and reads the greeting.
    public convenience init(
        to address: StoreAddress, timeout: Duration? = .seconds(20), interruption: Int32 = -1
    ) throws(StoreError) {
        try self.init(to: address, timeout: timeout, interruption: interruption, waits: true)
    }

    /// Connects and reads the greeting.
    ///
    /// - Parameter waits: false if connecting must not wait for a store that is slow to accept.
    package init(
        to address: StoreAddress, timeout: Duration?, interruption: Int32, waits: Bool
    ) throws(StoreError) {
        self.address = address
        self.timeout = timeout
        self.interruption = interruption
        descriptor = try Descriptor(connectedTo: address, waits: waits)
        let deadline = Deadline(after: timeout)
        guard let line = try nextLine(deadline) else { throw .closed }
        switch line.kind {
        case .notice: greeting = line.json
        // A store that is full or stopping sends a failure instead of the greeting.
        case .failed: throw .refused(Refusal(json: line.json))
        case .row, .done, .push: throw .protocolViolation(line.text)
        }
    }

    /// The number of bytes of requests that wait to be sent.
    public var unsentCount: Int { outgoing.count - sent }

    /// Sends a request and waits for its reply.
    public func ask(_ request: String) throws(StoreError) -> StoreReply {
        try send(request)
        return try reply()
    }

    /// Enqueues a request line, without its LF, and sends the bytes that the kernel accepts; the rest is sent at the
    /// next wait.
    public func send(_ request: String) throws(StoreError) {
        enqueue(request.utf8)
        try sendSome()
    }

    /// Enqueues a request line, without its LF, to be sent with others at the next wait.
    public func enqueue(_ request: some Collection<UInt8>) {
        outgoing.append(contentsOf: request)
        outgoing.append(0x0A)
    }

    /// Waits for the reply to the oldest request that has none yet. After a timeout or an interruption the late reply
    /// is dropped, and the next call waits for the reply to the next request.
    public func reply() throws(StoreError) -> StoreReply {
        let deadline = Deadline(after: timeout)
        var rows: [ReplyLine] = []
        do throws(StoreError) {
            while let line = try nextLine(deadline) {
                switch line.kind {
                case .row: rows.append(line)
                case .done, .failed: return StoreReply(rows: rows, final: line)
                case .push: pushes.append(line)
                case .notice: break
                }
            }
        } catch {
            givenUp += 1
            throw error
        }
        throw ending
    }

    /// The error for a connection that has ended.
    public var ending: StoreError { isDraining ? .draining : .closed }

    /// Waits for the next push of a subscription, up to a duration; nil: without a limit. Returns nil when the store
    /// ended the connection.
    public func push(within patience: Duration?) throws(StoreError) -> ReplyLine? {
        if !pushes.isEmpty { return pushes.removeFirst() }
        let deadline = Deadline(after: patience)
        while let line = try nextLine(deadline) {
            switch line.kind {
            case .push: return line
            case .notice: break
            case .row, .done, .failed: throw .protocolViolation(line.text)
            }
        }
        return nil
    }

    /// Returns a push that has arrived already; nil if there is none.
    public func arrivedPush() throws(StoreError) -> ReplyLine? {
        if !pushes.isEmpty { return pushes.removeFirst() }
        while let line = try arrivedLine() {
            if line.kind == .push { return line }
        }
        return nil
    }

    /// Sends the requests that wait, then shuts down the sending side of the connection.
    public func endSending() throws(StoreError) {
        let deadline = Deadline(after: timeout)
        while unsentCount > 0 { try wait(for: nil, deadline) }
        shutdown(descriptor.number, Int32(SHUT_WR))
    }
}

// The primitives of the pipe and the prompt.
extension StoreConnection {
    /// Returns a line of any kind that has arrived already; nil if there is none.
    package func arrivedLine() throws(StoreError) -> ReplyLine? {
        while let bytes = incoming.next() {
            guard let line = ReplyLine(bytes) else {
                throw .protocolViolation(String(decoding: bytes.prefix(200), as: UTF8.self))
            }
            if line.kind == .notice, line.json.starts(with: #"{"draining":"#.utf8) { isDraining = true }
            guard givenUp > 0, line.kind == .row || line.isFinal else { return line }
            if line.isFinal { givenUp -= 1 }
        }
        return nil
    }

    /// True once the store has closed the connection and all its bytes were received.
    package var isOver: Bool { isAtEnd }

    /// Waits until bytes were sent or received, or `descriptor` is readable; returns true for the last.
    package func wait(for descriptor: Int32) throws(StoreError) -> Bool {
        try wait(for: descriptor, Deadline(after: nil))
    }

    /// Waits until bytes were sent or received, or `other` is readable; returns true for the last.
    @discardableResult
    func wait(for other: Int32?, _ deadline: Deadline) throws(StoreError) -> Bool {
        let events = Int16(POLLIN) | (unsentCount > 0 ? Int16(POLLOUT) : 0)
        var polled = [
            pollfd(fd: descriptor.number, events: events, revents: 0),
            pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
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

    private func nextLine(_ deadline: Deadline) throws(StoreError) -> ReplyLine? {
        while true {
            if let line = try arrivedLine() { return line }
            if isAtEnd { return nil }
            try wait(for: nil, deadline)
        }
    }

    private func sendSome() throws(StoreError) {
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
                incoming.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return count
            }
        }
        if try result.get() == 0 { isAtEnd = true }
    }
}
