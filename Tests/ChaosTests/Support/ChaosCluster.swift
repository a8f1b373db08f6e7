import Foundation
import Glibc
import TestSupport

/// Three members of etcd and three nodes of a log, which are killed, paused and cut off.
final class ChaosCluster {
    /// How long a node that leads may be silent, in seconds.
    static let lease = 2
    /// How long a write waits, in seconds.
    static let patience = 3

    let members: [RunningEtcd]
    let nodes: [RunningDaemon]
    /// The network between each node and the members.
    private let networks: [Network]
    private var down: Set<Int> = []
    private var deadMembers: Set<Int> = []

    init() throws {
        let members = try RunningEtcd.cluster(of: 3, ["--snapshot-count", "1000"])
        let networks = try (0..<3).map { _ in try Network(to: members.map(\.port)) }
        func node(_ index: Int, _ options: String...) throws -> RunningDaemon {
            let urls = networks[index].ports.map { "http://127.0.0.1:\($0)" }.joined(separator: ",")
            return try RunningDaemon(
                options: [
                    "--cluster", urls, "--node", "n\(index + 1)", "--lease", "\(ChaosCluster.lease)", "--patience",
                    "\(ChaosCluster.patience)", "--tail", "1048576",
                ] + options, isStarted: false)
        }
        let made = try node(0, "--create")
        try made.launch()
        guard try made.wait() == .code(0) else { throw TookTooLong(what: "no log was made: \(made.trace)") }
        nodes = try (0..<3).map { try node($0) }
        try FileManager.default.moveItem(atPath: made.data, toPath: nodes[0].data)
        (self.members, self.networks) = (members, networks)
        for node in nodes { try node.start() }
    }

    /// What a node says that it does; nil where it does not answer.
    func state(_ index: Int) -> String? {
        guard !down.contains(index) else { return nil }
        return try? LineSocket(nodes[index].socket).line().text("state")
    }

    /// Waits for a node that leads while the others follow, and returns its index.
    func leader() throws -> Int {
        var found: Int?
        try until("a node leads, the others follow: \(traces)") {
            let states = nodes.indices.map { state($0) }
            found = states.firstIndex(of: "leading")
            return found != nil && states.count { $0 == "following" } == nodes.count - 1
        }
        return found ?? 0
    }

    private var traces: String { nodes.map { "\($0.trace.suffix(600))" }.joined(separator: "\n--\n") }

    // MARK: Harm

    func kill(_ index: Int) throws {
        down.insert(index)
        try nodes[index].kill()
    }

    /// Ends a node as a service manager does.
    func stop(_ index: Int) throws {
        down.insert(index)
        let exit = try nodes[index].stop()
        guard exit == .code(0) else {
            throw TookTooLong(what: "node \(index + 1) stops, it ended with \(exit): \(nodes[index].trace.suffix(600))")
        }
    }

    /// Removes the directory of a node that is down, and the node from the log.
    func wipe(_ index: Int, askedAt other: Int) throws {
        try FileManager.default.removeItem(atPath: nodes[index].data)
        let answer = try nodes[other].client().ask("CLUSTER remove n\(index + 1)")
        guard answer.hasPrefix("+") else { throw TookTooLong(what: "a node is removed: \(answer)") }
    }

    /// Writes more than the members keep, and waits until they have dropped what a node lacks that is away.
    func writePastTail(at leader: Int) throws {
        let client = try nodes[leader].client()
        let text = String(repeating: "x", count: 60_000)
        for number in 1...40 {
            let answer = try client.ask(#"APPEND large-1 {"type":"Wrote","data":{"n":\#(number),"text":"\#(text)"}}"#)
            guard answer.hasPrefix("+") else { throw TookTooLong(what: "a large write: \(answer)") }
        }
    }

    func killMember(_ index: Int) throws {
        deadMembers.insert(index)
        try members[index].kill()
    }

    func cut(_ index: Int, _ cut: Network.Cut) { networks[index].cut(cut) }

    /// Undoes all harm: starts what was killed, continues what was paused, and makes the networks whole.
    func heal() throws {
        for index in members.indices where !deadMembers.contains(index) { try members[index].resume() }
        // A member serves only with a majority, so all are started before any is waited for.
        for index in deadMembers { try members[index].launch() }
        for index in deadMembers { try members[index].restart() }
        deadMembers = []
        for network in networks { network.cut([]) }
        for index in nodes.indices {
            if down.remove(index) != nil { try nodes[index].start() } else { try nodes[index].resume() }
        }
    }

    // MARK: The end

    /// Waits until a cursor has nothing left to do.
    func awaitEnd(of cursor: String) throws {
        let leader = try leader()
        try until("\(cursor) has done all") {
            try nodes[leader].client().rows("CURSORS \(cursor)").first?.number("lag") == 0
        }
    }

    /// The files of the nodes that have a text, once each node has carried out all erasures.
    func files(with text: String) throws -> [String] {
        for node in nodes {
            try until("all is erased: \(node.trace.suffix(600))") {
                try node.client().allRows("ERASURES limit=1000").allSatisfy { $0.number("done") != nil }
            }
        }
        return nodes.flatMap { node in FilesWith.any([text], in: node.data).map { "\(node.data)/\($0)" } }
    }

    /// Waits until all nodes have the same events, ends them, and returns what each exports.
    func exports() throws -> [String] {
        _ = try leader()
        let head = try nodes[0].client().ask("PING min=now").number("position") ?? 0
        for node in nodes {
            let answer = try node.client().ask("PING min=\(head)")
            guard answer.hasPrefix("+") else { throw TookTooLong(what: "a node has \(head): \(answer)") }
        }
        for index in nodes.indices { try stop(index) }
        for network in networks { network.end() }
        return try nodes.map { node in
            let run = try node.storectl("export", offline: true)
            guard run.exit == .code(0) else { throw TookTooLong(what: "an export: \(run.errors)") }
            return run.output
        }
    }
}
