import StoryCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The position of a cursor's share: every event of it through `at` is done.
public struct CursorPlace: Hashable, Sendable, Decodable {
    /// The number of the share, from 1.
    public let share: Int
    /// The position.
    public let at: UInt64
}

/// The settings of a cursor; those that are nil are the store's: all events, from the first on, one share, a window of 100, a
/// lease of 30 seconds, and 5 attempts.
public struct CursorSettings: Hashable, Sendable {
    /// The start of a new cursor.
    public enum Start: Hashable, Sendable {
        /// The first event at or after a position.
        case position(UInt64)
        /// The first event after those that are in the log when the cursor is made.
        case end
    }

    /// The events.
    public var selection: EventSelection
    /// Only events that have all of these tags.
    public var tags: [String]?
    /// Only events of these types.
    public var types: [String]?
    /// Only events of this query.
    public var query: EventQuery?
    /// The start; nil: the first event.
    public var from: Start?
    /// The number of shares, 1–64, and of workers that do events at once: each those of some streams.
    public var shares: Int?
    /// The events of a share that may be delivered and not done, 1–1,000.
    public var window: Int?
    /// The time without a word after which a share with events that are not done is lost, 1–3,600 seconds.
    public var lease: Duration?
    /// The deliveries of an event before it is parked, 0–100; 0: never.
    public var attempts: Int?

    /// Creates settings.
    public init(
        _ selection: EventSelection = .all, tags: [String]? = nil, types: [String]? = nil, query: EventQuery? = nil,
        from: Start? = nil, shares: Int? = nil, window: Int? = nil, lease: Duration? = nil, attempts: Int? = nil
    ) {
        (self.selection, self.tags, self.types, self.query) = (selection, tags, types, query)
        (self.from, self.shares, self.window, self.lease, self.attempts) = (from, shares, window, lease, attempts)
    }

    var json: JSONText {
        func list(_ name: String, _ words: [String]?) -> [String] {
            words.map { ["\"\(name)\":[\($0.map(JSONText.quoted).joined(separator: ","))]"] } ?? []
        }
        func number(_ name: String, _ value: Int?) -> [String] { value.map { ["\"\(name)\":\($0)"] } ?? [] }
        let start: [String] =
            switch from {
            case .position(let position): ["\"from\":\(position)"]
            case .end: ["\"from\":\"end\""]
            case nil: []
            }
        var members = ["\"on\":\(JSONText.quoted(selection.events))"] + list("tags", tags) + list("types", types)
        members += (query.map { ["\"query\":\($0)"] } ?? []) + start + number("shares", shares)
        members += number("window", window)
        members += number("lease", lease.map { Int($0 / .milliseconds(1)) }) + number("attempts", attempts)
        return JSONText(trusted: "{\(members.joined(separator: ","))}")
    }
}

/// A share of a cursor as a store lists it.
public struct CursorState: Hashable, Sendable, Decodable {
    /// The process that holds a cursor.
    public struct Holder: Hashable, Sendable, Decodable {
        /// The ID of the user whose process it is.
        public let uid: UInt32
        /// The ID of the process; nil where it is not known.
        public let pid: UInt32?
        /// The time since when it holds the cursor.
        public let since: Date
    }

    /// The oldest event that was delivered and is not done.
    public struct Oldest: Hashable, Sendable, Decodable {
        /// The position of the event.
        public let event: UInt64
        /// The number of its delivery.
        public let attempt: Int
    }

    /// Its name.
    public let cursor: String
    /// The number of the share, and the number of shares.
    public let share, shares: Int
    /// The events: `events/order-*`.
    public let on: String
    /// The position that every event through it is done at.
    public let at: UInt64
    /// The number of positions that it has to look at.
    public let lag: UInt64
    /// `free`, `idle`, `working`, `full`, `backoff`, `parkedLimit`, `diverged` or `elsewhere`.
    public let state: String
    /// The process that holds it; nil while nobody does, or at a store that takes no writes.
    public let holder: Holder?
    /// The number of events that were delivered and are not done; nil while nobody holds it.
    public let outstanding: Int?
    /// The oldest of them; nil where there is none.
    public let oldest: Oldest?
    /// The number of connections that wait for the share; nil: none.
    public let waiting: Int?
    /// The number of events that were set aside.
    public let parked: UInt64
    /// Its settings; the lease is in milliseconds.
    public let window, lease, attempts: Int
}

/// An event that was set aside.
public struct ParkedEvent: Hashable, Sendable, Decodable {
    /// The position of the event.
    public let event: UInt64
    /// The number of the share.
    public let share: Int
    /// The event's stream and type; nil where the event cannot be read.
    public let stream, type: String?
    /// The number of its deliveries.
    public let attempts: Int
    /// The last error that a worker told.
    public let error: String?
    /// The time when it was set aside.
    public let since: Date?
    /// True where it is to be delivered once more.
    public let retrying: Bool
}

/// The cursors of a store: named positions in the log, from which workers do one event after the other.
public struct Cursors: Sendable {
    /// The store.
    public let client: StoreClient

    /// Makes a cursor, or changes its window, lease or attempts. A ``worker(_:_:confirming:)`` with settings does
    /// so by itself.
    ///
    /// - Parameters:
    ///   - name: 1–64 of the characters of an ID.
    ///   - settings: the selection, which stays as it is, and the rest.
    ///   - key: the idempotency key; nil: a random one.
    ///   - version: the version that the cursor's stream must be at; nil: any.
    /// - Throws: `ClientError`, `exists` where another setting of the cursor is another; or `CancellationError`.
    @discardableResult
    public func define(
        _ name: String, _ settings: CursorSettings, key: String? = nil, version: UInt64? = nil
    ) async throws -> Receipt {
        let line = RequestLine(.cursor, name).option("key", key ?? UUID().uuidString)
            .option("version", version.map(String.init)).body(settings.json)
        return try await client.write(line)
    }

    /// Returns the state of each share of a cursor, or of all cursors.
    ///
    /// - Throws: `ClientError`, `notFound` where there is none; or `CancellationError`.
    public func list(_ name: String? = nil) async throws -> [CursorState] {
        try await client.ask(RequestLine(.cursors, name)).rows.map {
            try StoreDecoder.decode(CursorState.self, $0.json)
        }
    }

    /// Returns a page of the events of a cursor that were set aside.
    ///
    /// - Parameters:
    ///   - name: the name of the cursor.
    ///   - after: the `next` of the page before, or the position of an event.
    ///   - limit: 1–1,000; nil: 50.
    /// - Throws: `ClientError` or `CancellationError`.
    public func parked(_ name: String, after: String? = nil, limit: Int? = nil) async throws -> Page<ParkedEvent> {
        let line = RequestLine(.parked, name).option("after", after).option("limit", limit.map(String.init))
        return try Page(await client.ask(line))
    }

    /// Has a parked event delivered once more; nil: all of the cursor. Returns their number.
    ///
    /// - Throws: `ClientError`, `notFound` where it is not parked; or `CancellationError`.
    @discardableResult
    public func retry(_ name: String, event: UInt64? = nil) async throws -> UInt64 {
        let reply = try await client.askAlone(RequestLine(.retry, name + (event.map { "@\($0)" } ?? "")))
        return JSONMembers(reply.final.json)?.number("retrying") ?? 0
    }

    /// Gives a parked event up, for a reason of 1–200 characters that stays for ever. For administrators.
    ///
    /// - Throws: `ClientError`, `notFound` where it is not parked; or `CancellationError`.
    public func discard(_ name: String, event: UInt64, reason: String) async throws {
        _ = try await client.askAlone(RequestLine(.discard, "\(name)@\(event)").option("reason", reason))
    }

    /// The end of the events that are done after a reset.
    public enum Place: Hashable, Sendable {
        /// Nothing is done.
        case start
        /// Everything that is in the log is done.
        case end
        /// Everything through a position is done.
        case position(UInt64)

        fileprivate var option: String {
            switch self {
            case .start: "start"
            case .end: "end"
            case .position(let position): "\(position)"
            }
        }
    }

    /// Has all shares of a cursor begin again behind a position; events that were set aside behind it are not any more. For
    /// administrators.
    ///
    /// - Throws: `ClientError`, `held` while a worker has a share; or `CancellationError`.
    @discardableResult
    public func reset(_ name: String, to place: Place) async throws -> Receipt {
        let reply = try await client.askAlone(RequestLine(.reset, name).option("to", place.option))
        return try StoreDecoder.decode(Receipt.self, reply.final.json)
    }

    /// Removes a cursor, whose name is never used again. For administrators.
    ///
    /// - Throws: `ClientError`, `held` while a worker has a share; or `CancellationError`.
    public func drop(_ name: String) async throws { _ = try await client.askAlone(RequestLine(.drop, name)) }

    /// Returns the jobs of a share of a cursor: its events from the first on that is not done, then live.
    ///
    /// A share has one worker at a time, and the loop waits while others have all of them. It has a connection of its own,
    /// which is made again when it is lost; leaving the loop gives the share back.
    ///
    /// - Parameters:
    ///   - cursor: the name of the cursor.
    ///   - settings: makes the cursor with these settings where there is none; nil: there is one.
    ///   - isConfirmed: true to go on where the store has another history than the last worker knew, such as a restored
    ///     copy; else that throws `diverged`.
    public func worker(
        _ cursor: String, _ settings: CursorSettings? = nil, confirming isConfirmed: Bool = false
    ) -> Worker { Worker(dialer: client.dialer, cursor: cursor, settings: settings, isConfirmed: isConfirmed) }
}
