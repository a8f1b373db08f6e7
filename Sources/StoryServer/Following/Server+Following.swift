package import StoryCluster
import StoryCore
package import StoryEngine

/// The part that this store has among others: a replica, or a node.
extension Server {
    /// The reason why a replica must end; nil while it may go on, or this store is none.
    package var fault: FollowingFault? { follower?.fault }

    /// The reason why a node must end; nil while it may go on, or this store is none.
    package var clusterError: ClusterError? { cluster?.error }
}

/// The parts of the loop that a replica changes.
extension Follower {
    /// Makes the link of a replica, whose writes are refused from now on; nil for a store of its own.
    static func replica(
        _ dependency: ServerDependency, _ driver: CommitDriver, seals: SealQueue, requests: Requests
    ) -> Follower? {
        guard let address = dependency.configuration.follow else { return nil }
        let purpose = Follower.Purpose.replica { [weak requests] question, position in
            requests?.waits.answered(question, position)
            requests?.resume(requests?.waits.takeReached(driver.acknowledged) ?? [])
        }
        let follower = Follower(of: address, dependency, driver: driver, seals: seals, for: purpose)
        requests.waits.askSource = { [weak follower] in follower?.askForPosition() ?? 0 }
        dependency.engine.cluster = { [weak follower] in follower.map { .replica($0.state) } }
        dependency.engine.notLeader = Failure(
            .notLeader, "this store is a replica and takes no writes: send it to \(address)", .address(address))
        return follower
    }
}
