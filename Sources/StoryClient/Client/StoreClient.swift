/// A store, for any number of tasks at once, over one connection.
///
/// Requests are sent without waiting for one another's replies. A connection that is lost is made again: queries are sent
/// again, and writes with the key that they had, so that each is done exactly once. Nothing here blocks a thread of the
/// tasks'.
///
/// A call that waits throws a `ClientError`, or a `CancellationError` when its task is cancelled. What a cancelled write
/// did is unknown, unless it had a key of yours to send it again with. Requests are carried out in the order in which they
/// were made on one connection, but for copies and checks, which have one of their own; after it was lost, or where the
/// store asks to come back later, they may be carried out in another.
///
/// ``Configuration/timeLimit``, or ``within(_:)`` for some calls, says how long a call may take. One that takes longer
/// throws ``ClientError/timedOut(request:after:wasSent:)``; the connection goes on, and the late answer is dropped. A
/// write that was sent may still be carried out: sent again with the same `key:` it is done once, and returns the
/// receipt that was missed. Without a key of yours, read what became of it before you decide again.
public final class StoreClient: Sendable {
    /// How a client behaves.
    public struct Configuration: Hashable, Sendable {
        /// For how long lost connections are made again and refused requests sent again.
        public var retry: RetryPolicy
        /// How many bytes of lines a connection reads ahead of whoever takes them. A subscription whose reader stands
        /// still keeps this much, and the rest stays in the store.
        public var readAhead: Int
        /// How long a call may take, connecting and sending again included; nil: as long as the store takes. Of what
        /// comes in pages it is for each page, and subscriptions have none.
        public var timeLimit: Duration?

        /// A configuration; without arguments the usual one, which reads 64 KiB ahead and has no time limit.
        public init(retry: RetryPolicy = RetryPolicy(), readAhead: Int = 65_536, timeLimit: Duration? = nil) {
            self.retry = retry
            self.readAhead = readAhead
            self.timeLimit = timeLimit
        }
    }

    /// Where the store listens.
    public let address: StoreAddress
    /// How long a call may take; nil: as long as the store takes.
    public let timeLimit: Duration?
    let dialer: Dialer
    /// Decoding is done outside of this actor, so that a long answer holds up nobody else's.
    private let exchange: Exchange

    /// A client of a store; it connects when the first request is made.
    public init(_ address: StoreAddress, configuration: Configuration = Configuration()) {
        self.address = address
        dialer = Dialer(address: address, policy: configuration.retry, readAhead: max(1, configuration.readAhead))
        timeLimit = configuration.timeLimit
        exchange = Exchange(dialer)
    }

    private init(_ client: StoreClient, timeLimit: Duration?) {
        (address, dialer, exchange, self.timeLimit) = (client.address, client.dialer, client.exchange, timeLimit)
    }

    /// This client, over the same connection, with another limit for its calls: `client.within(.seconds(2)).ping()`.
    ///
    /// - Parameter timeLimit: how long a call may take; nil: as long as the store takes.
    public func within(_ timeLimit: Duration?) -> StoreClient { StoreClient(self, timeLimit: timeLimit) }

    /// What the store said when the connection was made, which is made if there is none.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func greeting() async throws -> Greeting {
        while true {
            if let greeting = await exchange.greeting { return greeting }
            _ = try await ping()
        }
    }

    /// Ends the connection. Requests without a reply fail with `ClientError.closed`, as do all later ones.
    /// Subscriptions are not ended by this: they have connections of their own. What `within` returned is closed, too.
    public func close() async { await exchange.close() }

    /// Sends a request, waits for its whole reply, and sends it again where that helps.
    ///
    /// - Throws: what the store refused it with, or why it has no reply.
    func ask(_ request: RequestLine) async throws -> StoreReply {
        try await exchange.ask(request, within: timeLimit)
    }

    /// The same over a connection of its own: of one that waits for long work the store takes up nothing else.
    ///
    /// - Throws: what the store refused it with, or why it has no reply.
    func askAlone(_ request: RequestLine) async throws -> StoreReply {
        guard await !exchange.isClosed else { throw ClientError.closed }
        let alone = Exchange(dialer)
        do {
            let reply = try await alone.ask(request, within: timeLimit)
            await alone.close()
            return reply
        } catch {
            await alone.close()
            throw error
        }
    }
}
