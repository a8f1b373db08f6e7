import Foundation
import TestSupport
import Testing

@testable import storebench

/// Each bench runs to its end in its smallest form. How fast it was is not looked at.
@Suite(.serialized) struct BenchTests {
    @Test func `A comparison has a figure of this store in every row, and a verdict`() throws {
        let run = try TinyRuns.all.get().compare
        expect(run.exit == .code(0), "\(run.errors)")
        for row in Row.all {
            let lines = run.cells(row.id)
            for shape in row.shapes {
                let own = lines.first { $0[1] == shape.name && $0[2] == shape.contenders[0].name }
                expect(own?[3].first?.isNumber == true, "\(row.id) \(shape.name): \(lines)")
            }
            let verdicts = lines.filter { ["holds", "FALLS SHORT", "not measured"].contains($0.last) }
            expect(verdicts.count == row.shapes.reduce(0) { $0 + $1.bars.count }, "\(row.id): \(lines)")
        }
    }

    @Test func `Peers that are not here are skipped, and that is said once each`() throws {
        let run = try TinyRuns.all.get().compare
        for peer in ["redis", "lmdb", "sqlite", "postgres", "nats", "umadb"] {
            expect(run.errors.components(separatedBy: "skipped \(peer): ").count == 2, "\(peer): \(run.errors)")
            expect(run.output.contains("- skipped \(peer): "), "\(peer)")
        }
        expect(run.cells("S2").contains { $0.last == "not measured" })
    }

    @Test func `Redis is measured beside it where it is installed`() throws {
        let run = try BenchRun(["compare", "--tiny", "--rows", "S2,S5,S6,S8"], in: Scratch())
        expect(run.exit == .code(0), "\(run.errors)")
        let isSkipped = run.errors.contains("skipped redis: ")
        for row in ["S2", "S5", "S6", "S8"] {
            expect(run.cells(row).contains { $0[2] == "redis" } != isSkipped, "\(run.output)")
        }
    }

    @Test func `A disk with slow syncs delays every write, and what one client waits for is told`() throws {
        let run = try TinyRuns.all.get().compare
        let lines = run.cells("S13").filter { $0.count == 7 }
        expect(lines.map { $0[2] } == ["storekeep", "storekeep", "storekeep"])
        // p50 of 50 clients one at a time: a sync is 2 ms.
        let half = try require(lines[0][5].split(separator: " ").first.flatMap { Double($0) }, "\(lines)")
        expect(lines[0][5].hasPrefix("\(half) ms") && half >= 2, "\(lines)")
        expect(lines[2][1].contains("GET") && lines[2][3].contains(" ms"), "\(lines)")
    }

    @Test func `Beside questions without an index, each figure of the same rounds is told`() throws {
        let run = try TinyRuns.all.get().compare
        let lines = run.cells("S14").filter { $0.count == 7 }
        expect(lines.map { $0[1] } == Row.all.first { $0.id == "S14" }?.shapes.map(\.name))
        for (line, unit) in zip(lines, ["ms", "ms", "MiB", "events/s", "answers/s"]) {
            expect(line[3].contains(unit) && line[4] == "2", "\(line)")
            expect(!line[3].hasPrefix("0 "), "\(line)")
        }
    }

    @Test func `The loop's CPU is told of every loop, and is the figure of S15`() throws {
        let run = try TinyRuns.all.get().compare
        let lines = run.cells("S15").filter { $0.count == 7 }
        expect(lines.count == 4)
        for line in lines {
            let loop = try require(line[6].split(separator: " ").first, "\(line)")
            expect(line[6].hasSuffix(" µs") && (Double(loop) ?? 0) > 0.1 && line[3].hasPrefix("\(loop) µs"), "\(line)")
        }
        for row in ["S1", "S4", "S5", "S6", "S10", "S12", "G"] {
            for line in run.cells(row) where line.count == 7 && line[2] == "storekeep" {
                expect(line[6].hasSuffix(" µs"), "\(line)")
            }
        }
    }

    @Test func `Shapes that nobody asked for have a figure and no verdict`() throws {
        let run = try TinyRuns.all.get().compare
        let lines = run.cells("G")
        expect(lines.map { $0[1] } == GeneralRows.row.shapes.map(\.name))
        for line in lines { expect(line.count == 7 && line[4] == "2", "\(line)") }
    }

    @Test func `Every cost of a declared model has a figure, and each bar a verdict`() throws {
        try expectAll(Row.ofModels, of: TinyRuns.all.get().models)
    }

    @Test func `Every shape of a log of several nodes has a figure, beside its etcd too, and each bar a verdict`()
        throws
    {
        try expectAll(Row.ofCluster, of: TinyRuns.all.get().cluster)
    }

    private func expectAll(_ rows: [storebench.Row], of run: BenchRun) throws {
        expect(run.exit == .code(0), "\(run.errors)")
        for row in rows {
            let lines = run.cells(row.id)
            for shape in row.shapes {
                for contender in shape.contenders {
                    let figure = lines.first { $0[1] == shape.name && $0[2] == contender.name }?[3]
                    expect(figure?.contains(shape.unit) == true, "\(row.id) \(shape.name): \(lines)")
                }
            }
            let verdicts = lines.filter { ["holds", "FALLS SHORT"].contains($0.last) }
            expect(verdicts.count == row.shapes.reduce(0) { $0 + $1.bars.count }, "\(row.id): \(lines)")
        }
    }

    @Test func `The wait of one client is measured in every situation`() throws {
        let run = try TinyRuns.all.get().latency
        expect(run.exit == .code(0), "\(run.errors)")
        for situation in Situation.all {
            let line = try require(run.cells(situation.name).first, "\(run.output)")
            expect(line.count == 9)
            expect(Int(line[2]) ?? 0 > 0, "\(line)")
            expect(Int(line[7]) != nil, "\(line)")
        }
    }

    @Test func `Figures at sizes, of crowds and of large events are measured`() throws {
        let run = try TinyRuns.all.get().scale
        expect(run.exit == .code(0), "\(run.errors)")
        for figure in [
            "CHECKPOINT of 500 stories", "memory that is not the file map", "resident memory, the file map too",
            "disk, log and models", "disk, log alone", "first answer after SIGTERM", "first answer after kill -9",
            "APPEND, 50 clients, 20 in flight",
        ] {
            let line = try require(run.cells(figure).first, "\(run.output)")
            expect(line.count == 4 && line.dropFirst().allSatisfy { ("1"..."9").contains($0.prefix(1)) }, "\(line)")
        }
        for shape in ["PING", "GET", "APPEND", "APPEND to push, one event on its way", "100 B", "10 KiB", "100 KiB"] {
            expect(run.cells(shape).count == 1, "\(shape): \(run.output)")
        }
    }

    @Test func `A report has the tables between the marks, and its plots are SVGs`() throws {
        let runs = try TinyRuns.all.get()
        expect(runs.report.exit == .code(0), "\(runs.report.errors)")
        let page = Files.text(runs.folder.place("page.md"))
        expect(page.hasPrefix("# By hand\n"))
        for line in runs.compare.output.split(separator: "\n") + runs.latency.output.split(separator: "\n") {
            expect(page.contains(line), "\(line)")
        }
        for line in runs.models.output.split(separator: "\n") { expect(page.contains(line), "\(line)") }
        for line in runs.cluster.output.split(separator: "\n") { expect(page.contains(line), "\(line)") }
        for line in runs.scale.output.split(separator: "\n") { expect(page.contains(line), "\(line)") }
        expect(page.contains("A tiny run"))
        let plots = page.components(separatedBy: "](plots/").dropFirst().map { $0.prefix { $0 != ")" } }
        guard Plot.isGnuplotInstalled else { return }
        expect(Set(plots).isSuperset(of: (1...15).map { "S\($0).svg" } + ["G.svg", "ratios.svg", "latencies.svg"]))
        expect(Set(plots).isSuperset(of: ["beside.svg", "scale.svg"]))
        for plot in plots {
            let text = Files.text(runs.folder.place("plots/\(plot)"))
            expect(text.contains("<svg ") && isWellFormed(text), "\(plot)")
        }
    }

    @Test func `Without gnuplot, a report says which package has it, and has the figures`() throws {
        let runs = try TinyRuns.all.get()
        let folder = try Scratch()
        try Files.write(Files.text(runs.folder.place("latest.jsonl")), to: folder.place("latest.jsonl"))
        try Files.write("\(Page.start)\n\(Page.end)\n", to: folder.place("page.md"))
        let run = try BenchRun(["report", "latest.jsonl", "--page", "page.md"], in: folder, path: folder.path)
        expect(run.exit == .code(0), "\(run.errors)")
        expect(run.errors.contains("no plots are drawn: gnuplot is missing, install gnuplot-nox\n"))
        let page = Files.text(folder.place("page.md"))
        for row in Row.all { expect(page.contains("\n| \(row.id) | "), "\(row.id)") }
        expect(!page.contains("plots/"))
    }

    @Test func `A report says which runs there are no lines of`() throws {
        let runs = try TinyRuns.all.get()
        expect(!runs.report.errors.contains("left out"))
        let folder = try Scratch()
        try Files.write(Files.text(runs.folder.place("latest.jsonl")), to: folder.place("latest.jsonl"))
        try Files.write("{}\n", to: folder.place("scale.jsonl"))
        try Files.write("\(Page.start)\n\(Page.end)\n", to: folder.place("page.md"))
        let run = try BenchRun(["report", "latest.jsonl", "--page", "page.md"], in: folder)
        expect(run.exit == .code(0), "\(run.errors)")
        expect(run.errors.contains("models.jsonl of make bench-models"))
        expect(run.errors.contains("cluster.jsonl of make bench-cluster"))
        expect(run.errors.contains("latency.jsonl; make bench-latency writes it"))
        expect(run.errors.contains("scale.jsonl is not what make bench-scale writes"))
    }

    @Test func `The page that is committed has the marks`() {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        expect(Page.replaced(Files.text(root.appendingPathComponent("bench/README.md").path), by: "new") != nil)
    }

    @Test(arguments: [["report", "nothing.jsonl"], ["compare", "--rows", "S99"], ["unheard-of"], ["report"]])
    func `What cannot be done is said, and the exit code is 2`(arguments: [String]) throws {
        let folder = try Scratch()
        let run = try BenchRun(arguments, in: folder)
        expect(run.exit == .code(2))
        expect(!(run.errors + run.output).isEmpty)
    }
}
