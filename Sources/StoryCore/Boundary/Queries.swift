/// Which way a list or a reading goes.
package enum Order: String, Sendable { case ascending = "asc", descending = "desc" }

/// `LIST kind …`.
package struct ListQuery: Equatable, Sendable {
    /// At most so many rows a page.
    package static let maxLimit = 1_000
    package static let defaultLimit = 50
    /// The sort of a list that names none: the first of the kind's schema.
    package static let defaultSort = 0

    package let kind: Kind
    /// Each filter at most once.
    package let conditions: [Condition]
    /// The index of the sort in the kind's schema.
    package let sort: Int
    package let order: Order
    package let limit: Int
    /// `after=`: the `next` of the page before, as it came.
    package let after: [UInt8]?

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

/// Which events: all, one stream, or one category; and of which types.
package struct EventSelection: Equatable, Hashable, Sendable {
    package enum Source: Equatable, Hashable, Sendable {
        case all
        case stream(StreamName)
        case category(CategoryName)
    }

    package let source: Source
    /// Empty: every type.
    package let types: [EventType]

    package init(source: Source, types: [EventType] = []) {
        self.source = source
        self.types = types
    }

    /// True when the event is one of these; looks at the record's bytes, and makes nothing of them.
    package func matches(_ record: EventRecord) -> Bool {
        guard record.isOfType(types) else { return false }
        let name = record.json[record.stream]
        switch source {
        case .all: return true
        case .stream(let stream): return name.elementsEqual(stream.bytes)
        case .category(let category):
            return name.count > category.bytes.count && name.starts(with: category.bytes)
                && name[name.startIndex + category.bytes.count] == 0x2D
        }
    }
}

/// Where a reading begins or ends: a number, which is a version of one stream and otherwise a position, or a time.
package enum ReadBound: Equatable, Sendable {
    case number(UInt64)
    case time(Instant)
}

/// `READ events… `.
package struct ReadQuery: Equatable, Sendable {
    package static let maxLimit = 10_000
    package static let defaultLimit = 1_000

    package let selection: EventSelection
    /// Where reading begins, whichever way it goes; nil: at the first, descending at the newest.
    package let from: ReadBound?
    /// Where it ends; nil: at the newest, descending at the first.
    package let to: ReadBound?
    package let limit: Int
    package let order: Order
    /// `log=`: the history that the reader knows.
    package let log: LogID?

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

/// `SUBSCRIBE`.
package struct SubscribeQuery: Equatable, Sendable {
    package let selection: EventSelection
    package let subject: Subject
    /// Where pushes begin, a position also for one stream; nil: with the next event.
    package let from: Moment?
    /// `log=`: the history that the reader knows.
    package let log: LogID?

    package init(
        _ selection: EventSelection, subject: Subject = .events, from: Moment? = nil, log: LogID? = nil
    ) {
        self.selection = selection
        self.subject = subject
        self.from = from
        self.log = log
    }
}

/// `STREAMS …`, in the order of the names' bytes.
package struct StreamsQuery: Equatable, Sendable {
    package static let maxLimit = 1_000
    package static let defaultLimit = 50

    package enum Source: Equatable, Sendable {
        case all
        case one(StreamName)
        case category(CategoryName)
    }

    package let source: Source
    package let after: StreamName?
    package let limit: Int

    package init(source: Source, after: StreamName?, limit: Int) {
        self.source = source
        self.after = after
        self.limit = limit
    }
}
