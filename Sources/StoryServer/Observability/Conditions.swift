import StoryCluster
import StoryCore
import StoryEngine
import StoryLog

/// The conditions of the daemon, read from the parts that know them: everything that looks at the daemon asks here.
struct Conditions {
    let driver: CommitDriver
    /// The part that the store has among others; nil for a store of its own.
    let part: ClusterState?

    /// The conditions that hold now.
    var now: Set<StoreCondition> {
        driver.figures.conditions.union(part?.link.conditions ?? [])
            .union(driver.declared.conditions).union(writes)
    }

    /// The conditions of writes, and of what they are stored in.
    private var writes: Set<StoreCondition> {
        var found: Set<StoreCondition> = []
        if driver.refusals.failureBesidesDisk != nil { found.insert(.writesRefused) }
        if driver.stall.isLong { found.insert(.writesWait) }
        if driver.declared.parts.stored?.refusal != nil { found.insert(.unnamed) }
        if driver.declared.parts.stored?.erasure.isUnderWay == true { found.insert(.erasing) }
        if driver.trace.isStuck { found.insert(.traceStuck) }
        if driver.checkpoints.hasFailed || driver.declared.allCheckpoints.contains(where: \.hasFailed) {
            found.insert(.checkpointFailed)
        }
        return found
    }
}

/// The conditions of a log with several nodes, as one of them sees them: of the ordering service, the lead and the
/// other nodes.
struct LogConditions {
    let cluster: ClusterDriver

    /// The conditions that hold now.
    var now: Set<StoreCondition> {
        let (calls, replica) = (cluster.calls, cluster.replica)
        var found: Set<StoreCondition> = []
        if calls.isLost { found.insert(.etcdLost) }
        if calls.isFull { found.insert(.etcdFull) }
        if replica.etcdRefuses != nil { found.insert(.etcdRefuses) }
        if replica.etcdSetBack != nil { found.insert(.etcdSetBack) }
        if replica.leader == nil { found.insert(.noLeader) }
        if cluster.forwarding.isLeaderLost { found.insert(.leaderLost) }
        if cluster.seeding.hasFailed, !replica.isCaughtUp { found.insert(.notSeeded) }
        // Where the ordering service does not answer, no report comes from any node.
        if !calls.isLost, hasSilentNode { found.insert(.nodeSilent) }
        return found
    }

    private var hasSilentNode: Bool {
        cluster.nodes.contains { $0.isSilent && $0.name != cluster.settings.node }
    }
}
