import Synchronization

/// The time limit and the pauses for making a lost connection and sending a request again.
public struct RetryPolicy: Hashable, Sendable {
    /// The time limit, from the first failure on.
    public var limit: Duration
    /// The pause before the second attempt; each further one may be twice as long.
    public var firstDelay: Duration
    /// The longest pause.
    public var maxDelay: Duration

    /// Creates a policy; the default is 20 seconds, with pauses from 10 milliseconds to one second.
    public init(
        limit: Duration = .seconds(20), firstDelay: Duration = .milliseconds(10), maxDelay: Duration = .seconds(1)
    ) {
        self.limit = limit
        self.firstDelay = firstDelay
        self.maxDelay = maxDelay
    }

    /// Returns the pause before an attempt, 0 being the first: exponential back-off up to `maxDelay`, times a random
    /// factor from 0.5 to 1, so that many clients do not come back at the same moment.
    func delay(before attempt: Int) -> Duration {
        guard attempt > 0 else { return .zero }
        let doublings = Double(1 << min(attempt - 1, 20))
        return min(maxDelay, firstDelay * doublings) * Double.random(in: 0.5...1)
    }
}

/// A connector to a store, which retries until it succeeds or the time limit is reached.
struct Dialer: Sendable {
    let address: StoreAddress
    let policy: RetryPolicy
    /// The number of bytes of lines that a connection buffers for a slow reader.
    let readAhead: Int
    /// The time without a word after which a subscription sends `PING`, and then the time after which its connection is
    /// lost.
    let silence: Duration
    /// The highest position that was seen over any connection.
    let seen: SeenPosition
    /// True once the store has ended for good.
    let isOver = Flag()

    /// Creates a connector to the stores of an address.
    init(address: StoreAddress, configuration: StoreClient.Configuration) {
        self.address = address
        policy = configuration.retry
        readAhead = max(1, configuration.readAhead)
        silence = configuration.silence
        seen = SeenPosition(ofMany: address.endpoints.count > 1)
    }

    /// A connection whose greeting was read.
    struct Link: Sendable {
        let channel: Channel
        let greeting: Greeting
        /// The lines that arrived after the greeting.
        let rest: [ReplyLine]
        /// The number of its endpoint in the list.
        let endpoint: Int
        /// The number of the endpoint that follows in the list, to go on at when this connection ends.
        let next: Int
    }

    /// Returns the number of the endpoint that an address names, as a store tells it; nil where it is none of the list.
    func endpoint(at address: String?) -> Int? {
        guard let address else { return nil }
        return self.address.endpoints.firstIndex { [address, "tls://" + address].contains($0.description) }
    }

    /// Returns a new connection; retries until the time limit, each time at the next endpoint of the list.
    ///
    /// - Parameters:
    ///   - attempt: the number of connections in a row that were of no use; it sets the pause before the first attempt.
    ///   - first: the number of the endpoint to begin with.
    /// - Throws: `ClientError`, or `CancellationError`.
    func connect(attempt: Int = 0, from first: Int = 0) async throws -> Link {
        let began = ContinuousClock.now
        let deadline = began + policy.limit
        let count = address.endpoints.count
        var (attempt, number, hopeless) = (attempt, first, 0)
        while true {
            try await Task.sleep(for: policy.delay(before: attempt / count))
            guard !isOver.isSet else { throw ClientError.closed }
            do throws(ClientError) {
                return try await greeted(at: number % count, until: deadline)
            } catch {
                try Task.checkCancellation()
                hopeless = error.retry == .later || error.retry == .same ? 0 : hopeless + 1
                guard hopeless < count else { throw error }
                guard ContinuousClock.now < deadline else { throw told(error, since: began) }
            }
            attempt += 1
            number += 1
        }
    }

    /// Makes one attempt.
    private func greeted(at number: Int, until deadline: ContinuousClock.Instant) async throws(ClientError) -> Link {
        let endpoint = address.endpoints[number]
        let channel = try Channel(to: endpoint, readAhead: readAhead)
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            channel.closeIfSilent()
        }
        defer { timer.cancel() }
        do throws(ClientError) {
            return try await link(channel, number)
        } catch {
            channel.close()
            throw error
        }
    }

    private func link(_ channel: Channel, _ number: Int) async throws(ClientError) -> Link {
        let received = await channel.receive()
        guard case .lines(let lines) = received, let first = lines.first else {
            if case .ended(let error) = received {
                switch error {
                case .protocolViolation, .unreachable, .insecure: throw error
                default: break
                }
            }
            let path = address.endpoints[number].description
            throw .unreachable(path: path, reason: "it does not greet", after: .zero)
        }
        // A store that is full or stopping, or that denies this user, sends a failure instead of the greeting.
        if first.kind == .failed { throw ClientError(Refusal(json: first.json)) }
        guard first.kind == .notice, let greeting = try? StoreDecoder.decode(Greeting.self, first.json),
            greeting.protocolVersion == 1
        else { throw .protocolViolation(String(first.text.prefix(200))) }
        let next = (number + 1) % address.endpoints.count
        return Link(
            channel: channel, greeting: greeting, rest: Array(lines.dropFirst()), endpoint: number, next: next)
    }

    /// A flag that is set once, for all who share it.
    final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .acquiring) }

        func set() { value.store(true, ordering: .releasing) }
    }

    private func told(_ error: ClientError, since began: ContinuousClock.Instant) -> ClientError {
        guard case .unreachable(let path, let reason, _) = error else { return error }
        return .unreachable(path: path, reason: reason, after: ContinuousClock.now - began)
    }
}
