import StoryCluster
import StoryCore
import StoryEngine
import StoryStorage
import StoryWire

/// A member of a line, which has its name in common with the nodes of a log.
private typealias Member = StoryCore.Member

/// The requests about the nodes of a log, at one of them: `CLUSTER`.
final class NodeRequests {
    /// A change that a client waits for.
    private struct Asked {
        let change: NodeChange
        let tag: Tag?
        let connection: Connection
    }

    private let cluster: ClusterDriver
    private var asked: [UInt64: Asked] = [:]
    private var last: UInt64 = 0

    init(_ cluster: ClusterDriver) { self.cluster = cluster }

    /// Returns true for the name of a node of the log.
    func isNode(_ name: String) -> Bool { cluster.isNode(name) }

    /// Begins a change, whose end answers the request.
    func begin(_ change: NodeChange, tag: Tag?, for connection: Connection) {
        last += 1
        asked[last] = Asked(change: change, tag: tag, connection: connection)
        let id = last
        cluster.input { $0.asked(for: change, id, at: $1) }
    }

    /// Returns the answer to the request for a change, which has ended; nil where nobody waits for it.
    func ended(_ id: UInt64, _ end: NodeChangeEnd) -> JobAnswer? {
        guard let asked = asked.removeValue(forKey: id) else { return nil }
        let reply = end.reply(to: asked.change, position: cluster.driver.acknowledged)
        return JobAnswer(connection: asked.connection, tag: asked.tag, reply: reply)
    }

    /// The rows of the nodes, and the line that closes them.
    var report: [Reply] {
        let state = cluster.state
        let head = cluster.driver.acknowledged
        let nodes = cluster.nodes
        let own = state.members(cluster.settings, head: head, erased: cluster.replica.erasures.through)
        var rows = nodes.map { $0.name == state.node ? own : $0.members }
        if !nodes.contains(where: { $0.name == state.node }) { rows.append(own) }
        var end = [Member("log", .text(state.log))]
        if let leader = state.leader {
            end += [Member("leader", .text(leader.node)), Member("term", .count(UInt64(clamping: leader.term)))]
        }
        end.append(Member("position", .count((state.link.end ?? head).value)))
        if let tail = cluster.replica.tail {
            let size = [
                Member("first", .count(tail.first.value)), Member("bytes", .count(UInt64(clamping: tail.bytes))),
            ]
            end.append(Member("tail", .object(size)))
        }
        end.append(Conditions(driver: cluster.driver, part: cluster.part).now.member)
        return rows.map { Reply.line($0) } + [.done(.members(end))]
    }
}

extension Failure {
    /// The failure of a request about nodes at a store that is none.
    static func noCluster(_ state: ClusterState?) -> Failure {
        guard case .replica(let replica)? = state else {
            return Failure(.notFound, "this store is no node of a cluster: it was started without --cluster")
        }
        return Failure(
            .notLeader, "this store is a replica, and no node: ask \(replica.address)", .address(replica.address))
    }
}

extension NodeView {
    fileprivate var members: [Member] {
        NodeView.members(
            name, address: address, state: isSilent ? "silent" : phase.rawValue, position: position, stored: stored,
            erased: erased, seen: seen.map { Double($0 / 100_000_000) / 10 }, version: version)
    }

    fileprivate static func members(
        _ name: String, address: String, state: String, position: Position, stored: Position, erased: Position,
        seen: Double?, version: String
    ) -> [Member] {
        [
            Member("node", .text(name)), Member("address", .text(address)), Member("state", .text(state)),
            Member("position", .count(position.value)), Member("stored", .count(stored.value)),
            Member("erased", .count(erased.value)),
        ] + (seen.map { [Member("seen", .number($0))] } ?? []) + [Member("version", .text(version))]
    }
}

extension NodeState {
    /// The members of this node's own row.
    fileprivate func members(_ settings: ReplicaSettings, head: Position, erased: Position) -> [Member] {
        NodeView.members(
            node, address: settings.address, state: phase.rawValue, position: head, stored: stored, erased: erased,
            seen: 0, version: settings.version)
    }
}

extension NodeChangeEnd {
    /// Returns the reply to the request for a change.
    fileprivate func reply(to change: NodeChange, position: Position) -> Reply {
        let node = change.node
        switch self {
        case .leads(let term):
            return .done(
                .members([
                    Member("node", .text(node)), Member("term", .count(UInt64(clamping: term.revision))),
                    Member("position", .count(position.value)),
                ]))
        case .removed:
            return .done(.members([Member("node", .text(node)), Member("position", .count(position.value))]))
        case .notJoined: return .unavailable("this node has not joined the log yet: ask another one, or later", .none)
        case .noNode(let known):
            let names = known.prefix(12).joined(separator: ", ")
            return .failed(Failure(.notFound, "the log has no node \"\(node)\"; it has \(names)"))
        case .behind(let position):
            let message = "\(node) is at position \(position.value) and has not all events of the log"
            return .failed(Failure(.behind, message, .position(position)))
        case .silent: return .unavailable("\(node) has not reported of late: it may not run, or not reach etcd", .none)
        case .isLeading:
            let message = "\(node) leads the log: CLUSTER promote another node, then remove it"
            return .failed(Failure(.denied, message))
        case .led(let leader):
            let message = leader.map { "\($0) began to lead meanwhile" } ?? "the leader went meanwhile"
            return .unavailable("\(message): nothing was changed", .none)
        case .refused(let text): return .failed(Failure(.internal, "etcd refuses the change: \(text)"))
        case .late: return .unavailable("the change did not come true in time; look with CLUSTER", .unknown)
        }
    }
}

extension Reply {
    fileprivate static func unavailable(_ message: String, _ outcome: UnavailableOutcome) -> Reply {
        .failed(Failure(.unavailable, message, .outcome(outcome)))
    }
}
