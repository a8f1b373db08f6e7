import Foundation
import LoopSupport
import StoryCluster
import StoryCore
import StoryReactor
import TestSupport
import Testing

@testable import StoryServer

/// The conditions of a daemon: a lasting state in which something is not as it should be is told by everything that looks.
struct ConditionsTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The conditions that a loop tells in `STATS` and in `METRICS`, which are the same.
    private func conditions(_ bench: LoopBench, _ client: String) throws -> [String] {
        let stats = try require(bench.ask("STATS", from: client).last)
        let list = try require(stats.firstMatch(of: /"conditions":\[([^\]]*)\]/)).1
        let names = list.split(separator: ",").map { $0.filter { $0 != "\"" } }
        let family = try require(
            bench.ask("METRICS", from: client).first { $0.text("family") == "storykeep_condition" })
        let held = family.matches(of: /condition=\\"([a-z-]+)\\"} 1/).map { String($0.1) }
        expect(held == names)
        return names
    }

    private func has(_ figure: String, _ bench: LoopBench, _ client: String) -> Bool {
        bench.ask("METRICS", from: client).contains { $0.contains("\\n\(figure) ") }
    }

    // MARK: A replica

    @Test func `a replica whose source is gone does not know how far it is behind`() throws {
        let bench = ReplicaBench()
        bench.tick()
        expect(try conditions(bench.replica, "r") == [])
        expect(has("storykeep_replica_lag_events", bench.replica, "r"))
        bench.replica.transport.listeners["/source"] = nil
        bench.breakLink()
        bench.tick(3)
        expect(try conditions(bench.replica, "r") == ["source-lost"])
        expect(!has("storykeep_replica_lag_events", bench.replica, "r"))
        expect(has("storykeep_replica_silence_seconds", bench.replica, "r"))
        let stats = try require(bench.replica.ask("STATS", from: "r").last)
        expect(stats.contains(#""cluster":{"state":"catchingUp","address":"/source","silence":"#), "\(stats)")
        bench.replica.transport.listeners["/source"] = ConnectionID(2_000_000)
        bench.tick(40)
        expect(try conditions(bench.replica, "r") == [])
        expect(has("storykeep_replica_lag_events", bench.replica, "r"))
    }

    @Test func `a source that stands still is asked, and is lost where it does not answer for ten seconds`() throws {
        let bench = ReplicaBench()
        bench.tick()
        bench.tick(150)
        expect(try conditions(bench.replica, "r") == [], "a source without events is heard")
        bench.isConnected = false
        bench.tick(70)
        expect(try conditions(bench.replica, "r") == [])
        bench.tick(55)
        expect(try conditions(bench.replica, "r") == ["source-lost"])
        expect(bench.replica.said(#"source-lost source=/source position=0 reason="it does not answer""#) == 1)
        bench.isConnected = true
        bench.tick(2)
        expect(try conditions(bench.replica, "r") == [])
    }

    // MARK: A node

    @Test func `a node says that no node leads, and that etcd does not answer`() throws {
        let bench = NodeBench()
        expect(try conditions(bench.nodes[0], "a") == ["no-leader"])
        bench.settle()
        bench.tick(40)
        expect(try conditions(bench.nodes[0], "a") == [])
        bench.etcds[0].fate = { _ in .lost }
        bench.tick(60)
        expect(try conditions(bench.nodes[0], "a").contains("engine-lost"))
        expect(!has("storykeep_replica_lag_events", bench.nodes[0], "a"))
        expect(
            bench.ask("CLUSTER").last?.contains(#""conditions":["no-leader","engine-lost"]"#) == true
                || bench.ask("CLUSTER").last?.contains(#""conditions":["engine-lost"]"#) == true)
        expect(bench.ask("STATS").last?.contains(#""state":"catchingUp""#) == true)
        bench.etcds[0].fate = { _ in .answered }
        bench.tick(80)
        expect(try conditions(bench.nodes[0], "a") == [])
    }

    @Test func `a node says that etcd is full until something is written again`() throws {
        let bench = NodeBench()
        bench.settle()
        bench.etcds[0].onTheWayBack = { call, answer in
            guard case .transaction(let transaction) = call, !transaction.then.isEmpty else { return answer }
            return .full
        }
        bench.tick(40)
        expect(try conditions(bench.nodes[0], "a").contains("engine-full"))
        bench.etcds[0].onTheWayBack = { $1 }
        bench.tick(80)
        expect(try conditions(bench.nodes[0], "a") == [])
    }

    @Test func `a node says that another one does not report`() throws {
        let bench = NodeBench(nodes: 2)
        bench.settle()
        bench.tick(40)
        expect(try conditions(bench.nodes[0], "a") == [])
        bench.nodes[1].transport.stop()
        bench.tick(80)
        expect(try conditions(bench.nodes[0], "a") == ["node-silent"])
    }

    @Test func `the link to the node that leads is lost from a failure until it is made again`() {
        let log = LogID(binary: [UInt8](repeating: 7, count: 16))
        var writes = ForwardedWrites(log, node: "n2", at: .zero, patience: 10)
        _ = writes.leaderIs(Leader(node: "n1", address: "/n1", nonce: "1", term: Term(3)), at: 0)
        expect(!writes.isLeaderLost)
        _ = writes.linkEnded(isRefused: false, "no route", at: 1)
        expect(writes.isLeaderLost)
        _ = writes.ticked(5)
        _ = writes.heard(.greeting(log), at: 6)
        expect(!writes.isLeaderLost)
    }

    // MARK: Writes and models

    @Test func `writes that wait for five seconds without one that is acknowledged are told`() {
        var stall = WriteStall()
        for tick in 1...49 {
            stall.ticked(areWaiting: true, acknowledged: Position(1))
            expect(!stall.isLong, "\(tick)")
        }
        stall.ticked(areWaiting: true, acknowledged: Position(2))
        expect(!stall.isLong, "one was acknowledged")
        for _ in 1...50 { stall.ticked(areWaiting: true, acknowledged: Position(2)) }
        expect(stall.isLong)
        stall.ticked(areWaiting: false, acknowledged: Position(2))
        expect(!stall.isLong)
    }

    @Test func `a commit that hangs is told while it hangs`() throws {
        let bench = SlowDisk.bench()
        bench.send(SlowDisk.append, from: "writer")
        expect(try conditions(bench, "reader") == [])
        bench.tick(60)
        expect(try conditions(bench, "reader") == ["writes-wait"])
        bench.endCommit()
        bench.tick(1)
        expect(try conditions(bench, "reader") == [])
    }

    @Test func `a checkpoint of a declared model that fails is told until that one is stored`() throws {
        let bench = LoopBench()
        bench.connected("a")
        _ = bench.ask(#"DEFINE orders "from order; n: number; on * { n += 1 }""#, from: "a")
        bench.run()
        _ = bench.ask(#"APPEND order-1 {"type":"A","data":{}}"#, from: "a")
        let store = try require(bench.modelFolders.stores["orders.1"])
        store.storingFailure = .full("no room")
        _ = bench.ask("CHECKPOINT", from: "a")
        bench.awaitStoring()
        bench.tick(2)
        bench.awaitStoring()
        expect(try conditions(bench, "a") == ["checkpoint-failed"])
        store.storingFailure = nil
        try until("it is stored") {
            bench.tick(2)
            // The thread that stores it does not end between the two answers that are compared.
            bench.awaitStoring()
            return try conditions(bench, "a") == []
        }
    }

    @Test func `a definition that meets a full disk waits, says so, and is built once there is room`() throws {
        let bench = LoopBench()
        bench.connected("a")
        bench.modelFolders.failure = .full("no room")
        expect(
            bench.ask(#"DEFINE orders "from order; n: number; on * { n += 1 }""#, from: "a").last?.hasPrefix("+")
                == true)
        bench.tick(5)
        let models = bench.ask("MODELS", from: "a").first ?? ""
        expect(models.contains(#""state":"building""#) && models.contains(#""reason":"no room""#), "\(models)")
        let refusal = bench.ask("LIST orders", from: "a").last ?? ""
        expect(refusal.text("code") == "busy" && refusal.contains("it waits: no room"), "\(refusal)")
        expect(try conditions(bench, "a") == ["not-built"])
        bench.modelFolders.failure = nil
        bench.clock.pass(nanoseconds: 2_000_000_000)
        bench.tick(15)
        expect(bench.ask("MODELS", from: "a").first?.contains(#""state":"ready""#) == true)
        expect(try conditions(bench, "a") == [])
        expect(bench.ask("COUNT orders", from: "a").last?.hasPrefix("+") == true)
    }

    @Test(arguments: ["LIST orders", "GET orders/1", "COUNT orders"])
    func `a request about a model that cannot be built has the reason, and is not to be repeated`(line: String) throws {
        let bench = LoopBench()
        bench.connected("a")
        bench.modelFolders.failure = .failed("the tables cannot be made")
        _ = bench.ask(#"DEFINE orders "from order; n: number; on * { n += 1 }""#, from: "a")
        bench.tick(2)
        expect(bench.ask("MODELS", from: "a").first?.contains(#""state":"failed""#) == true)
        let refusal = bench.ask(line, from: "a").last ?? ""
        expect(refusal.text("code") == "internal" && refusal.text("retry") == "never", "\(refusal)")
        expect(refusal.contains("the tables cannot be made"), "\(refusal)")
        expect(try conditions(bench, "a") == ["not-built"])
        bench.modelFolders.failure = nil
        _ = bench.ask(#"DEFINE orders "from order; m: number; on * { m += 1 }""#, from: "a")
        bench.tick(2)
        expect(try conditions(bench, "a") == [])
    }

    @Test func `METRICS has the misfits of each declared model`() throws {
        let bench = LoopBench()
        bench.connected("a")
        _ = bench.ask(#"DEFINE orders "from order; n: number; on Placed { n = data.n }""#, from: "a")
        bench.run()
        for data in [#"{"n":1}"#, "{}", #"{"n":"x"}"#] {
            _ = bench.ask(#"APPEND order-1 {"type":"Placed","data":\#(data)}"#, from: "a")
        }
        let family = bench.ask("METRICS", from: "a").first { $0.text("family") == "storykeep_model_misfits" }
        expect(family?.contains(#"storykeep_model_misfits{model=\"orders\"} 2"#) == true, "\(family ?? "")")
    }

    // MARK: Documents and rules

    @Test func `docs/operating.md lists the conditions, and which of them are critical`() throws {
        let text = try String(contentsOf: Self.root.appending(path: "docs/operating.md"), encoding: .utf8)
        let table = try require(text.firstMatch(of: /<!-- conditions -->\n([^§]*?)<!-- end -->/)).1
        let rows = table.split(separator: "\n").dropFirst(2).map {
            $0.split(separator: "|").prefix(2).joined(separator: "|")
        }
        expect(
            rows == StoreCondition.allCases.map { " `\($0.rawValue)` | \($0.gravity == .critical ? "yes" : "no") " })
    }

    @Test func `the rules alert as critical on the conditions that are`() throws {
        let text = try String(
            contentsOf: Self.root.appending(path: "packaging/prometheus/storykeep.rules.yml"), encoding: .utf8)
        let critical = StoreCondition.allCases.filter { $0.gravity == .critical }.map(\.rawValue)
        let lists = text.matches(of: /condition(=|!)~"([^"]+)"/).map {
            ($0.1, $0.2.split(separator: "|").map(String.init))
        }
        expect(lists.filter { $0.0 == "=" }.flatMap(\.1).sorted() == critical.sorted())
        // An erasure has a rule of its own, since it is no news before an hour.
        expect(lists.filter { $0.0 == "!" }.flatMap(\.1).sorted() == (critical + ["erasing"]).sorted())
    }

    @Test func `the sentence of a condition is one clause that fits a line of a terminal`() {
        for condition in StoreCondition.allCases {
            let line = "\(condition.rawValue): \(condition.sentence)"
            expect(line.count <= 66 && !condition.sentence.hasSuffix("."), "\(line)")
        }
    }
}
