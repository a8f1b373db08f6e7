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
