/// A blocking connection to a store, for one thread: replies come in the order of the requests, pushes are kept apart.
public final class StoreConnection {
    /// The store that it is connected to.
    public let address: StoreAddress
    /// The endpoint of the address that greeted, as an address of its own.
    package let place: StoreAddress
    /// The time limit for a reply; nil: none.
    public var timeout: Duration?
    /// A descriptor that ends every wait with ``ClientError/interrupted`` once it is readable; −1 for none.
    public var interruption: Int32 = -1
    /// A descriptor that ends a wait once it is readable, without a result; its owner reads it before the next wait. −1
    /// for none.
    package var alarm: Int32 = -1
    /// The JSON of the store's greeting.
    public private(set) var greeting: [UInt8] = []
    /// True once the store has announced that it stops.
    public private(set) var isDraining = false

    private let wire: StoreWire
    private var pushes: [ReplyLine] = []
    /// The number of replies that were given up, and are dropped when they come.
    private var givenUp = 0

    /// Connects and reads the greeting.
    public convenience init(
        to address: StoreAddress, timeout: Duration? = .seconds(20), interruption: Int32 = -1
    ) throws(ClientError) {
        try self.init(to: address, timeout: timeout, interruption: interruption, waits: true, writes: false)
    }

    /// Connects to the first endpoint of the address that greets, and reads the greeting.
    ///
    /// - Parameters:
    ///   - waits: false if connecting must not wait for a store that is slow to accept.
    ///   - writes: true to prefer a store that takes writes: a replica is taken where no other endpoint greets.
    ///   - readBytes: the bytes that are received at once, kept as long as the connection.
    package init(
        to address: StoreAddress, timeout: Duration?, interruption: Int32, waits: Bool, writes: Bool,
        readBytes: Int = 65_536
    ) throws(ClientError) {
        self.address = address
        self.timeout = timeout
        self.interruption = interruption
        var failures: [ClientError] = []
        var replica: (wire: StoreWire, greeting: [UInt8], endpoint: StoreEndpoint)?
        for endpoint in address.endpoints {
            do throws(ClientError) {
                let deadline = Deadline(after: timeout)
                let made = try StoreWire(
                    to: endpoint, waits: waits, deadline: deadline, interruption: interruption, readBytes: readBytes)
                let greeted = try StoreConnection.greeting(of: made, deadline, interruption)
                if writes, (try? StoreDecoder.decode(Greeting.self, greeted).isReplica) == true {
                    replica = replica ?? (made, greeted, endpoint)
                    continue
                }
                (wire, greeting, place) = (made, greeted, StoreAddress(endpoint))
                return
            } catch {
                if case .interrupted = error { throw error }
                failures.append(error)
            }
        }
        guard let replica else { throw StoreConnection.failure(failures) }
        (wire, greeting, place) = (replica.wire, replica.greeting, StoreAddress(replica.endpoint))
    }

    /// Returns the error for endpoints none of which could be used.
    private static func failure(_ failures: [ClientError]) -> ClientError {
        guard let first = failures.first, failures.count > 1 else { return failures.first ?? .connectionLost }
        let others = failures.dropFirst().map { failure in
            guard case .unreachable(let path, let reason, _) = failure else { return "; \(failure)" }
            return "; nor to \(path): \(reason)"
        }
        guard case .unreachable(let path, let reason, _) = first else { return first }
        return .unreachable(path: path, reason: reason + others.joined())
    }

    private static func greeting(
        of wire: StoreWire, _ deadline: Deadline, _ interruption: Int32
    ) throws(ClientError) -> [UInt8] {
        while true {
            guard let bytes = wire.arrivedLine() else {
                guard !wire.isAtEnd else { throw .connectionLost }
                do throws(ClientError) {
                    _ = try wire.wait(for: nil, deadline, interruption: interruption)
                } catch {
                    guard case .timedOut = error else { throw error }
                    throw .timedOut(after: deadline.limit, wasSent: false)
                }
                continue
            }
            guard let line = ReplyLine(bytes) else { throw .violation(bytes) }
            switch line.kind {
            case .notice: return line.json
            // A store that is full or stopping sends a failure instead of the greeting.
            case .failed: throw ClientError(Refusal(json: line.json))
            case .row, .done, .push: throw .protocolViolation(line.text)
            }
        }
    }

    /// The number of bytes of requests that wait to be sent.
    public var unsentCount: Int { wire.unsentCount }

    /// Sends a request and waits for its reply.
    public func ask(_ request: String) throws(ClientError) -> StoreReply {
        try send(request)
        return try reply()
    }

    /// Enqueues a request line, without its LF, and sends the bytes that the kernel accepts; the rest is sent at the
    /// next wait.
    public func send(_ request: String) throws(ClientError) {
        enqueue(request.utf8)
        try wire.sendSome()
    }

    /// Enqueues a request line, without its LF, to be sent with others at the next wait.
    public func enqueue(_ request: some Collection<UInt8>) {
        wire.enqueue(request)
        wire.enqueue(CollectionOfOne(0x0A))
    }

    /// Waits for the reply to the oldest request that has none yet. After a timeout or an interruption the late reply
    /// is dropped, and the next call waits for the reply to the next request.
    public func reply() throws(ClientError) -> StoreReply {
        let deadline = Deadline(after: timeout)
        var rows: [ReplyLine] = []
        do throws(ClientError) {
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
    public var ending: ClientError { isDraining ? .ending : .connectionLost }

    /// Waits for the next push of a subscription, up to a duration; nil: without a limit. Returns nil when the store
    /// ended the connection.
    public func push(within patience: Duration?) throws(ClientError) -> ReplyLine? {
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
    public func arrivedPush() throws(ClientError) -> ReplyLine? {
        if !pushes.isEmpty { return pushes.removeFirst() }
        while let line = try arrivedLine() {
            if line.kind == .push { return line }
        }
        return nil
    }

    /// Sends the requests that wait, then shuts down the sending side of the connection.
    public func endSending() throws(ClientError) {
        let deadline = Deadline(after: timeout)
        while unsentCount > 0 { try wait(for: nil, deadline) }
        try wire.endSending()
    }
}

// The primitives of the pipe and the prompt.
extension StoreConnection {
    /// Returns a line of any kind that has arrived already; nil if there is none.
    package func arrivedLine() throws(ClientError) -> ReplyLine? {
        while let bytes = wire.arrivedLine() {
            guard let line = ReplyLine(bytes) else { throw .violation(bytes) }
            if line.kind == .notice, line.json.starts(with: #"{"draining":"#.utf8) { isDraining = true }
            guard givenUp > 0, line.kind == .row || line.isFinal else { return line }
            if line.isFinal { givenUp -= 1 }
        }
        return nil
    }

    /// True once the store has closed the connection and all its bytes were received.
    package var isOver: Bool { wire.isAtEnd }

    /// Waits until bytes were sent or received, or `descriptor` is readable; returns true for the last.
    package func wait(for descriptor: Int32) throws(ClientError) -> Bool {
        try wait(for: descriptor, Deadline(after: nil))
    }

    /// The end of a wait.
    package enum Waited: Equatable {
        /// Bytes were sent or received.
        case moved
        /// The other descriptor is readable.
        case other
        /// Nothing has come in the time.
        case silence
    }

    /// Waits until bytes were sent or received, or `other` is readable, up to a duration.
    package func wait(for other: Int32?, within limit: Duration) throws(ClientError) -> Waited {
        do throws(ClientError) {
            return try wait(for: other, Deadline(after: limit)) ? .other : .moved
        } catch {
            guard case .timedOut = error else { throw error }
            return .silence
        }
    }

    /// Waits until bytes were sent or received, or `other` is readable; returns true for the last.
    @discardableResult
    func wait(for other: Int32?, _ deadline: Deadline) throws(ClientError) -> Bool {
        try wire.wait(for: other, deadline, interruption: interruption, alarm: alarm)
    }

    private func nextLine(_ deadline: Deadline) throws(ClientError) -> ReplyLine? {
        while true {
            if let line = try arrivedLine() { return line }
            if wire.isAtEnd { return nil }
            try wait(for: nil, deadline)
        }
    }
}
