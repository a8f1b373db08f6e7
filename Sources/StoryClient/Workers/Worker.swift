import StoryCore

/// A sequence of the jobs of a share of a cursor, without end but for that of a temporary ``Store``.
///
/// ```swift
/// for try await job in store.cursors.worker("billing", CursorSettings(.category("order"))) {
///     try await job.append([try NewEvent("Billed", ["of": job.event.position])], to: "invoice-1")
/// }
/// ```
///
/// Each job ends by one of its methods. One that the loop leaves without any is done with a later one of its
/// share; where none is, it comes again.
public struct Worker: AsyncSequence, Sendable {
    public typealias Element = Job
    public typealias Failure = any Error

    let dialer: Dialer
    let cursor: String
    let settings: CursorSettings?
    let isConfirmed: Bool

    /// The iterator over the jobs.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Gives the cursor back once nobody iterates.
        private final class Owner: Sendable {
            let connection: WorkerConnection

            init(_ connection: WorkerConnection) { self.connection = connection }

            deinit {
                let connection = connection
                Task { await connection.close() }
            }
        }

        private let owner: Owner

        init(_ worker: Worker) { owner = Owner(WorkerConnection(worker)) }

        /// Returns the next job; waits until there is one.
        ///
        /// - Throws: `ClientError`, `diverged` where the store has another history; or `CancellationError`.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Job? {
            guard let delivered = try await owner.connection.next() else { return nil }
            return Job(delivered, owner.connection)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// An event for a worker. It ends by ``done()``, by ``fail(_:after:)`` or ``park(_:)``, or by a write in whose commit it is done.
public struct Job: Sendable {
    /// The event.
    public let event: Event
    /// The number of the delivery, from 1.
    public let attempt: Int
    /// True where the event was set aside, and comes once more.
    public let isParked: Bool
    private let connection: WorkerConnection

    init(_ delivered: WorkerConnection.Delivered, _ connection: WorkerConnection) {
        (event, attempt, isParked) = (delivered.event, delivered.attempt, delivered.isParked)
        self.connection = connection
    }

    /// Appends events to a stream; the event of the job is done in the same commit, and all before it.
    ///
    /// After a lost connection the worker looks whether that was done, and does it once.
    ///
    /// - Returns: the receipt; nil where the connection was lost after the write was done.
    /// - Throws: `ClientError`, with the code `lost` where another worker has the cursor now: nothing was written; or
    ///   `CancellationError`.
    @discardableResult
    public func append(
        _ events: [NewEvent], to stream: String, version: UInt64? = nil, unless: [Unless] = [], log: String? = nil
    ) async throws -> Receipt? {
        let line = RequestLine(.append, stream).option("version", version.map(String.init))
            .option("unless", unless.option).option("log", log)
        let body = JSONText(trusted: "[\(events.map(\.json).joined(separator: ","))]")
        let reply = try await connection.write(line, with: body, for: self)
        return try reply.map { try StoreDecoder.decode(Receipt.self, $0.final.json) }
    }

    /// Appends events to several streams, as `append(_:to:)` does.
    ///
    /// - Returns: a receipt for each stream; nil where the connection was lost after the write was done.
    /// - Throws: as `append(_:to:)`.
    @discardableResult
    public func append(
        _ events: [StreamEvent], unless: [Unless] = [], log: String? = nil
    ) async throws -> [Receipt]? {
        let line = RequestLine(.append, "*").option("unless", unless.option).option("log", log)
        let body = JSONText(trusted: "[\(events.map(\.json).joined(separator: ","))]")
        let reply = try await connection.write(line, with: body, for: self)
        return try reply?.rows.map { try StoreDecoder.decode(Receipt.self, $0.json) }
    }

    /// Notes that the event is done, and all before it; several are sent to the store together.
    ///
    /// For an effect outside the log: the position of the event is its idempotency key, since a worker that ends here does
    /// the event again.
    ///
    /// - Throws: `ClientError`.
    public func done() async throws { try await connection.done(self) }

    /// Notes that the event failed: it comes again after a delay, and is parked after the cursor's number of attempts.
    ///
    /// - Parameters:
    ///   - error: the reason, for the list of parked events.
    ///   - delay: nil: one that grows with each attempt.
    /// - Throws: `ClientError` or `CancellationError`.
    public func fail(_ error: String? = nil, after delay: Duration? = nil) async throws {
        try await connection.fail(self, error: error) {
            $0.option("delay", delay.map { "\(Int64($0 / .milliseconds(1)))" })
        }
    }

    /// Sets the event aside at once, so that the next ones go on: ``Cursors/parked(_:after:limit:)`` lists it.
    ///
    /// - Parameter error: the reason, for the list of parked events.
    /// - Throws: `ClientError` or `CancellationError`.
    public func park(_ error: String? = nil) async throws {
        try await connection.fail(self, error: error) { $0.option("park", "true") }
    }

    /// Tells the store that this worker is still at it, which renews its lease.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func stillWorking() async throws { try await connection.stillWorking() }
}

extension WorkerConnection {
    /// An event that was delivered.
    struct Delivered: Sendable {
        let event: Event
        let attempt: Int
        let isParked: Bool
    }
}

extension Job {
    /// The greatest length of an error, in characters.
    private static let mostError = 1_000

    /// Returns an error as a request has it; nil where it has no text.
    static func told(_ error: String) -> String? {
        error.isEmpty ? nil : String(error.prefix(mostError).map { $0.isControl ? " " : $0 })
    }
}

extension ClientError {
    /// True where a worker connects again.
    var isLoss: Bool {
        switch self {
        case .connectionLost, .draining, .unavailable: true
        default: false
        }
    }
}

extension Character {
    /// True for a control character, which no error text may have.
    fileprivate var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
