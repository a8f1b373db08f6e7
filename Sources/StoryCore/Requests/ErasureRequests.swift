/// The request `ERASE events…`, or its dry run.
package struct EraseRequest: Equatable, Sendable {
    /// The greatest number of events of one erasure.
    package static let mostEvents = 100_000
    /// The greatest length of a reason, in characters.
    package static let mostReason = 200

    /// The events that are taken; its order and limit do not matter.
    package let query: ReadQuery
    /// `reason=`: stays for ever; nil for a dry run that has none.
    package let reason: Text?
    /// `expect=`: the number of events that there must be; nil where any will do.
    package let expected: UInt64?
    /// `key=`: makes the erasure idempotent for ever.
    package let key: RequestKey?

    /// Creates a request from its parts.
    package init(_ query: ReadQuery, reason: Text?, expected: UInt64? = nil, key: RequestKey? = nil) {
        (self.query, self.reason, self.expected, self.key) = (query, reason, expected, key)
    }

    /// The target as the request has it: `events/order-7`, `events/order-*` or `events`.
    package var target: String {
        switch query.selection.source {
        case .all: "events"
        case .stream(let stream): "events/\(stream)"
        case .category(let category): "events/\(category)-*"
        }
    }
}

/// The query of `ERASURES …`, whose answer is in the order of the erasures.
package struct ErasuresQuery: Equatable, Sendable {
    /// The maximum `limit=`, in erasures.
    package static let maxLimit = 1_000
    /// The number of erasures where the request names none.
    package static let defaultLimit = 50

    /// The number of the erasure after which the list begins; 0 means from the first.
    package let after: UInt64
    /// The maximum number of erasures in the answer.
    package let limit: Int

    /// Creates a query from its parts.
    package init(after: UInt64 = 0, limit: Int = ErasuresQuery.defaultLimit) {
        (self.after, self.limit) = (after, limit)
    }
}
