import Glibc
import TestSupport

/// What happens to nodes and members in one cycle.
enum Disturbance: CaseIterable {
    case leaderKilled
    case followerKilled
    case allNodesKilled
    case memberKilled
    case leaderAndMemberKilled
    case leaderPaused
    case memberPaused
    /// The network of the node that leads is cut, in both directions or one.
    case leaderCutOff
    case leaderUnheard
    case leaderDeaf
    /// Two of three members are paused for longer than `patience`.
    case withoutMajority
    case membersKilled
    case restartedInTurn
    /// A node is away while more is written than etcd keeps.
    case awayPastTail
    /// A node comes back with an empty directory.
    case wiped
    case promoted

    /// Does it, and leaves its harm until `heal`.
    func strike(_ cluster: ChaosCluster, _ random: inout SplitMix64) throws {
        let leader = try cluster.leader()
        let follower = (leader + Int.random(in: 1...2, using: &random)) % 3
        let member = Int.random(in: 0..<3, using: &random)
        let moment = UInt32.random(in: 10_000...5_000_000, using: &random)
        switch self {
        case .leaderKilled: try cluster.kill(leader)
        case .followerKilled: try cluster.kill(follower)
        case .allNodesKilled: for node in 0..<3 { try cluster.kill(node) }
        case .memberKilled: try cluster.killMember(member)
        case .leaderAndMemberKilled:
            try cluster.kill(leader)
            try cluster.killMember(member)
        case .leaderPaused: try cluster.nodes[leader].pause()
        case .memberPaused: try cluster.members[member].pause()
        case .leaderCutOff: cluster.cut(leader, [.toEtcd, .toNode])
        case .leaderUnheard: cluster.cut(leader, .toEtcd)
        case .leaderDeaf: cluster.cut(leader, .toNode)
        case .withoutMajority:
            for other in 1...2 { try cluster.members[(member + other) % 3].pause() }
            usleep(UInt32(ChaosCluster.patience) * 1_000_000)
        case .membersKilled: for member in 0..<3 { try cluster.killMember(member) }
        case .restartedInTurn:
            for node in [follower, 3 - leader - follower, leader] {
                try cluster.stop(node)
                try cluster.heal()
                _ = try cluster.leader()
            }
            return
        case .awayPastTail:
            try cluster.stop(follower)
            try cluster.writePastTail(at: leader)
            return
        case .wiped:
            try cluster.stop(follower)
            try cluster.wipe(follower, askedAt: leader)
            try cluster.writePastTail(at: leader)
            return
        case .promoted:
            // A node that was just started has not reported yet.
            var answer = ""
            try until("a node is promoted: \(answer)") {
                answer = try cluster.nodes[follower].client().ask("CLUSTER promote n\(follower + 1)")
                return answer.hasPrefix("+")
            }
            return
        }
        usleep(moment)
    }
}
