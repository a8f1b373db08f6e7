/// The query of `LIST kind …`.
package struct ListQuery: Equatable, Sendable {
    /// The maximum number of rows in a page.
    package static let maxLimit = 1_000
    /// The number of rows in a page where the request names none.
    package static let defaultLimit = 50
    /// The sort of a list that names none: the first of the kind's schema.
    package static let defaultSort = 0

    /// The kind whose rows are listed.
    package let kind: Kind
    /// The filters, each at most once.
    package let conditions: [Condition]
    /// The index of the sort in the kind's schema.
    package let sort: Int
    /// The direction of the sort.
    package let order: Order
    /// The maximum number of rows in this page.
    package let limit: Int
    /// `after=`: the `next` of the previous page, unchanged.
    package let after: [UInt8]?

    /// Creates a query from its parts.
    package init(
        kind: Kind, conditions: [Condition], sort: Int, order: Order, limit: Int, after: [UInt8]?
    ) {
        self.kind = kind
        self.conditions = conditions
        self.sort = sort
        self.order = order
        self.limit = limit
        self.after = after
    }
}

/// An end of a read: a time, or a number that is a version of one stream and otherwise a position.
package enum ReadBound: Equatable, Sendable {
    case number(UInt64)
    case time(Instant)
}

/// The query of `READ events …`.
package struct ReadQuery: Equatable, Sendable {
    /// The maximum `limit=`, in events.
    package static let maxLimit = 10_000
    /// The number of events where the request names no limit.
    package static let defaultLimit = 1_000

    /// The events to read.
    package let selection: EventSelection
    /// The first event in either order; nil means the first one, or the newest one when descending.
    package let from: ReadBound?
    /// The last event in either order; nil means the newest one, or the first one when descending.
    package let to: ReadBound?
    /// The maximum number of events in the answer.
    package let limit: Int
    /// The direction of the read.
    package let order: Order
    /// `log=`: the history that the reader knows.
    package let log: LogID?

    /// Creates a query from its parts.
    package init(
        selection: EventSelection, from: ReadBound?, to: ReadBound?, limit: Int, order: Order, log: LogID? = nil
    ) {
        self.selection = selection
        self.from = from
        self.to = to
        self.limit = limit
        self.order = order
        self.log = log
    }
}

/// The query of `SUBSCRIBE`.
package struct SubscribeQuery: Equatable, Sendable {
    /// The events to follow, or those that touch the rows.
    package let selection: EventSelection
    /// The subject of the pushes: events or rows.
    package let subject: Subject
    /// The moment at which pushes begin, a position also for one stream; nil means with the next event.
    package let from: Moment?
    /// `log=`: the history that the reader knows.
    package let log: LogID?

    /// Creates a query from its parts.
    package init(
        _ selection: EventSelection, subject: Subject = .events, from: Moment? = nil, log: LogID? = nil
    ) {
        self.selection = selection
        self.subject = subject
        self.from = from
        self.log = log
    }
}

/// The query of `STREAMS …`, whose answer is in the byte order of the names.
package struct StreamsQuery: Equatable, Sendable {
    /// The maximum `limit=`, in streams.
    package static let maxLimit = 1_000
    /// The number of streams where the request names no limit.
    package static let defaultLimit = 50

    /// The streams to list.
    package let source: EventSelection.Source
    /// The name after which the list begins; nil means from the first.
    package let after: StreamName?
    /// The maximum number of streams in the answer.
    package let limit: Int

    /// Creates a query from its parts.
    package init(source: EventSelection.Source, after: StreamName?, limit: Int) {
        self.source = source
        self.after = after
        self.limit = limit
    }
}

/// The query of `TYPES …`, whose answer is in the byte order of the types.
package struct TypesQuery: Equatable, Sendable {
    /// The maximum `limit=`, in types; also the number where the request names none.
    package static let maxLimit = 1_000

    /// The category whose events are counted; nil means all.
    package let category: CategoryName?
    /// The type after which the list begins; nil means from the first.
    package let after: EventType?
    /// The maximum number of types in the answer.
    package let limit: Int

    /// Creates a query from its parts.
    package init(category: CategoryName?, after: EventType? = nil, limit: Int = TypesQuery.maxLimit) {
        self.category = category
        self.after = after
        self.limit = limit
    }
}

/// A moment in history: a position, or the last position at or before a time.
package enum Moment: Equatable, Sendable {
    case position(Position)
    case time(Instant)

    /// Creates the moment of a bound whose numbers are positions.
    package init(_ bound: ReadBound) {
        switch bound {
        case .number(let number): self = .position(Position(number))
        case .time(let time): self = .time(time)
        }
    }
}
