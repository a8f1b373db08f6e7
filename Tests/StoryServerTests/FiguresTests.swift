import Foundation
import LoopSupport
import StoryCore
import StoryLog
@testable import StoryServer
import StoryStorage
import TestSupport
import Testing

/// The daemon's figures: they tell what is durable, wait for nobody's commit, and are there from the start.
@Suite struct FiguresTests {
    /// The position of an answer with figures, and the number of users where it tells that.
    private func told(_ lines: [String]) -> [UInt64?] {
        let text = lines.joined()
        let users = text.firstMatch(of: /"rows":\{"users":([0-9]+)|storykeep_rows\{kind=\\"users\\"\} ([0-9]+)/)
        return [lines.last?.number("position"), users.flatMap { ($0.1 ?? $0.2).flatMap { UInt64($0) } }]
    }

    @Test(arguments: [("STATS", true), ("METRICS", true), ("CLIENTS", false)])
    func `figures wait for no commit of others, and tell what is durable`(request: String, hasRows: Bool) {
        let bench = LoopBench()
        bench.connected("writer", "reader")
        bench.makeDiskSlow()
        bench.send(SlowDisk.user, from: "writer")
        bench.send(request, from: "reader")
        expect(told(bench.hear("reader")) == [1, hasRows ? 0 : nil])
        // A client has what it wrote itself in its figures.
        bench.send(request, from: "writer")
        expect(bench.hear("writer").isEmpty)
        bench.endCommit()
        expect(told(Array(bench.hear("writer").dropFirst())) == [2, hasRows ? 1 : nil])
        expect(told(bench.ask(request, from: "reader")) == [2, hasRows ? 1 : nil])
    }

    @Test func `figures do not have what a full disk takes back`() {
        let bench = LoopBench()
        bench.connected("a", "b")
        bench.log.commitFailure = .full("no room")
        bench.receive(SlowDisk.user + "\n", from: "a")
        bench.receive("STATS\nMETRICS\n", from: "b")
        bench.run()
        let (stats, metrics) = (bench.hear("b"), bench.ask("METRICS", from: "b"))
        expect(told(Array(stats.prefix(1))) == [0, 0] && told(Array(stats.dropFirst())) == [0, 0])
        expect(told(metrics) == [0, 0])
    }

    @Test func `rows that a commit under way adds and removes are counted as they are durable`() {
        let bench = SlowDisk.bench()
        let photo = #"{"owner":"1","iso":100,"exposureValue":1,"exposureDuration":"1/60","id":"#
        func photos() -> UInt64? { bench.ask("STATS", from: "reader").last?.number("photos") }
        bench.send("POST photos \(photo)\"a\"}", from: "writer")
        bench.endCommit()
        expect(photos() == 1)
        bench.send("DELETE photos/a", from: "writer")
        bench.send("POST photos \(photo)\"b\"}", from: "writer")
        bench.send("POST photos \(photo)\"c\"}", from: "writer")
        expect(photos() == 1)
        bench.endCommit()
        bench.endCommit()
        expect(photos() == 2)
    }

    @Test func `each family is told from the start, and there are no more series than may be`() throws {
        let told = Told(LoopBench())
        let names = told.families.map { $0.text("family") }
        expect(names == FigureTable.all.map(\.name) && Set(names).count == names.count)
        expect(told.samples.count <= FigureTable.mostSeries)
        for verb in Verb.allCases {
            let own = verb == .operate(.metrics) ? 1.0 : 0
            expect(told.samples[#"storykeep_requests_total{verb="\#(verb.name)"}"#] == own)
            // Durations come with the first request.
            let durations = told.samples[#"storykeep_request_duration_seconds_count{verb="\#(verb.name)"}"#]
            expect(durations == (own > 0 ? own : nil))
        }
        for code in ErrorCode.allCases {
            expect(told.samples[#"storykeep_errors_total{code="\#(code.rawValue)"}"#] == 0)
        }
        for condition in StoreCondition.allCases {
            expect(told.samples[#"storykeep_condition{condition="\#(condition.rawValue)"}"#] == 0)
        }
        expect(told.samples[#"storykeep_connections{role="admin"}"#] == 1)
        expect(told.samples["process_open_fds"] ?? 0 > 2 && told.samples["process_cpu_seconds_total"] ?? 0 > 0)
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
        expect(samples[#"storykeep_requests_total{verb="GET"}"#] == 3)
        expect(samples[#"storykeep_errors_total{code="notFound"}"#] == 3)
        expect(samples[#"storykeep_errors_total{code="busy"}"#] == 1)
        expect(samples[#"storykeep_connections_refused_total{reason="busy"}"#] == 1)
        expect(samples["storykeep_connections_accepted_total"] == 3)
        expect(samples["storykeep_appended_events_total"] == 1)
        expect(samples[#"storykeep_subscriptions{of="events"}"#] == 1)
        expect(samples[#"storykeep_subscriptions{of="rows"}"#] == 1)
        expect(samples["storykeep_checkpoints_total"] == 1)
        expect(samples["storykeep_checkpoint_duration_seconds_count"] == 1)
        expect(samples["storykeep_received_bytes_total"] ?? 0 > 100)
        expect(samples["storykeep_sent_bytes_total"] ?? 0 > samples["storykeep_received_bytes_total"] ?? 0)
        expect(samples["storykeep_turn_duration_seconds_count"] ?? 0 > 5)
        expect(samples["storykeep_commit_duration_seconds_count"] == 1)
    }

    @Test func `a condition holds from where it is traced until it is over`() {
        let bench = LoopBench()
        bench.connected("a")
        bench.log.commitFailure = .full("no room")
        _ = bench.ask(SlowDisk.append, from: "a")
        expect(Told(bench, from: "a").conditions == ["full"])
        expect(Told(bench, from: "a").samples[#"storykeep_errors_total{code="full"}"#] == 1)
        bench.tick(10)
        _ = bench.ask(SlowDisk.append, from: "a")
        expect(Told(bench, from: "a").conditions == [])
        bench.models.storingFailure = .full("no room")
        _ = bench.ask("CHECKPOINT", from: "a")
        bench.awaitStoring()
        expect(Told(bench, from: "a").conditions == ["checkpoint-failed"])
        bench.models.storingFailure = nil
        bench.tick(11)
        bench.awaitStoring()
        expect(Told(bench, from: "a").conditions == [])
        bench.server.clientNotAccepted(errno: 24)
        expect(Told(bench, from: "a").conditions == ["not-accepting"])
        bench.connected("b")
        expect(Told(bench, from: "a").conditions == [])
        bench.clock.jump(milliseconds: -3_600_000)
        bench.tick()
        expect(Told(bench, from: "a").conditions == ["clock-behind"])
        bench.clock.jump(milliseconds: 3_600_000)
        bench.tick()
        expect(Told(bench, from: "a").conditions == [])
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
        expect(text.contains("<!-- figures -->\n\(table)\n<!-- end -->"), "\(table)")
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
