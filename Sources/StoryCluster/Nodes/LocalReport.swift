import StoryCore

/// This node's own key: written when the node joins, when its progress changes, and each three seconds, so that others see
/// that it lives.
///
/// It is written by compare-and-set: only while etcd has the revision that this node knows. So a late report of an earlier run, which may claim what a
/// wiped disk lacks, is refused, and of two processes with one name the older one ends.
struct LocalReport: Equatable {
    /// How often a position is reported, in nanoseconds.
    private static let interval: UInt64 = 1_000_000_000
    /// How often it is written again though nothing has changed, in nanoseconds.
    private static let renewInterval: UInt64 = 3_000_000_000
    /// After how long without a report a node counts as silent, in nanoseconds.
    static let silence: UInt64 = 7_000_000_000

    private let key: String
    private var member: Member
    private var reported: Member?
    private var reportAt: UInt64 = 0
    /// When the key is written again though nothing has changed, in nanoseconds.
    private var renewAt: UInt64 = 0
    private var attempt: Attempt?
    /// The report under way.
    private var reporting: Member

    init(_ settings: ReplicaSettings, _ keys: LogKeys, stored: Position) {
        key = keys.node(settings.node)
        member = Member(
            address: settings.address, version: settings.version, run: settings.run, formats: settings.formats,
            stored: stored)
        member.directory = settings.directory
        reporting = member
    }

    mutating func stored(through position: Position, seal: String?) {
        member.stored = max(member.stored, position)
        member.seal = seal ?? member.seal
    }

    /// The transaction that writes the key where it is as it was found.
    func write(over found: Member?) -> OrderingCall {
        .transaction(
            if: [.changed(key, at: found?.revision ?? 0)], then: [.put(key, member.value, lease: 0)],
            otherwise: [.get(OrderingRange(from: key))])
    }

    /// Notes that the key was written.
    mutating func wrote(_ membership: inout Membership, at revision: Int64) {
        membership.registered(member, at: revision)
        reported = member
    }

    mutating func ticked(
        _ progress: NodeProgress, in membership: Membership, _ calls: inout Calls, at now: UInt64
    ) {
        member.progress = progress
        // The end of an erasure has time until the key is written again.
        var known = reported
        known?.progress.erased = progress.erased
        guard attempt == nil, membership.member != nil, now >= renewAt || now >= reportAt && known != member else {
            return
        }
        (reportAt, renewAt) = (now + LocalReport.interval, now + LocalReport.renewInterval)
        reporting = member
        attempt = Attempt(write(over: membership.member), &calls)
    }

    /// True for the call of a report.
    func isAsking(_ id: CallID) -> Bool { attempt?.id == id }

    /// Takes the answer to a report; nil for another call.
    mutating func answered(
        _ id: CallID, _ answer: OrderingAnswer, in membership: inout Membership
    ) -> Result<Void, ClusterError>? {
        guard attempt?.id == id else { return nil }
        // The next report comes in a second; one whose outcome is unknown may be found in the key.
        attempt = nil
        guard case .transacted(let succeeded, let results, let header) = answer else { return .success(()) }
        if succeeded {
            membership.registered(reporting, at: header.revision)
            reported = reporting
            return .success(())
        }
        guard case .ranged(let ranged)? = results.first else { return .success(()) }
        guard let pair = ranged.keys.first else { return .failure(.removed) }
        guard Member(pair).run == member.run else { return .failure(.replaced) }
        membership.put(pair)
        return .success(())
    }
}

/// The own seals at the last multiples of positions at which nodes tell theirs, as `POSITION:SEAL`.
struct LocalSeals: Equatable {
    private static let most = 64
    private var seals: [String] = []

    mutating func add(_ seal: String) {
        guard seals.last != seal else { return }
        seals.append(seal)
        if seals.count > LocalSeals.most { seals.removeFirst() }
    }

    /// Returns the position at which another node has another seal; nil where it has the same, or this node none.
    func difference(from other: String) -> String? {
        guard let end = other.firstIndex(of: ":"), let own = seals.last(where: { $0.hasPrefix(other[...end]) }),
            own != other
        else { return nil }
        return String(other[..<end])
    }
}
