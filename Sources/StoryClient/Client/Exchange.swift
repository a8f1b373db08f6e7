import StoryCore

/// A client's requests and their replies, over one connection that is made again when it is lost.
actor Exchange {
    private let dialer: Dialer
    private var calls = CallTable()
    private var waiting: [UInt64: Waiting] = [:]
    private var lastID: UInt64 = 0
    private var link: Link = .none
    /// The number of connections in a row that ended without a reply.
    private var fruitless = 0
    /// The numbers of the endpoints in the list: that of the connection, and the one to connect to next.
    private var (current, endpoint) = (0, 0)
    /// True once another endpoint is to be asked: nothing more is sent, and the connection ends with its last reply.
    private var isLeaving = false
    private var lastGreeting: Greeting?
    /// The number of the current connection, from 1; lines of earlier ones are ignored.
    private var connection = 0

    /// The state of the connection.
    private enum Link {
        case none
        case connecting
        case open(Channel)
        case closed
    }

    /// A caller that waits for a reply.
    private struct Waiting {
        let request: RequestLine
        let continuation: CheckedContinuation<StoreReply, any Error>
        /// The time of its first failure.
        var troubledSince: ContinuousClock.Instant?
        /// The number of times that it was refused for the moment.
        var refusals = 0
        /// The request was in flight when a connection was lost: it is unknown whether it was carried out until the
        /// store has done or refused it.
        var isUncertain = false
        /// The numbers of the endpoints that refused it as `notLeader`.
        var followers: Set<Int> = []
    }

    /// Creates an exchange that connects when the first request is made.
    init(_ dialer: Dialer) { self.dialer = dialer }

    deinit { if case .open(let channel) = link { channel.close() } }

    /// The store's greeting; nil while there is no connection.
    var greeting: Greeting? {
        if case .open = link { lastGreeting } else { nil }
    }

    /// True once `close` was called.
    var isClosed: Bool { if case .closed = link { true } else { false } }

    /// Ends the connection. Requests without a reply fail with `ClientError.closed`, as do all later ones.
    func close() {
        if case .open(let channel) = link {
            channel.send("\(RequestLine(.quit).text)\n".utf8)
            channel.close()
        }
        link = .closed
        failAll(.closed)
    }

    /// Asks a request, and ends the connection.
    ///
    /// - Throws: as `ask`.
    func askOnce(_ request: RequestLine, within limit: Duration?) async throws -> StoreReply {
        defer { close() }
        return try await ask(request, within: limit)
    }

    /// Sends a request and returns its whole reply; retries after temporary failures.
    ///
    /// - Parameter limit: the time limit for all of that; nil: none.
    /// - Throws: `ClientError` for a refusal or a missing reply, or `CancellationError`.
    func ask(_ request: RequestLine, within limit: Duration?) async throws -> StoreReply {
        try Task.checkCancellation()
        if case .closed = link { throw ClientError.closed }
        if let limit, limit <= .zero {
            throw ClientError.timedOut(request: request.name, after: limit, wasSent: false)
        }
        lastID += 1
        let id = lastID
        guard fits(request, id) else { throw tooLarge }
        let timer = limit.map { limit in
            Task { [weak self] in
                try await Task.sleep(for: limit)
                await self?.timeIsUp(id, limit)
            }
        }
        defer { timer?.cancel() }
        let reply = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting[id] = Waiting(request: request, continuation: continuation)
                calls.add(id, request)
                advance()
            }
        } onCancel: {
            Task { await self.cancel(id) }
        }
        if let refusal = reply.refusal { throw ClientError(refusal) }
        return reply
    }

    /// Returns true for a request that is no longer than a line may be, as far as that is known.
    private func fits(_ request: RequestLine, _ id: UInt64) -> Bool {
        "@\(id) \(request.text)".utf8.count <= lastGreeting?.limits.line ?? .max
    }

    private var tooLarge: ClientError {
        let limit = lastGreeting?.limits.line
        return .tooLarge(message: "the request is longer than \(limit ?? 0) bytes", limit: limit)
    }

    private func cancel(_ id: UInt64) {
        _ = calls.cancel(id)
        waiting.removeValue(forKey: id)?.continuation.resume(throwing: CancellationError())
    }

    /// Fails a call at its time limit.
    private func timeIsUp(_ id: UInt64, _ limit: Duration) {
        guard let call = waiting[id] else { return }
        let wasSent = calls.wasSent(id) || call.isUncertain
        fail(id, .timedOut(request: call.request.name, after: limit, wasSent: wasSent))
    }

    /// Sends the requests that may be sent; connects first if there is no connection.
    private func advance() {
        switch link {
        case .open(let channel):
            if isLeaving {
                guard calls.sent.isEmpty else { return }
                channel.close()
                return disconnected(.connectionLost, connection)
            }
            let bytes = calls.takeSendable()
            if !bytes.isEmpty { channel.send(bytes) }
        case .none: if calls.count > 0 { connect() }
        case .connecting, .closed: break
        }
    }

    private func connect() {
        link = .connecting
        connection += 1
        // Weak, so that a client without references ends its connection.
        Task { [weak self, dialer, fruitless, connection, endpoint] in
            do {
                let link = try await dialer.connect(attempt: fruitless, from: endpoint)
                guard await self?.connected(link) == true else { return link.channel.close() }
                while true {
                    switch await link.channel.receive() {
                    case .lines(let lines): await self?.deliver(lines, of: connection)
                    case .ended(let error):
                        await self?.disconnected(error, connection)
                        return
                    }
                }
            } catch {
                await self?.couldNotConnect(error as? ClientError ?? .connectionLost)
            }
        }
    }
}

// Changes of the connection, and retries.
extension Exchange {
    private func connected(_ new: Dialer.Link) -> Bool {
        guard case .connecting = link else { return false }
        link = .open(new.channel)
        isLeaving = false
        if let log = new.greeting.log, let last = lastGreeting?.log, log != last { failWrites(sentTo: log) }
        lastGreeting = new.greeting
        calls.limit = new.greeting.limits.inflight
        for (id, call) in waiting where !fits(call.request, id) { fail(id, tooLarge) }
        calls.minimum = dialer.seen.missing(new.greeting).map(Minimum.position)
        dialer.seen.note(new.greeting.position, of: new.greeting.log)
        (current, endpoint) = (new.endpoint, new.next)
        fruitless += 1
        deliver(new.rest, of: connection)
        return true
    }

    private func couldNotConnect(_ error: ClientError) {
        guard case .connecting = link else { return }
        link = .none
        for (id, call) in waiting where call.isUncertain { fail(id, .connectionLost) }
        failAll(error)
    }

    private func deliver(_ lines: [ReplyLine], of number: Int) {
        guard case .open = link, number == connection else { return }
        for line in lines {
            switch calls.take(line) {
            case .nothing: break
            case .replied(let id, let reply): replied(id, reply)
            case .unexpected: return breakOff(.protocolViolation(String(line.text.prefix(200))))
            }
        }
        advance()
    }

    private func breakOff(_ error: ClientError) {
        if case .open(let channel) = link { channel.close() }
        link = .none
        failAll(error)
    }

    private func disconnected(_ error: ClientError, _ number: Int) {
        guard case .open = link, number == connection else { return }
        link = .none
        if case .protocolViolation = error { return failAll(error) }
        for id in calls.lostConnection() { fail(id, .connectionLost) }
        for id in waiting.keys where calls.wasSent(id) { waiting[id]?.isUncertain = true }
        for id in waiting.keys where !mayTryAgain(id) { fail(id, .connectionLost) }
        advance()
    }

    private func replied(_ id: UInt64, _ reply: StoreReply) {
        fruitless = 0
        noteSeen(id, reply)
        let isForLeader = reply.refusal.map { mayHaveLeader(id, $0) } ?? false
        if let refusal = reply.refusal, isForLeader || refusal.retry == "later" || refusal.retry == "same" {
            if mayTryAgain(id) {
                // The call waits already when the connection ends, so that it is not taken for one that was lost.
                sendLater(id)
                if isForLeader { endpoint = dialer.endpoint(at: refusal.address) ?? endpoint }
                if isForLeader || refusal.code == .unavailable { isLeaving = dialer.address.endpoints.count > 1 }
                return
            }
            // Refused this time; it is unknown whether the earlier attempt was carried out.
            if waiting[id]?.isUncertain == true { return fail(id, .connectionLost) }
        }
        var reply = reply
        reply.log = lastGreeting?.log
        waiting.removeValue(forKey: id)?.continuation.resume(returning: reply)
    }

    /// Returns true for a refusal as `notLeader` where another endpoint of the list may be of the store that takes writes.
    private func mayHaveLeader(_ id: UInt64, _ refusal: Refusal) -> Bool {
        guard refusal.code == .notLeader else { return false }
        waiting[id]?.followers.insert(current)
        return waiting[id].map { $0.followers.count < dialer.address.endpoints.count } ?? false
    }

    /// Fails the writes that were sent to another history and have no reply.
    private func failWrites(sentTo log: String) {
        let message = "this was sent to another history, which gave no answer"
        for (id, call) in waiting where call.request.isWrite && (calls.wasSent(id) || call.isUncertain) {
            fail(id, .diverged(message: message, log: log, position: nil))
        }
    }

    /// Notes the position of a reply, so that no other store answers from before it.
    private func noteSeen(_ id: UInt64, _ reply: StoreReply) {
        // The row of a `GET` may have a field of that name.
        guard reply.refusal == nil, let verb = waiting[id]?.request.verb, verb != .read(.get), verb != .read(.models)
        else { return }
        dialer.seen.note(JSONMembers(reply.final.json)?.number("position"), of: lastGreeting?.log)
    }

    /// Returns true while the time limit for retries, which starts at the first failure, is not reached.
    private func mayTryAgain(_ id: UInt64) -> Bool {
        let now = ContinuousClock.now
        let since = waiting[id]?.troubledSince ?? now
        waiting[id]?.troubledSince = since
        return now - since < dialer.policy.limit
    }

    /// Sends a request again after a pause, if its caller still waits for it then.
    private func sendLater(_ id: UInt64) {
        waiting[id]?.refusals += 1
        let pause = dialer.policy.delay(before: waiting[id]?.refusals ?? 1)
        Task { [weak self] in
            try? await Task.sleep(for: pause)
            await self?.sendAgain(id)
        }
    }

    private func sendAgain(_ id: UInt64) {
        guard let request = waiting[id]?.request else { return }
        calls.add(id, request)
        advance()
    }

    /// Fails a call; a request that was sent stays in flight, and its late reply is dropped.
    private func fail(_ id: UInt64, _ error: ClientError) {
        _ = calls.cancel(id)
        waiting.removeValue(forKey: id)?.continuation.resume(throwing: error)
    }

    private func failAll(_ error: ClientError) {
        _ = calls.removeAll()
        for id in waiting.keys.sorted() { fail(id, error) }
    }
}
