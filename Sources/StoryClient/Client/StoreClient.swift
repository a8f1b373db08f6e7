/// A client of a store, for any number of tasks at once, over one connection.
///
/// Requests are pipelined. A lost connection is made again: queries are sent again, and so are writes, with the key
/// that they had, so that each is done exactly once. No call blocks a task's thread.
///
/// A call that waits throws a `ClientError`, or a `CancellationError` when its task is cancelled. It is unknown whether
/// a cancelled write was carried out; one with a key of yours can be sent again. Requests are carried out in the order
/// in which they were made on one connection, except for ``checkpoint()``, ``verify()``, ``backup(to:)`` and erasures,
/// which use connections of their own. The order may change after a lost connection, or when the store asks for a
/// later retry.
///
/// ``Configuration/timeLimit``, or ``within(_:)`` for some calls, limits the duration of a call. A call that takes
/// longer throws ``ClientError/timedOut(request:after:wasSent:)``; the connection stays open, and the late reply is
/// dropped. A write that was sent may still be carried out: sent again with the same `key:` it is done once, and
/// returns the receipt that was missed. Without a key of yours, read the state before you decide again.
public final class StoreClient: Sendable {
    /// The settings of a client.
    public struct Configuration: Hashable, Sendable {
        /// The retry policy for lost connections and temporary refusals.
        public var retry: RetryPolicy
        /// The number of bytes of lines that a connection reads ahead. A subscription with a stalled reader buffers
        /// this much, and the rest stays in the store.
        public var readAhead: Int
        /// The time limit of a call, including connecting and retries; nil: none. It applies to each page of a paged
        /// call, and not to subscriptions.
        public var timeLimit: Duration?
        /// The time without a word after which a subscription asks whether the store is there.
        package var silence = Duration.seconds(30)

        /// Creates a configuration; the default reads 64 KiB ahead and has no time limit.
        public init(retry: RetryPolicy = RetryPolicy(), readAhead: Int = 65_536, timeLimit: Duration? = nil) {
            self.retry = retry
            self.readAhead = readAhead
            self.timeLimit = timeLimit
        }
    }

    /// The address of the store.
    public let address: StoreAddress
    /// The time limit of a call; nil: none.
    public let timeLimit: Duration?
    let minimum: Minimum?
    let dialer: Dialer
    /// Replies are decoded outside of this actor, so that a long one does not delay the others.
    private let exchange: Exchange

    /// Creates a client, which connects when the first request is made.
    public init(_ address: StoreAddress, configuration: Configuration = Configuration()) {
        self.address = address
        dialer = Dialer(address: address, configuration: configuration)
        timeLimit = configuration.timeLimit
        minimum = nil
        exchange = Exchange(dialer)
    }

    private init(_ client: StoreClient, timeLimit: Duration?, minimum: Minimum?) {
        (address, dialer, exchange, self.timeLimit) = (client.address, client.dialer, client.exchange, timeLimit)
        self.minimum = minimum
    }

    /// Returns this client, over the same connection, with another limit for its calls:
    /// `client.within(.seconds(2)).ping()`.
    ///
    /// - Parameter timeLimit: the time limit of a call; nil: none.
    public func within(_ timeLimit: Duration?) -> StoreClient {
        StoreClient(self, timeLimit: timeLimit, minimum: minimum)
    }

    /// Returns this client, over the same connection, whose queries wait until the store is at a position; they throw
    /// ``ClientError/behind(message:position:)`` where it is not there in time. Lists and rows that are followed wait as well.
    ///
    /// - Parameter minimum: the position; nil: any.
    public func atLeast(_ minimum: Minimum?) -> StoreClient {
        StoreClient(self, timeLimit: timeLimit, minimum: minimum)
    }

    /// Returns the store's greeting; connects first if there is no connection.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func greeting() async throws -> Greeting {
        while true {
            if let greeting = await exchange.greeting { return greeting }
            _ = try await ping()
        }
    }

    /// Ends the connection. Requests without a reply fail with `ClientError.closed`, as do all later ones.
    /// Subscriptions have connections of their own, and continue. Clients that `within` returned are closed, too.
    public func close() async { await exchange.close() }

    /// Sends a request and returns its whole reply; retries after temporary failures.
    ///
    /// - Throws: `ClientError` for a refusal or a missing reply, or `CancellationError`.
    func ask(_ request: RequestLine) async throws -> StoreReply {
        try await exchange.ask(request.minimum(minimum), within: timeLimit)
    }

    /// Sends a request over a connection of its own, since the store handles no other one beside long work.
    ///
    /// - Throws: `ClientError` for a refusal or a missing reply, or `CancellationError`.
    func askAlone(_ request: RequestLine) async throws -> StoreReply {
        guard await !exchange.isClosed else { throw ClientError.closed }
        return try await Exchange(dialer).askOnce(request, within: timeLimit)
    }
}
