/// A lasting state of a daemon in which a write, the progress of a replica, or a model is not as it should be.
///
/// Everything that looks at a daemon reads it from here: `METRICS`, `STATS`, `CLUSTER`, `storectl`, and the rules of alerts.
/// Most names are words of the trace.
package enum StoreCondition: String, CaseIterable, Sendable {
    /// The last turn with writes found no space on the disk.
    case full
    /// The directory is a copy whose history has no name of its own, since the disk is full.
    case unnamed
    /// The log had no room for the journal's events.
    case flushFailed = "flush-failed"
    /// Writes have waited for five seconds in which none was acknowledged.
    case writesWait = "writes-wait"
    /// Each write is refused for a reason besides a full disk.
    case writesRefused = "writes-refused"
    /// No node leads, as far as this one knows.
    case noLeader = "no-leader"
    /// The node has no link to the node that leads.
    case leaderLost = "leader-lost"
    /// The ordering service does not answer the node.
    case etcdLost = "engine-lost"
    /// The ordering service has no room.
    case etcdFull = "engine-full"
    /// The ordering service refuses what the node has to do, such as for its user.
    case etcdRefuses = "engine-refuses"
    /// The ordering service went back to an earlier state.
    case etcdSetBack = "engine-set-back"
    /// The node lacks events that the ordering service no longer has, and no other node sent them.
    case notSeeded = "not-seeded"
    /// Another node has not reported in time.
    case nodeSilent = "node-silent"
    /// The replica does not reach its source, or the source does not answer.
    case sourceLost = "source-lost"
    /// The models are damaged, and new ones are built.
    case rebuilding
    /// Events are being erased, and their bytes are still in files.
    case erasing
    /// The last checkpoint of some models failed.
    case checkpointFailed = "checkpoint-failed"
    /// The definition of a declared model cannot be built, or waits for room.
    case notBuilt = "not-built"
    /// The index of words cannot be folded further.
    case findBehind = "find-behind"
    /// The definitions of declared models cannot be served together.
    case notServed = "not-served"
    /// The system lacks the resources to accept a client.
    case notAccepting = "not-accepting"
    /// The clock is more than a minute behind the log's last event.
    case clockBehind = "clock-behind"
    /// Changed files of certificates cannot be used; those before them are.
    case certificateNotRead = "certificate-not-read"
    /// The daemon's own certificate ends soon, or has ended.
    case certificateEnds = "certificate-ends"
    /// Lines of the trace wait for their reader, or for a thread that writes them.
    case traceStuck = "trace-stuck"

    /// The gravity of a condition for an operator.
    package enum Gravity: Sendable {
        /// Somebody has to look soon.
        case warning
        /// Writes are not possible, or the acknowledged events are in danger.
        case critical
    }

    /// The gravity.
    package var gravity: Gravity {
        switch self {
        case .full, .unnamed, .flushFailed, .writesWait, .writesRefused, .noLeader, .leaderLost, .etcdLost,
            .etcdFull, .etcdRefuses:
            .critical
        case .etcdSetBack, .notSeeded, .nodeSilent, .sourceLost, .rebuilding, .erasing, .checkpointFailed, .notBuilt,
            .findBehind, .notServed, .notAccepting, .clockBehind, .certificateNotRead, .certificateEnds, .traceStuck:
            .warning
        }
    }

    /// One clause for a person: the state, and its effect.
    package var sentence: String {
        switch self {
        case .full: "the disk is full, so writes are refused"
        case .unnamed: "the copy has no name yet: make room and restart"
        case .flushFailed: "the log has no room for the journal's events"
        case .writesWait: "writes wait for the disk, for memory, or a long fold"
        case .writesRefused: "each write is refused; the reply has the reason"
        case .noLeader: "no node leads, so no write is possible"
        case .leaderLost: "the node that leads is not reached, so writes wait"
        case .etcdLost: "etcd does not answer, so no write is possible here"
        case .etcdFull: "etcd has no room, so no write is possible"
        case .etcdRefuses: "etcd refuses this node, so no write is possible"
        case .etcdSetBack: "etcd went back to an earlier state"
        case .notSeeded: "events are missing here, and no other node sends them"
        case .nodeSilent: "another node does not report"
        case .sourceLost: "the source does not answer, so nothing new comes"
        case .rebuilding: "the models are damaged, and new ones are built"
        case .erasing: "bytes of erased events are still in files"
        case .checkpointFailed: "models cannot be stored"
        case .notBuilt: "a declared model cannot be built: MODELS has the reason"
        case .findBehind: "the index of words cannot be kept, so FIND is busy"
        case .notServed: "declared models contradict one another"
        case .notAccepting: "no client can be accepted"
        case .clockBehind: "the clock is behind the log's last event"
        case .certificateNotRead: "changed certificates cannot be used"
        case .certificateEnds: "the daemon's own certificate ends"
        case .traceStuck: "the trace is not written"
        }
    }
}

extension Set<StoreCondition> {
    /// The names in the order of their declaration.
    package var names: [String] { StoreCondition.allCases.filter(contains).map(\.rawValue) }

    /// The member of `STATS` and of `CLUSTER`.
    package var member: Member { Member("conditions", .list(names.map { .text($0) })) }
}
