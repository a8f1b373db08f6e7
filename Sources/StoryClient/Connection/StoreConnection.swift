#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One connection to a store, blocking and for one thread: requests out, replies in their order, pushes kept apart.
public final class StoreConnection {
    /// The store that it is connected to.
    public let address: StoreAddress
    /// How long an answer is waited for; nil: for ever.
    public var timeout: Duration?
    /// A descriptor whose becoming readable ends every wait with `StoreError.interrupted`; −1 for none.
    public var interruption: Int32 = -1
    /// The JSON of the store's greeting.
    public private(set) var greeting: [UInt8] = []
    /// True once the store said that it stops.
    public private(set) var isDraining = false

    private let descriptor: Descriptor
    private var incoming = LineBuffer()
    private var outgoing: [UInt8] = []
    private var sent = 0
    private var pushes: [ReplyLine] = []
    private var isAtEnd = false
    /// How many replies were given up, and are dropped when they come.
    private var givenUp = 0
    private var readBuffer = [UInt8](repeating: 0, count: 65_536)

    /// Connects and reads the greeting.
    public init(
        to address: StoreAddress, timeout: Duration? = .seconds(20), interruption: Int32 = -1
    ) throws(StoreError) {
        self.address = address
        self.timeout = timeout
        self.interruption = interruption
        descriptor = try Descriptor(connectedTo: address)
        let deadline = Deadline(after: timeout)
        guard let line = try nextLine(deadline) else { throw .closed }
        switch line.kind {
        case .notice: greeting = line.json
        // A store that is full or leaving says so in place of the greeting.
        case .failed: throw .refused(Refusal(json: line.json))
        case .row, .done, .push: throw .protocolViolation(line.text)
        }
    }

    /// How many bytes of requests wait to be sent.
    public var unsentCount: Int { outgoing.count - sent }

    /// Sends a request and waits for its reply.
    public func ask(_ request: String) throws(StoreError) -> StoreReply {
        try send(request)
        return try reply()
    }

    /// Hands over a request line, without its LF, and sends what the store takes; the rest goes with the next wait.
    public func send(_ request: String) throws(StoreError) {
        enqueue(request.utf8)
        try sendSome()
    }

    /// Hands over a request line, without its LF, to be sent with others at the next wait.
    public func enqueue(_ request: some Collection<UInt8>) {
        outgoing.append(contentsOf: request)
        outgoing.append(0x0A)
    }

    /// Waits for the reply to the oldest request that has none yet. One that does not come in time, or whose wait is
    /// interrupted, is dropped when it comes: what is waited for next is the reply to the next request.
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

    /// Why there is no more to read.
    public var ending: StoreError { isDraining ? .draining : .closed }

    /// The next push of a subscription, waited for so long; nil: for ever. Nil when the store ended the connection.
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

    /// A push that has arrived already; nil when the next would have to be waited for.
    public func arrivedPush() throws(StoreError) -> ReplyLine? {
        if !pushes.isEmpty { return pushes.removeFirst() }
        while let line = try arrivedLine() {
            if line.kind == .push { return line }
        }
        return nil
    }

    /// Says that no more requests will come, once those that wait are sent.
    public func endSending() throws(StoreError) {
        let deadline = Deadline(after: timeout)
        while unsentCount > 0 { try wait(for: nil, deadline) }
        shutdown(descriptor.number, Int32(SHUT_WR))
    }
}

// What the pipe and the prompt are built on.
extension StoreConnection {
    /// A line that has arrived already, whatever it is.
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

    /// True once the store has hung up and all that it said is read.
    package var isOver: Bool { isAtEnd }

    /// Waits until something came from the store, or a descriptor became readable; true for the last.
    package func wait(for descriptor: Int32) throws(StoreError) -> Bool {
        try wait(for: descriptor, Deadline(after: nil))
    }

    /// Waits until something was sent, received, or `other` became readable; true for the last.
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
            // A store that hung up may have said why: that is read first, and then the end.
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
