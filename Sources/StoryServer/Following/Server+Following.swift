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
