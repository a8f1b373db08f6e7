import TestSupport
import Testing

/// Erasures in a log of several nodes: each carries them out, and etcd forgets what they took.
@Suite(.timeLimit(.minutes(10))) struct NodeErasureTests {
    private static let secret = "SecretOfANode"

    /// The files of a directory that have the secret.
    private static func files(_ path: String) -> [String] { FilesWith.any([secret], in: path) }

    private static func fill(_ nodes: RunningNodes, user name: String) throws {
        let client = try nodes["n1"].client()
        for number in 1...20 {
            let data = #"{"text":"\#(secret)"}"#
            try client.expect(#"APPEND order-\#(number % 2) {"type":"Placed","tags":["of:1"],"data":\#(data)}"#)
        }
        for (id, name) in [("007", name), ("008", "Ben")] {
            try client.expect(#"POST users {"id":"\#(id)","name":"\#(name)","email":"\#(id)@e.org","prefecture":13}"#)
        }
    }

    /// Waits until all nodes have an event.
    private static func wait(_ nodes: [RunningDaemon], for position: UInt64) throws {
        for node in nodes {
            try until("\(node.trace.suffix(300))") { try node.client().ask("PING min=\(position)").hasPrefix("+") }
        }
    }

    private static func waiting(_ node: RunningDaemon) throws -> [String] {
        try node.client().rows("ERASURES").map { $0.contains(#""waiting":"#) ? $0 : "" }
    }

    /// Returns true where etcd has the secret in an entry.
    private static func isInEtcd(_ nodes: RunningNodes) throws -> Bool {
        let found = try nodes.etcd.control(["get", "", "--prefix"])
        try require(!found.isEmpty)
        return found.utf8.firstRange(of: secret.utf8) != nil
    }

    @Test func `each node erases, etcd forgets, and a node that was away comes clean`() throws {
        let nodes = try RunningNodes(3)
        let (leader, follower, away) = (nodes["n1"], nodes["n2"], nodes["n3"])
        try Self.fill(nodes, user: Self.secret)
        try Self.wait(nodes.nodes, for: 22)
        expect(!Self.files(follower.data).isEmpty && !Self.files(away.data).isEmpty)
        expect(try away.stop() == .code(0))
        let refused = try follower.client().ask(#"ERASE events/order-* reason="x""#)
        expect(refused.text("code") == "notLeader" && refused.contains(leader.socket), "\(refused)")
        expect(try follower.client().ask("ERASE events/order-* dry=true").number("events") == 20)
        let seal = try leader.client().ask("SEAL at=10").text("seal")
        let answer = try leader.client().ask(#"ERASE events/order-* reason="x" expect=20"#)
        expect(answer.hasPrefix("+"), "\(answer)")
        expect(try leader.client().ask(#"ERASE users/007 reason="x""#).hasPrefix("+"))
        expect(Self.files(leader.data) == [])
        try until("the follower is clean") { Self.files(follower.data) == [] }
        try until("etcd forgets, and only the one that is away is waited for") {
            try Self.waiting(leader).allSatisfy { $0.contains(#""waiting":["n3"]"#) }
        }
        expect(try !Self.isInEtcd(nodes))
        try away.start()
        try until("it comes clean: \(away.trace.suffix(500))") { Self.files(away.data) == [] }
        try until("nobody is waited for") { try Self.waiting(leader) == ["", ""] }
        let head = try require(leader.client().ask("PING").number("position"))
        try Self.wait(nodes.nodes, for: head)
        let lines = try leader.client().rows("READ events limit=1000")
        for node in nodes.nodes {
            expect(try node.client().ask("SEAL at=10").text("seal") == seal)
            expect(try node.client().rows("READ events limit=1000") == lines)
            expect(try node.client().ask("GET users/007").text("code") == "gone")
            expect(try node.client().ask("VERIFY").hasPrefix("+"))
        }
        // The log goes on, and none of the nodes takes another one's events for others.
        try leader.client().expect(#"APPEND order-9 {"type":"Placed","data":{}}"#)
        try Self.wait(nodes.nodes, for: head + 1)
        for node in nodes.nodes { expect(!node.trace.contains("diverged"), "\(node.trace.suffix(500))") }
    }

    @Test func `the lead changes before the answer, and the erasure ends all the same`() throws {
        let nodes = try RunningNodes(3)
        try Self.fill(nodes, user: "Aya")
        try Self.wait(nodes.nodes, for: 22)
        let client = try nodes["n1"].client()
        client.send(#"ERASE events/order-* reason="x""#)
        try until("a node has the order") {
            try nodes["n2"].client().rows("ERASURES").isEmpty == false
        }
        try nodes["n1"].kill()
        for name in ["n2", "n3"] {
            try until("\(name) is clean") { Self.files(nodes[name].data) == [] }
            try until("\(name) says so: \(nodes[name].trace.suffix(500))") {
                try nodes[name].client().rows("ERASURES").first?.contains(#""done":"#) == true
            }
        }
        try nodes["n1"].start()
        try until("the one that was killed comes clean") { Self.files(nodes["n1"].data) == [] }
    }
}
