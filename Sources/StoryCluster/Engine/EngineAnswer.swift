/// The answer to a call.
package enum EngineAnswer: Equatable, Sendable {
    case ranged(EngineRanged, EngineHeader)
    /// The results of the operations that were done, in their order.
    case transacted(succeeded: Bool, [EngineResult], EngineHeader)
    /// The lease, and the seconds that were granted.
    case granted(lease: Int64, seconds: Int, EngineHeader)
    /// The seconds that the lease has now; 0: there is no such lease any more.
    case renewed(seconds: Int)
    case revoked(EngineHeader)
    case compacted(EngineHeader)
    case status(version: String, EngineHeader)
    /// The engine refused the call, and did nothing.
    case refused(EngineRefusal)
    /// The engine is full (NOSPACE). Whether it did the call is unknown: it carries out the writes that it is filled by,
    /// and answers them with the same error as those that come later and are not done.
    case full
    /// It is unknown whether the call was or will be carried out.
    case unknown
}

extension EngineAnswer {
    /// The header of an answer that is linearizable: no call that was made later finds an earlier state.
    var linearizable: EngineHeader? {
        switch self {
        case .ranged(_, let header), .transacted(_, _, let header): header
        case .granted, .renewed, .revoked, .compacted, .status, .refused, .full, .unknown: nil
        }
    }
}

extension EngineRefusal {
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

/// The state of the engine when it answered.
package struct EngineHeader: Equatable, Sendable {
    /// The ID of the engine's cluster.
    package var cluster: UInt64
    package var revision: Int64

    /// Creates a header.
    package init(cluster: UInt64, revision: Int64) {
        self.cluster = cluster
        self.revision = revision
    }
}

/// The keys of a range.
package struct EngineRanged: Equatable, Sendable {
    package var keys: [EngineKeyValue]
    /// True where the range has more keys than the limit.
    package var hasMore: Bool

    /// Creates the keys of a range.
    package init(_ keys: [EngineKeyValue], hasMore: Bool = false) {
        self.keys = keys
        self.hasMore = hasMore
    }
}

/// The result of one operation of a transaction.
package enum EngineResult: Equatable, Sendable {
    case put
    case deleted(Int)
    case ranged(EngineRanged)
}

/// A refusal after which nothing was done.
package enum EngineRefusal: Equatable, Sendable {
    /// The request is larger than the engine takes.
    case tooLarge
    /// The user may not do this, or the password is wrong.
    case denied
    /// The token of the user is no longer valid, and neither is one that was asked for again.
    case tokenExpired
    /// There is no such lease, or no longer.
    case noLease
    /// The revision is compacted.
    case compacted
    /// Anything else that the engine says of the request itself.
    case other(String)
}

/// The changes that a watch tells, in the order of their revisions.
package struct EngineWatchBatch: Equatable, Sendable {
    /// A change of one key.
    package enum Change: Equatable, Sendable {
        case put(EngineKeyValue)
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
    /// True where the engine cut a longer batch, perhaps within a revision, and the next one has more of it.
    package var isFragment: Bool
    package var header: EngineHeader

    /// Creates a batch.
    package init(_ changes: [Change], isFragment: Bool = false, _ header: EngineHeader) {
        self.changes = changes
        self.isFragment = isFragment
        self.header = header
    }
}

/// The end of a watch.
package enum EngineWatchEnd: Equatable, Sendable {
    /// The revision that it began at is compacted.
    case compacted
    /// The connection broke, the engine has no leader, or nothing came for too long.
    case broken
    case refused(EngineRefusal)
}
