/// A query of events: those of one of its types that have all of its tags, and are among the events of one of its items.
package struct EventQuery: Equatable, Hashable, Sendable {
    /// The most items of a query, or of the conditions of one write.
    package static let mostItems = 32
    /// The most types of a query or an item, since each event is compared with all of them.
    package static let mostTypes = 64

    /// The types; empty means every type.
    package let types: [EventType]
    /// The tags, each once; empty means any.
    package let tags: [EventTag]
    /// The items, which have none themselves; empty means every event.
    package let items: [EventSelection]

    /// Creates a query, by default of every event.
    package init(types: [EventType] = [], tags: [EventTag] = [], items: [EventSelection] = []) {
        (self.types, self.tags, self.items) = (types, tags, items)
    }

    /// Returns true when the event is one of the query; compares the record's bytes without allocating.
    package func matches(_ record: EventRecord) -> Bool {
        guard record.isOfType(types), record.hasTags(tags) else { return false }
        return items.isEmpty || items.contains { $0.matches(record) }
    }
}

/// A selection of events: all, one stream or one category; and of which query.
package struct EventSelection: Equatable, Hashable, Sendable {
    /// The streams that a selection covers.
    package enum Source: Equatable, Hashable, Sendable {
        case all
        case stream(StreamName)
        case category(CategoryName)
    }

    /// The streams that the events are in.
    package let source: Source
    /// The query that the events are of.
    package let query: EventQuery
    /// The number of names in the items of the query.
    private let itemNames: Int

    /// Creates a selection.
    package init(source: Source, _ query: EventQuery = EventQuery()) {
        (self.source, self.query) = (source, query)
        itemNames = query.items.reduce(0) { $0 + $1.query.types.count + $1.query.tags.count + 1 }
    }

    /// The work of reading an event and comparing it with the query.
    package var recordWork: Work { .record + itemNames * .link }

    /// Returns true when the event is selected; compares the record's bytes without allocating.
    package func matches(_ record: EventRecord) -> Bool {
        guard query.matches(record) else { return false }
        let name = UnsafeRawBufferPointer(rebasing: record.json[record.stream])
        switch source {
        case .all: return true
        case .stream(let stream): return stream.spelling.withUnsafeBytes { name.equals($0) }
        case .category(let category): return category.spelling.withUnsafeBytes { name.isStream(of: $0) }
        }
    }
}

/// A precondition of a write: no event of a query has come after a position.
package struct EventPrecondition: Equatable, Sendable {
    /// The query of the events that must not be there.
    package let query: EventQuery
    /// The last position whose event may be one of the query.
    package let after: Position

    /// Creates a precondition.
    package init(_ query: EventQuery, after: Position = .zero) { (self.query, self.after) = (query, after) }
}

/// The preconditions of one write, all of which must hold: `unless=`.
@usableFromInline
package struct EventPreconditions: Equatable, Sendable {
    /// The most preconditions of a write.
    package static let mostCount = 8

    /// The preconditions, in the order of the request.
    package let list: [EventPrecondition]
    /// True where the request has them in an array.
    private let isArray: Bool

    /// Creates preconditions.
    package init(_ list: [EventPrecondition], isArray: Bool) { (self.list, self.isArray) = (list, isArray) }

    /// Returns the path of a precondition in the request.
    ///
    /// - Parameter index: less than the count of the list.
    package func path(_ index: Int) -> String { isArray ? "unless[\(index)]" : "unless" }
}
