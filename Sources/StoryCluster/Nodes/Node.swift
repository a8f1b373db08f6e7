import StoryCore

/// A node's state, with everything that its transitions change.
struct Node: Equatable {
    let settings: ReplicaSettings
    let keys: LogKeys
    let history: [UInt8]
    var state = ReplicaState.joining
    var calls: Calls
    /// The one call that the state waits for.
    var main: Attempt?
    var incoming: Incoming
    var membership: Membership
    var report: LocalReport
    var watch = FollowedWatch()
    var seeds = Seeds()
    var seals = LocalSeals()
    var fitness = Fitness()
    /// The position that the last entry of the log begins at, as far as is known.
    var lastFirst: Position?
    /// The erasures of the log, as far as they came here.
    var erased = NodeErasures()
    var isDraining = false
    var campaigns = 0
    /// The changes of the nodes that are under way.
    var changes: NodeChanges
    /// The taking over of the node's name, where it was another process's.
    var claim = NameClaim()
    var ordering = OrderingState()
    /// The reason to end that was found last, until entries were taken since.
    var doubt: ClusterError?

    /// Creates a node over its own log.
    init(_ settings: ReplicaSettings, _ log: LocalLog) {
        self.settings = settings
        keys = LogKeys(log: settings.log)
        history = log.history
        calls = Calls(endpoints: settings.endpoints)
        incoming = Incoming(head: log.head, settings.formats)
        membership = Membership(keys, own: settings.node)
        report = LocalReport(settings, keys, stored: log.head)
        changes = NodeChanges(settings, keys)
    }
}

// MARK: Answers and ends

extension Node {
    mutating func mainAnswered(_ answer: OrderingAnswer, at now: UInt64) throws(ClusterError) {
        switch answer {
        case .unknown, .full, .refused(.tokenExpired), .refused(.compacted):
            main?.failed(&calls, at: now)
        case .refused(.noLease): main = Attempt(.grantLease(seconds: settings.lease), &calls)
        case .refused(.denied), .refused(.tooLarge), .refused(.other): main?.refused(&calls, at: now)
        case .granted(let lease, let seconds, _):
            main = nil
            granted(lease, seconds)
        case .transacted(let succeeded, let results, let header):
            main = nil
            try transacted(succeeded: succeeded, results, header, at: now)
        case .ranged, .renewed, .revoked, .compacted, .status: main = nil
        }
    }

    private mutating func transacted(
        succeeded: Bool, _ results: [OrderingResult], _ header: OrderingHeader, at now: UInt64
    ) throws(ClusterError) {
        switch state {
        case .joining: try joined(results, header, at: now)
        case .registering(let position):
            guard succeeded else { return join() }
            report.wrote(&membership, at: header.revision)
            (claim.isDone, ordering.refusal) = (true, nil)
            // A node that sends what this one lacked when it joined last goes on to do so.
            if let position = position ?? (seeds.isUnderWay ? incoming.taken : nil) {
                state = .seeding(through: position)
                seed(through: position, at: now)
            } else {
                follow()
            }
        case .catchingUp(let aim): try read(results, header, for: aim, at: now)
        case .campaigning(let lease?, let seconds):
            campaigned(succeeded: succeeded, results, header, lease: lease, seconds: seconds)
        case .resigning: follow()
        case .campaigning, .seeding, .following, .leading, .stopped: break
        }
    }

    mutating func drained() {
        state = .stopped
        main = nil
        calls.act(.drained)
    }

    mutating func stop(_ error: ClusterError) {
        state = .stopped
        main = nil
        calls.act(.stop(error))
    }
}

/// The purpose of catching up.
enum Aim: Equatable {
    case follow
    /// This node has the lead of a term, and writes once it has everything that was written before.
    case lead(Term, lease: Int64, seconds: Int)
}

/// The state of a node.
enum ReplicaState: Equatable {
    /// Reads the log's identity, its nodes and its ends.
    case joining
    /// Writes this node's own key.
    ///
    /// `behind`: the position through which the ordering service has no events any more that this node lacks.
    case registering(behind: Position?)
    /// Fetches events that the ordering service no longer has from another node.
    case seeding(through: Position)
    case catchingUp(then: Aim)
    case following
    /// Asks for a lease, then for the lead.
    case campaigning(lease: Int64?, seconds: Int)
    case leading(Leadership)
    /// Gives up the lead of a term, which is never taken up again.
    case resigning(Term)
    case stopped

    /// True once the node's key is written.
    var isRegistered: Bool {
        switch self {
        case .joining, .registering, .stopped: false
        case .seeding, .catchingUp, .following, .campaigning, .leading, .resigning: true
        }
    }
}

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
