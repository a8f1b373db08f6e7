/// The answer to a call.
package enum OrderingAnswer: Equatable, Sendable {
    case ranged(OrderingRanged, OrderingHeader)
    /// The results of the operations that were done, in their order.
    case transacted(succeeded: Bool, [OrderingResult], OrderingHeader)
    /// The lease, and the seconds that were granted.
    case granted(lease: Int64, seconds: Int, OrderingHeader)
    /// The seconds that the lease has now; 0: there is no such lease any more.
    case renewed(seconds: Int)
    case revoked(OrderingHeader)
    case compacted(OrderingHeader)
    case status(version: String, OrderingHeader)
    /// The ordering service refused the call, and did nothing.
    case refused(OrderingRefusal)
    /// The ordering service is full (NOSPACE). Whether it did the call is unknown: it carries out the writes that it is
    /// filled by, and answers them with the same error as those that come later and are not done.
    case full
    /// It is unknown whether the call was or will be carried out.
    case unknown
}

extension OrderingAnswer {
    /// The header of an answer that is linearizable: no call that was made later finds an earlier state.
    var linearizable: OrderingHeader? {
        switch self {
        case .ranged(_, let header), .transacted(_, _, let header): header
        case .granted, .renewed, .revoked, .compacted, .status, .refused, .full, .unknown: nil
        }
    }
}

extension OrderingRefusal {
    /// The reason for a person, where one has to see to it; nil for a refusal that ends by itself.
    var reason: String? {
        switch self {
        case .denied: "this user may not do that, or the password is wrong"
        case .tooLarge: "a request is too large"
        case .other(let text): text
        case .tokenExpired, .noLease, .compacted: nil
        }
    }
}

/// The state of the ordering service when it answered.
package struct OrderingHeader: Equatable, Sendable {
    /// The ID of the ordering service's cluster.
    package var cluster: UInt64
    package var revision: Int64

    /// Creates a header.
    package init(cluster: UInt64, revision: Int64) {
        self.cluster = cluster
        self.revision = revision
    }
}

/// The keys of a range.
package struct OrderingRanged: Equatable, Sendable {
    package var keys: [OrderingKeyValue]
    /// True where the range has more keys than the limit.
    package var hasMore: Bool

    /// Creates the keys of a range.
    package init(_ keys: [OrderingKeyValue], hasMore: Bool = false) {
        self.keys = keys
        self.hasMore = hasMore
    }
}

/// The result of one operation of a transaction.
package enum OrderingResult: Equatable, Sendable {
    case put
    case deleted(Int)
    case ranged(OrderingRanged)
}

/// A refusal after which nothing was done.
package enum OrderingRefusal: Equatable, Sendable {
    /// The request is larger than the ordering service takes.
    case tooLarge
    /// The user may not do this, or the password is wrong.
    case denied
    /// The token of the user is no longer valid, and neither is one that was asked for again.
    case tokenExpired
    /// There is no such lease, or no longer.
    case noLease
    /// The revision is compacted.
    case compacted
    /// Anything else that the ordering service says of the request itself.
    case other(String)
}

/// The changes that a watch tells, in the order of their revisions.
package struct OrderingWatchBatch: Equatable, Sendable {
    /// A change of one key.
    package enum Change: Equatable, Sendable {
        case put(OrderingKeyValue)
        case deleted(String, at: Int64)

        /// The revision of the change.
        var revision: Int64 {
            switch self {
            case .put(let pair): pair.changed
            case .deleted(_, let revision): revision
            }
        }
    }

    package var changes: [Change]
    /// True where the ordering service cut a longer batch, perhaps within a revision, and the next one has more of it.
    package var isFragment: Bool
    package var header: OrderingHeader

    /// Creates a batch.
    package init(_ changes: [Change], isFragment: Bool = false, _ header: OrderingHeader) {
        self.changes = changes
        self.isFragment = isFragment
        self.header = header
    }
}

/// The end of a watch.
package enum OrderingWatchEnd: Equatable, Sendable {
    /// The revision that it began at is compacted.
    case compacted
    /// The connection broke, the ordering service has no leader, or nothing came for too long.
    case broken
    case refused(OrderingRefusal)
}
