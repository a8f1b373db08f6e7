import StoryCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An erasure whose bytes are gone.
public struct Erasure: Hashable, Sendable, Decodable {
    /// The number of the erasure, from 1.
    public let id: String
    /// The stream of the erasure's own events: `erasure-3`.
    public let stream: String
    /// The version of that stream.
    public let version: UInt64
    /// The position of the event that ended the erasure.
    public let position: UInt64
    /// The time when it ended.
    public let time: Date
    /// The number of events that were erased.
    public let events: UInt64
    /// The number of streams that they are of.
    public let streams: UInt64
    /// The size of their content, in bytes.
    public let bytes: UInt64
    /// The number of events whose key or tags stay.
    public let labelled: UInt64
    /// The fate of the bytes: `overwritten`, or `copyOnWrite` where the file system wrote elsewhere.
    public let media: String
}

/// An erasure as a store lists it.
public struct ErasureState: Hashable, Sendable, Decodable {
    /// The number of the erasure, from 1.
    public let id: String
    /// The position of its first event: from then on nobody reads the content.
    public let position: UInt64
    /// The position of the event that ended it; nil while it is under way in that store's directory.
    public let done: UInt64?
    /// Its target: `events/order-7`, `events/order-*`, `stories/12345`, or `events` for a selection by tags.
    public let target: String
    /// The rows that went with a user: `profile`, `own` or `all`; nil for other targets.
    public let scope: String?
    /// The fate of keys and tags: `keep` or `drop`.
    public let labels: String
    /// The reason that was given.
    public let reason: String
    /// The ID of the user whose process asked for it.
    public let by: UInt32
    /// The number of events that it takes.
    public let events: UInt64
    /// The number of streams that they are of.
    public let streams: UInt64
    /// The size of their content, in bytes.
    public let bytes: UInt64
    /// The number of events whose key or tags stay.
    public let labelled: UInt64
    /// The fate of the bytes, as that of an `Erasure`; nil while it is under way.
    public let media: String?
    /// At a node, the other nodes, and `etcd`, that may have the content yet; nil where there are none.
    public let waiting: [String]?
}

/// The result of a dry run of an erasure.
public struct ErasureCheck: Hashable, Sendable, Decodable {
    /// The events of one stream that would be erased.
    public struct Stream: Hashable, Sendable, Decodable {
        /// The name of the stream.
        public let stream: String
        /// The number of events.
        public let events: UInt64
        /// The size of their content, in bytes.
        public let bytes: UInt64
        /// The number of events whose key or tags would stay.
        public let labelled: UInt64
    }

    /// The streams, in the order of their first event.
    public fileprivate(set) var rows: [Stream] = []
    /// The number of events that would be erased.
    public let events: UInt64
    /// The number of streams that they are of.
    public let streams: UInt64
    /// The size of their content, in bytes.
    public let bytes: UInt64
    /// The number of events whose key or tags would stay.
    public let labelled: UInt64
    /// The position up to which events were looked at.
    public let position: UInt64

    private enum CodingKeys: CodingKey { case events, streams, bytes, labelled, position }
}

/// The rows that an erasure takes with a user.
public enum ErasureScope: String, Sendable {
    /// None.
    case profile
    /// Those that the user sent or owns, deleted or not.
    case own
    /// These, and those that the user received.
    case all
}

/// The fate of the keys and the tags of erased events.
public enum ErasureLabels: String, Sendable {
    /// They stay: a repeated write is known, and conditions on tags stay true.
    case keep
    /// They go as well, also those of events that were erased before.
    case drop
}

/// The erasures of a store: each takes the content of events away for ever.
public struct Erasures: Sendable {
    /// The store.
    public let client: StoreClient

    /// Erases the content of events of your own for ever, and returns once its bytes are gone. For administrators.
    ///
    /// From then on ``Event/data`` and ``Event/meta`` are nil. Everything else of the events stays, key and tags unless
    /// they are dropped, and must hold no personal data.
    ///
    /// The call uses a connection of its own, and waits for as long as the erasure takes, unless the client has a time
    /// limit. An erasure goes on when its client does not wait: the same call with the same key waits for the same end.
    ///
    /// - Parameters:
    ///   - selection: the events, none of the store's own; all only with tags, or a query whose items have tags, a
    ///     stream or a category.
    ///   - from: the first point, inclusive; in one stream a version.
    ///   - to: the last point, inclusive; in one stream a version.
    ///   - types: only events of these types, 64 at most.
    ///   - tags: only events that have all of these tags, 16 at most, none with a comma.
    ///   - query: only events of this query.
    ///   - log: the history that the positions are of; nil: any.
    ///   - labels: the fate of their keys and tags.
    ///   - reason: 1–200 characters, which stay for ever and must not name the person.
    ///   - count: the number of events that must be taken; nil: any.
    ///   - key: the idempotency key; nil: a random one.
    /// - Throws: `ClientError`, `notFound` where no event is taken, `gone` where all are erased already,
    ///   `conflict` where there is another number of them, `tooLarge` for more than 100,000; or `CancellationError`.
    @discardableResult
    public func erase(
        _ selection: EventSelection = .all, from: LogPoint? = nil, to: LogPoint? = nil, types: [String]? = nil,
        tags: [String]? = nil, query: EventQuery? = nil, log: String? = nil, labels: ErasureLabels = .keep,
        reason: String, expecting count: UInt64? = nil, key: String? = nil
    ) async throws -> Erasure {
        let line = RequestLine(.erase, selection.events).option("from", from?.option).option("to", to?.option)
            .selecting(types, tags: tags, query, log: log)
        return try await erase(line.dropping(labels).option("reason", reason), expecting: count, key: key)
    }

    /// Erases the whole history of a row, which may be deleted, and of a user also what the scope adds; as `erase` does.
    ///
    /// - Parameters:
    ///   - kind: the kind of the row.
    ///   - id: the ID of the row.
    ///   - scope: the rows that go with a user; nil: `own`. It goes with users alone.
    ///   - labels: the fate of the events' keys and tags.
    ///   - reason: 1–200 characters, which stay for ever and must not name the person.
    ///   - count: the number of events that must be taken; nil: any.
    ///   - key: the idempotency key; nil: a random one.
    /// - Throws: `ClientError`, `notFound` where there was no such row, `gone` where all is erased already, `tooLarge` for
    ///   more than 10,000 rows; otherwise as `erase`.
    @discardableResult
    public func eraseRow(
        _ kind: ContentKind, _ id: String, scope: ErasureScope? = nil, labels: ErasureLabels = .keep, reason: String,
        expecting count: UInt64? = nil, key: String? = nil
    ) async throws -> Erasure {
        let line = RequestLine(.erase, "\(kind.rawValue)/\(id)").option("scope", scope?.rawValue).dropping(labels)
        return try await erase(line.option("reason", reason), expecting: count, key: key)
    }

    private func erase(_ line: RequestLine, expecting count: UInt64?, key: String?) async throws -> Erasure {
        let line = line.option("expect", count.map(String.init)).write(key)
        return try StoreDecoder.decode(Erasure.self, try await client.askAlone(line).final.json)
    }

    /// Returns the events that `erase` would take for the same parameters; erases nothing. For administrators.
    ///
    /// - Throws: as `erase`.
    public func check(
        _ selection: EventSelection = .all, from: LogPoint? = nil, to: LogPoint? = nil, types: [String]? = nil,
        tags: [String]? = nil, query: EventQuery? = nil, log: String? = nil, labels: ErasureLabels = .keep,
        expecting count: UInt64? = nil
    ) async throws -> ErasureCheck {
        let line = RequestLine(.erase, selection.events).option("from", from?.option).option("to", to?.option)
            .selecting(types, tags: tags, query, log: log)
        return try await check(line.dropping(labels), count)
    }

    /// Returns the events that `eraseRow` would take for the same parameters; erases nothing. For administrators.
    ///
    /// - Throws: as `eraseRow`.
    public func checkRow(
        _ kind: ContentKind, _ id: String, scope: ErasureScope? = nil, labels: ErasureLabels = .keep,
        expecting count: UInt64? = nil
    ) async throws -> ErasureCheck {
        let line = RequestLine(.erase, "\(kind.rawValue)/\(id)").option("scope", scope?.rawValue).dropping(labels)
        return try await check(line, count)
    }

    private func check(_ line: RequestLine, _ count: UInt64?) async throws -> ErasureCheck {
        let reply = try await client.ask(line.option("expect", count.map(String.init)).option("dry", "true"))
        var check = try StoreDecoder.decode(ErasureCheck.self, reply.final.json)
        check.rows = try reply.rows.map { try StoreDecoder.decode(ErasureCheck.Stream.self, $0.json) }
        return check
    }

    /// Returns a page of erasures, in their order.
    ///
    /// - Parameters:
    ///   - after: the `next` of the page before, or the ID of an erasure.
    ///   - limit: 1–1,000; nil: 50.
    /// - Throws: `ClientError` or `CancellationError`.
    public func list(after: String? = nil, limit: Int? = nil) async throws -> Page<ErasureState> {
        let line = RequestLine(.erasures).option("after", after).option("limit", limit.map(String.init))
        return try Page(await client.ask(line))
    }

    /// Returns all erasures, fetched page by page on demand, in their order.
    public func all(pageSize: Int = 500) -> Rows<ErasureState> {
        Rows { try await list(after: $0?.next, limit: pageSize) }
    }
}

extension RequestLine {
    fileprivate func dropping(_ labels: ErasureLabels) -> RequestLine {
        option("labels", labels == .keep ? nil : labels.rawValue)
    }
}
