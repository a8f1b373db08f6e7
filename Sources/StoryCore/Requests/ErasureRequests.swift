/// The events that an `ERASE` names.
package enum EraseTarget: Equatable, Sendable {
    /// The users' own events that `READ` shows for a query; its order and limit do not matter.
    case events(ReadQuery)
    /// The whole history of a row, which may be deleted.
    ///
    /// - Parameter address: the row as requests name it: `stories/12345`.
    case row(address: String, StreamName)
    /// A user, and what the scope adds.
    ///
    /// - Parameter address: the user as requests name it: `users/007`.
    case user(address: String, StreamName, ErasureScope)
}

/// The request `ERASE`, or its dry run.
package struct EraseRequest: Equatable, Sendable {
    /// The greatest number of events of one erasure.
    package static let mostEvents = 100_000
    /// The greatest number of rows of one erasure.
    package static let mostRows = 10_000
    /// The greatest length of a reason, in characters.
    package static let mostReason = 200

    /// The events that are taken.
    package let target: EraseTarget
    /// `labels=`: the fate of their keys and tags.
    package let labels: ErasureLabels
    /// `reason=`: stays for ever; nil for a dry run that has none.
    package let reason: Text?
    /// `expect=`: the number of events that there must be; nil where any will do.
    package let expected: UInt64?
    /// `key=`: makes the erasure idempotent for ever.
    package let key: RequestKey?

    /// Creates a request from its parts.
    package init(
        _ target: EraseTarget, labels: ErasureLabels = .keep, reason: Text?, expected: UInt64? = nil,
        key: RequestKey? = nil
    ) {
        (self.target, self.labels, self.reason, self.expected, self.key) = (target, labels, reason, expected, key)
    }
}

extension EraseTarget: CustomStringConvertible {
    /// The target as the request has it: `events/order-7`, `events/order-*`, `events`, `stories/12345`.
    package var description: String {
        switch self {
        case .events(let query):
            switch query.selection.source {
            case .all: "events"
            case .stream(let stream): "events/\(stream)"
            case .category(let category): "events/\(category)-*"
            }
        case .row(let address, _), .user(let address, _, _): address
        }
    }

    /// The rows that go with a user; nil for other targets.
    package var scope: ErasureScope? { if case .user(_, _, let scope) = self { scope } else { nil } }
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
