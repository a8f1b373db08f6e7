/// A connector to a store, which retries until it succeeds or the time limit is reached.
struct Dialer: Sendable {
    let address: StoreAddress
    let policy: RetryPolicy
    /// The number of bytes of lines that a connection buffers for a slow reader.
    let readAhead: Int

    /// A connection whose greeting was read.
    struct Link: Sendable {
        let channel: Channel
        let greeting: Greeting
        /// The lines that arrived after the greeting.
        let rest: [ReplyLine]
    }

    /// Returns a new connection; retries until the time limit.
    ///
    /// - Parameter attempt: the number of connections in a row that were of no use; it sets the pause before the first
    ///   attempt.
    /// - Throws: `ClientError`, or `CancellationError`.
    func connect(attempt: Int = 0) async throws -> Link {
        let began = ContinuousClock.now
        let deadline = began + policy.limit
        var attempt = attempt
        while true {
            try await Task.sleep(for: policy.delay(before: attempt))
            do throws(ClientError) {
                return try await greeted(until: deadline)
            } catch {
                try Task.checkCancellation()
                guard error.retry == .later || error.retry == .same else { throw error }
                guard ContinuousClock.now < deadline else { throw told(error, since: began) }
            }
            attempt += 1
        }
    }

    /// Makes one attempt.
    private func greeted(until deadline: ContinuousClock.Instant) async throws(ClientError) -> Link {
        let channel: Channel
        do throws(StoreError) {
            channel = try Channel(to: address, readAhead: readAhead)
        } catch {
            if case .cannotConnect(_, let reason) = error {
                throw .unreachable(path: address.path, reason: reason, after: .zero)
            }
            throw .unreachable(path: address.path, reason: error.description, after: .zero)
        }
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            channel.closeIfSilent()
        }
        defer { timer.cancel() }
        do throws(ClientError) {
            return try await link(channel)
        } catch {
            channel.close()
            throw error
        }
    }

    private func link(_ channel: Channel) async throws(ClientError) -> Link {
        let received = await channel.receive()
        guard case .lines(let lines) = received, let first = lines.first else {
            if case .ended(let error) = received, case .protocolViolation = error { throw error }
            throw .unreachable(path: address.path, reason: "it does not greet", after: .zero)
        }
        // A store that is full or stopping, or that denies this user, sends a failure instead of the greeting.
        if first.kind == .failed { throw ClientError(Refusal(json: first.json)) }
        guard first.kind == .notice, let greeting = try? StoreDecoder.decode(Greeting.self, first.json),
            greeting.protocolVersion == 1
        else { throw .protocolViolation(String(first.text.prefix(200))) }
        return Link(channel: channel, greeting: greeting, rest: Array(lines.dropFirst()))
    }

    private func told(_ error: ClientError, since began: ContinuousClock.Instant) -> ClientError {
        guard case .unreachable(let path, let reason, _) = error else { return error }
        return .unreachable(path: path, reason: reason, after: ContinuousClock.now - began)
    }
}
