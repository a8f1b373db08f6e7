import Foundation

/// The log that most rows share: one etcd, a node that leads and one that follows, and beside them a single store that
/// has the same stories.
extension Stage {
    static let pair = ["n1", "n2"]
    static let single = "single"

    /// Starts them the first time. The log is made of a copy of the single store's directory, so that etcd never has its
    /// start.
    func fillPair() throws(BenchError) {
        guard isFirst("pair") else { return }
        try fillStories(on: Stage.single)
        stop(Stage.single)
        _ = try Command.run(["cp", "-a", folder(Stage.single).path + "/data", data(Stage.pair[0])])
        try makeLog(of: Stage.pair[0])
        _ = try leader(of: [Stage.pair[0]])
        _ = try leader(of: Stage.pair)
        for name in Stage.pair {
            note(name) { $0.stories = size.million }
            try checkpoint(at: node(name))
        }
        try checkpoint(Stage.single)
    }

    /// The bytes of the value of an entry with one event.
    func bytesOfOneEvent() throws(BenchError) -> Int {
        let server = try node(roles().leader)
        Load([storeLink(server.address)], .append, inflight: 1).run(requests: 1)
        let entry = try lastEntry()
        guard entry.events == 1 else { throw BenchError("the last entry has \(entry.events) events") }
        return entry.bytes
    }

    /// The names of the node that leads and of the one that follows, now.
    func roles() throws(BenchError) -> (leader: String, follower: String) {
        let leader = try leader(of: Stage.pair)
        return (leader, leader == Stage.pair[0] ? Stage.pair[1] : Stage.pair[0])
    }
}
