/// A query of events: those of one of its types that have all of its tags.
package struct EventQuery: Equatable, Hashable, Sendable {
    /// The types; empty means every type.
    package let types: [EventType]
    /// The tags, each once; empty means any.
    package let tags: [EventTag]

    /// Creates a query, by default of every event.
    package init(types: [EventType] = [], tags: [EventTag] = []) {
        self.types = types
        self.tags = tags
    }

    /// Returns true when the event is one of the query; compares the record's bytes without allocating.
    package func matches(_ record: EventRecord) -> Bool { record.isOfType(types) && record.hasTags(tags) }
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

    /// Creates a selection.
    package init(source: Source, _ query: EventQuery = EventQuery()) {
        self.source = source
        self.query = query
    }

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
