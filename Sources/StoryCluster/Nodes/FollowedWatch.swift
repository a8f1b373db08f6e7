import StoryCore

/// The watch of a follower, and the check that it is alive.
struct FollowedWatch: Equatable {
    /// How often the last entry is asked for, in nanoseconds.
    private static let checkInterval: UInt64 = 2_000_000_000
    /// How late a watch may be, in nanoseconds.
    private static let mostLate: UInt64 = 1_000_000_000

    var isOn = false
    private(set) var check: Attempt?
    /// The deletion of the lead of an earlier run of this node, or of a process that is gone.
    var dismissal: Attempt?
    /// When the lead may be taken from a process that is gone, in nanoseconds.
    private var dismissAt: UInt64 = 0
    private var checkAt: UInt64 = 0
    /// Since when the ordering service is known to have an entry that the watch did not tell.
    private var lateSince: UInt64?

    /// Notes that there is no watch any more.
    mutating func ended() { (isOn, check, lateSince) = (false, nil, nil) }

    mutating func ticked(_ keys: LogKeys, _ calls: inout Calls, at now: UInt64) {
        guard check == nil, now >= checkAt else { return }
        checkAt = now + (lateSince == nil ? FollowedWatch.checkInterval : FollowedWatch.mostLate / 2)
        check = Attempt(.range(.prefix(keys.entries, limit: 1, order: .descending, isKeysOnly: true)), &calls)
    }

    /// Takes the answer to the check.
    ///
    /// - Returns: true where the watch is dead.
    mutating func answered(_ answer: OrderingAnswer, _ keys: LogKeys, reach: Position, at now: UInt64) -> Bool {
        check = nil
        guard case .ranged(let ranged, _) = answer, let key = ranged.keys.first?.key,
            let first = keys.first(ofKey: key), first > reach
        else {
            lateSince = nil
            return false
        }
        let since = lateSince ?? now
        lateSince = since
        guard now - since >= FollowedWatch.mostLate else { return false }
        lateSince = nil
        return true
    }

    /// Takes the lead from a process that is gone, unless that was done within a lease.
    mutating func dismiss(_ term: Term, _ keys: LogKeys, lease seconds: Int, _ calls: inout Calls, at now: UInt64) {
        guard dismissal == nil, now >= dismissAt else { return }
        dismissAt = now + UInt64(max(1, seconds)) * 1_000_000_000
        dismissal = Attempt(keys.resignation(from: term), &calls)
    }
}
