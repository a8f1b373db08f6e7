/// A query of events: those of one of its items.
///
/// `.tags("course:c1").types("Enrolled") || .tags("student:s7")` are the events of type `Enrolled` with the first tag, and
/// all with the second one.
public struct EventQuery: Hashable, Sendable, CustomStringConvertible {
    /// The events that have all of some tags, one of some types, and are of a stream or a category.
    struct Item: Hashable, Sendable {
        var tags: [String] = []
        var types: [String] = []
        var selection = EventSelection.all

        var json: String {
            func list(_ name: String, _ words: [String]) -> [String] {
                words.isEmpty ? [] : ["\"\(name)\":[\(words.map(JSONText.quoted).joined(separator: ","))]"]
            }
            let stream = selection.streams.map { ["\"stream\":\(JSONText.quoted($0))"] } ?? []
            return "{\((list("tags", tags) + list("types", types) + stream).joined(separator: ","))}"
        }
    }

    private(set) var items: [Item]

    /// Returns the query of the events that have all of these tags.
    public static func tags(_ tags: String...) -> EventQuery { EventQuery(items: [Item(tags: tags)]) }

    /// Returns the query of the events of one of these types.
    public static func types(_ types: String...) -> EventQuery { EventQuery(items: [Item(types: types)]) }

    /// Returns the query of the events of a stream or a category.
    public static func events(_ selection: EventSelection) -> EventQuery {
        EventQuery(items: [Item(selection: selection)])
    }

    /// Returns the query of those events that have all of these tags, too.
    public func tags(_ tags: String...) -> EventQuery { changed { $0.tags += tags } }

    /// Returns the query of those events that are of one of these types.
    public func types(_ types: String...) -> EventQuery { changed { $0.types += types } }

    /// Returns the query of those events that are of a stream or a category.
    public func events(_ selection: EventSelection) -> EventQuery { changed { $0.selection = selection } }

    /// Returns the query of the events of either.
    public static func || (one: EventQuery, other: EventQuery) -> EventQuery {
        EventQuery(items: one.items + other.items)
    }

    private func changed(_ body: (inout Item) -> Void) -> EventQuery {
        var query = self
        for index in query.items.indices { body(&query.items[index]) }
        return query
    }

    /// The members of the query's JSON object.
    fileprivate var members: String {
        guard items.count > 1 || items.isEmpty else { return String(items[0].json.dropFirst().dropLast()) }
        return "\"any\":[\(items.map(\.json).joined(separator: ","))]"
    }

    /// The query as JSON.
    public var description: String { "{\(members)}" }
}

/// A precondition of a write: no event of a query has come after a position.
public struct Unless: Hashable, Sendable {
    /// The query.
    public var query: EventQuery
    /// The last event that the writer has seen: the position of the page that ended a read, or of a receipt; 0: there is
    /// no event of the query at all.
    public var after: UInt64

    /// Creates a precondition.
    public init(_ query: EventQuery, after: UInt64 = 0) { (self.query, self.after) = (query, after) }

    /// The precondition as JSON.
    var json: String {
        let members = query.description.dropFirst().dropLast()
        return members.isEmpty ? "{\"after\":\(after)}" : "{\(members),\"after\":\(after)}"
    }
}

extension [Unless] {
    /// The value of `unless=`; nil for none.
    var option: String? { isEmpty ? nil : count == 1 ? self[0].json : "[\(map(\.json).joined(separator: ","))]" }
}

/// An event that breaks a precondition of a write.
public struct ConflictingEvent: Hashable, Sendable {
    /// The number of the precondition in the write, from 0.
    public let unless: Int
    /// The position that it names.
    public let after: UInt64
    /// The position of the first event of its query after that one.
    public let position: UInt64
    /// The event's stream.
    public let stream: String
    /// The event's type.
    public let type: String

    /// Creates a conflicting event.
    public init(unless: Int, after: UInt64, position: UInt64, stream: String, type: String) {
        (self.unless, self.after, self.position, self.stream, self.type) = (unless, after, position, stream, type)
    }
}

extension StoreClient {
    /// Reads the events of a query, decides by them, and appends the events of the decision, unless another event of the
    /// query has come meanwhile: then it reads on and decides again, after a random pause. `limit` is the greatest number of
    /// decisions; one that returns no events ends it.
    ///
    /// - Returns: the receipts of the write; empty where nothing was written.
    /// - Throws: the error of the decision, `ClientError`, or `CancellationError`.
    @discardableResult
    public func decide(
        _ query: EventQuery, key: String? = nil, atMost limit: Int = 10,
        _ decision: (_ events: [Event]) async throws -> [StreamEvent]
    ) async throws -> [Receipt] {
        var basis = DecisionBasis(query)
        return try await basis.decide(self, key: key, atMost: limit, decision)
    }
}

/// The events that a decision rests on, as far as they were read.
private struct DecisionBasis {
    private var events: [Event] = []
    private var log: String?
    private let query: EventQuery
    /// The position that the last page was read at.
    private var position: UInt64 = 0
    /// The position that the store must have; nil: any.
    private var minimum: Minimum?
    private var pause = Duration.milliseconds(5)

    init(_ query: EventQuery) { self.query = query }

    mutating func decide(
        _ client: StoreClient, key: String?, atMost limit: Int,
        _ decision: (_ events: [Event]) async throws -> [StreamEvent]
    ) async throws -> [Receipt] {
        var tries = 1
        while true {
            try await readOn(client)
            let decided = try await decision(events)
            guard !decided.isEmpty else { return [] }
            do {
                return try await client.append(decided, key: key, unless: [Unless(query, after: position)], log: log)
            } catch let error as ClientError where error.code == .conflict && tries < limit {
                // A store that is behind has not got the event yet.
                if case .conflictingEvent(_, let event) = error { minimum = .position(event.position) }
                // Those that decide together would meet again.
                try await Task.sleep(for: pause * Double.random(in: 0...1))
                pause = min(pause * 2, .milliseconds(250))
                tries += 1
            }
        }
    }

    /// Reads the events after those that were read.
    private mutating func readOn(_ client: StoreClient) async throws {
        let client = minimum.map { client.atLeast($0) } ?? client
        var from = position > 0 ? LogPoint.position(position + 1) : nil
        repeat {
            let page = try await client.read(from: from, query: query, log: log)
            events += page.rows
            (from, log, position) = (page.nextPoint, page.log, page.position)
        } while from != nil
    }
}
