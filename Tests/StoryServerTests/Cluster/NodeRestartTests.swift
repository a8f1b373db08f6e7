import LoopSupport
import StoryCluster
import StoryCore
import StoryFold
import StoryLog
import StoryServer
import StoryStorage
import StoryStore
import TestSupport
import Testing

/// A node that starts again over what its directory has.
struct NodeRestartTests {
    private let append = #"APPEND note-1 {"type":"A","data":{}}"#

    /// A running node.
    private struct Node {
        let loop: DrivenLoop
        let etcd: DrivenEtcd
        let log: LMDBEventLog

        /// Moves calls, answers and changes until none move any more.
        func settle() {
            repeat { loop.run() } while etcd.deliver()
            loop.run()
        }

        func ask(_ line: String) -> [String] {
            loop.send(line, from: "a")
            settle()
            return loop.hear("a")
        }
    }

    /// Lends a node over a directory, until it is killed.
    private func serve(
        _ bench: DirectoryBench, _ shared: SharedEtcd, run: String, storing isStoring: Bool = true,
        _ body: (Node) throws -> Void
    ) throws {
        try bench.serve { log, models in
            try Recovery.fold(log, into: models, by: CataloguePlan(.standard)) { _, _ in }
            let commits = HeldCommits(isHeld: !isStoring)
            let etcd = DrivenEtcd(shared)
            let loop = try DrivenLoop(
                log: log, models: models, logWork: LogJobs(log, models), commits: commits,
                node: ClusterNode(ordering: etcd, settings: NodeBench.settings("n1", run: run)))
            commits.whenDone = loop.wake
            loop.clock.setStep(nanoseconds: 10_000)
            loop.connected("a")
            let node = Node(loop: loop, etcd: etcd, log: log)
            node.settle()
            try body(node)
        }
    }

    private func made() throws -> (DirectoryBench, SharedEtcd) {
        let bench = try DirectoryBench()
        let history = try bench.serve { log, _ in log.storedIdentity.id }
        return (bench, SharedEtcd(NodeBench.record(of: history)))
    }

    @Test func `a node that lost what it had not synced gets it again, byte for byte`() throws {
        let (bench, shared) = try made()
        var events: [String] = []
        try serve(bench, shared, run: "1", storing: false) { node in
            for _ in 0..<3 { expect(node.ask(append).last?.hasPrefix("+") == true) }
            events = node.ask("READ events")
            expect(node.log.committed == .zero && node.log.head == Position(3))
        }
        try serve(bench, shared, run: "2") { node in
            expect(node.log.head == Position(3) && node.log.committed == Position(3))
            expect(node.ask("READ events") == events && events.count == 4)
            expect(node.ask(append).map { $0.number("position") } == [4], "the lead of the run before is dismissed")
        }
        try serve(bench, shared, run: "3") { node in expect(node.log.head == Position(4)) }
    }

    @Test func `a node that was stored goes on without a step`() throws {
        let (bench, shared) = try made()
        try serve(bench, shared, run: "1") { node in
            expect(node.ask(append).map { $0.number("position") } == [1])
            expect(node.log.committed == Position(1))
        }
        try serve(bench, shared, run: "2") { node in
            expect(node.ask(append).map { $0.number("position") } == [2])
            expect(node.loop.server.ending == nil)
        }
    }

    @Test func `a node whose events are others than those of etcd ends`() throws {
        let (bench, shared) = try made()
        let other = SharedEtcd(NodeBench.record(of: try bench.serve { log, _ in log.storedIdentity.id }))
        try serve(bench, shared, run: "1") { node in expect(node.ask(append).count == 1) }
        let twin = NodeBench()
        twin.settle()
        expect(twin.ask(append).count == 1)
        let key = LogKeys(log: "main").entry(Position(1))
        let foreign = try require(twin.shared.etcd.pairs[key])
        other.etcd.put(key, foreign.value)
        try serve(bench, other, run: "2") { node in
            expect(node.loop.server.ending?.exitCode == 5)
            expect(node.loop.transport.isStopped && node.loop.said("diverged") == 1)
        }
    }

    @Test func `a node that has events which etcd lost ends, and one of another history does`() throws {
        let (bench, shared) = try made()
        try serve(bench, shared, run: "1") { node in expect(node.ask(append).count == 1) }
        let history = try bench.serve { log, _ in log.storedIdentity.id }
        try serve(bench, SharedEtcd(NodeBench.record(of: history)), run: "2") { node in
            guard case .isNoNode(.ahead)? = node.loop.server.ending else {
                Issue.record("\(String(describing: node.loop.server.ending))")
                return
            }
        }
        let foreign = SharedEtcd(NodeBench.record(of: [UInt8](repeating: 1, count: 16)))
        try serve(bench, foreign, run: "3") { node in expect(node.loop.server.ending == .isNoNode(.otherHistory)) }
    }
}
