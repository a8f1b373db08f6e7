import Foundation
import StoryCore
import StoryLog
@testable import StoryServer
import StoryStorage
import TestSupport
import Testing

/// The daemon's figures: what they rest on, and that they are there from the start.
@Suite struct FiguresTests {
    @Test(arguments: ["STATS", "METRICS", "CLIENTS", "COUNT users"])
    func `figures rest on the last event that they know of`(request: String) throws {
        let bench = LoopBench()
        bench.connected("writer", "reader")
        bench.makeDiskSlow()
        bench.send(SlowDisk.user, from: "writer")
        bench.send(request, from: "reader")
        #expect(bench.hear("reader").allSatisfy { $0.hasPrefix("=") && !$0.contains("storykeep_rows") })
        bench.endCommit()
        let told = bench.hear("reader")
        #expect(told.last?.number("position") == 2)
        #expect(request != "STATS" || told.last?.contains(#""rows":{"users":1,"#) == true)
        #expect(request != "METRICS" || told.contains { $0.contains(#"storykeep_rows{kind=\"users\"} 1\n"#) })
    }

    @Test func `figures that rest on what a full disk took back are refused with it`() {
        let bench = LoopBench()
        bench.connected("a", "b")
        bench.log.commitFailure = .full("no room")
        bench.receive(SlowDisk.user + "\n", from: "a")
        bench.receive("STATS\nMETRICS\n", from: "b")
        bench.run()
        #expect(bench.hear("b").map { $0.text("code") } == ["full", "full"])
        let stats = bench.ask("STATS", from: "b").last ?? ""
        #expect(stats.contains(#""rows":{"users":0,"#) && stats.number("position") == 0)
    }

    @Test func `each family is told from the start, and there are no more series than may be`() throws {
        let told = Told(LoopBench())
        let names = told.families.map { $0.text("family") }
        #expect(names == FigureTable.all.map(\.name) && Set(names).count == names.count)
        #expect(told.samples.count <= FigureTable.mostSeries)
        for verb in Verb.allCases {
            let own = verb == .metrics ? 1.0 : 0
            #expect(told.samples[#"storykeep_requests_total{verb="\#(verb.rawValue)"}"#] == own)
            #expect(told.samples[#"storykeep_request_duration_seconds_count{verb="\#(verb.rawValue)"}"#] == own)
        }
        for code in ErrorCode.allCases {
            #expect(told.samples[#"storykeep_errors_total{code="\#(code.rawValue)"}"#] == 0)
        }
        for condition in StoreCondition.allCases {
            #expect(told.samples[#"storykeep_condition{condition="\#(condition.rawValue)"}"#] == 0)
        }
        #expect(told.samples[#"storykeep_connections{role="admin"}"#] == 1)
        #expect(told.samples["process_open_fds"] ?? 0 > 2 && told.samples["process_cpu_seconds_total"] ?? 0 > 0)
    }

    @Test func `what is counted is told by verb, by code and by reason`() {
        var limits = Limits()
        limits.connections = 3
        let bench = LoopBench(limits)
        bench.connected("a", "b")
        bench.connect("refused")
        bench.connect("refused as well")
        bench.run()
        for _ in 0..<3 { _ = bench.ask("GET users/none", from: "a") }
        _ = bench.ask(SlowDisk.user, from: "a")
        _ = bench.ask("SUBSCRIBE events", from: "b")
        _ = bench.ask("SUBSCRIBE users", from: "b")
        _ = bench.ask("CHECKPOINT", from: "b")
        bench.awaitStoring()
        let samples = Told(bench, from: "a").samples
        #expect(samples[#"storykeep_requests_total{verb="GET"}"#] == 3)
        #expect(samples[#"storykeep_errors_total{code="notFound"}"#] == 3)
        #expect(samples[#"storykeep_errors_total{code="busy"}"#] == 1)
        #expect(samples[#"storykeep_connections_refused_total{reason="busy"}"#] == 1)
        #expect(samples["storykeep_connections_accepted_total"] == 3)
        #expect(samples["storykeep_appended_events_total"] == 1)
        #expect(samples[#"storykeep_subscriptions{of="events"}"#] == 1)
        #expect(samples[#"storykeep_subscriptions{of="rows"}"#] == 1)
        #expect(samples["storykeep_checkpoints_total"] == 1)
        #expect(samples["storykeep_checkpoint_duration_seconds_count"] == 1)
        #expect(samples["storykeep_received_bytes_total"] ?? 0 > 100)
        #expect(samples["storykeep_sent_bytes_total"] ?? 0 > samples["storykeep_received_bytes_total"] ?? 0)
        #expect(samples["storykeep_turn_duration_seconds_count"] ?? 0 > 5)
        #expect(samples["storykeep_commit_duration_seconds_count"] == 1)
    }

    @Test func `a condition holds from where it is traced until it is over`() {
        let bench = LoopBench()
        bench.connected("a")
        bench.log.commitFailure = .full("no room")
        _ = bench.ask(SlowDisk.append, from: "a")
        #expect(Told(bench, from: "a").conditions == ["full"])
        #expect(Told(bench, from: "a").samples[#"storykeep_errors_total{code="full"}"#] == 1)
        bench.tick(10)
        _ = bench.ask(SlowDisk.append, from: "a")
        #expect(Told(bench, from: "a").conditions == [])
        bench.models.storingFailure = .full("no room")
        _ = bench.ask("CHECKPOINT", from: "a")
        bench.awaitStoring()
        #expect(Told(bench, from: "a").conditions == ["checkpoint-failed"])
        bench.models.storingFailure = nil
        bench.tick(11)
        bench.awaitStoring()
        #expect(Told(bench, from: "a").conditions == [])
        bench.server.clientNotAccepted(errno: 24)
        #expect(Told(bench, from: "a").conditions == ["not-accepting"])
        bench.connected("b")
        #expect(Told(bench, from: "a").conditions == [])
        bench.clock.jump(milliseconds: -3_600_000)
        bench.tick()
        #expect(Told(bench, from: "a").conditions == ["clock-behind"])
        bench.clock.jump(milliseconds: 3_600_000)
        bench.tick()
        #expect(Told(bench, from: "a").conditions == [])
    }

    @Test func `docs/operating.md lists the families as the table has them`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/operating.md"), encoding: .utf8)
        let rows = FigureTable.all.map { figure in
            let labels = figure.labels.map { "`\($0)`" }.joined(separator: " ")
            return "| `\(figure.name)` | \(figure.kind.rawValue) | \(labels) | \(figure.help) |"
        }
        let table = (["| family | kind | labels | is |", "| --- | --- | --- | --- |"] + rows).joined(separator: "\n")
        #expect(text.contains("<!-- figures -->\n\(table)\n<!-- end -->"), "\(table)")
    }
}

/// The answer to `METRICS`, taken apart.
private struct Told {
    let families: [String]
    private(set) var samples: [String: Double] = [:]

    init(_ bench: LoopBench, from name: String = "collector") {
        if name == "collector" { bench.connected(name) }
        families = bench.ask("METRICS", from: name).filter { $0.hasPrefix("=") }
        for family in families {
            let text = family.components(separatedBy: #""text":""#).last?.dropLast(2) ?? ""
            for line in text.components(separatedBy: #"\n"#) where !line.hasPrefix("#") && !line.isEmpty {
                let parts = line.replacing(#"\""#, with: #"""#).components(separatedBy: " ")
                samples[parts.dropLast().joined(separator: " ")] = parts.last.flatMap { Double($0) }
            }
        }
    }

    var conditions: [String] {
        StoreCondition.allCases.map(\.rawValue).filter { samples[#"storykeep_condition{condition="\#($0)"}"#] == 1 }
    }
}
