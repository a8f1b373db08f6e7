import Foundation
import TestSupport

@testable import storebench

/// A run of `storebench` in a folder of its own, where none of the peers' programs are.
struct BenchRun {
    let exit: Exit?
    let output: String
    let errors: String

    /// - Parameter path: the `PATH` that it finds programs in; nil: that of these tests.
    init(_ arguments: [String], in folder: Scratch, path: String? = nil) throws {
        let name = arguments[0]
        let (output, errors) = (folder.place("\(name).output"), folder.place("\(name).errors"))
        var command = ["/usr/bin/env", "--chdir=\(folder.path)", "STOREBENCH_DIR=\(folder.path)"]
        if let path { command.append("PATH=\(path)") }
        command.append(try Program.path("storebench"))
        let program = try Program(command + arguments, output: output, errors: errors)
        exit = try program.wait(within: 600)
        self.output = Files.text(output)
        self.errors = Files.text(errors)
    }

    /// The cells of the table's lines that begin with a cell.
    func cells(_ first: String) -> [[String]] {
        output.split(separator: "\n").map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }.filter { $0.count > 2 && $0[1] == first }.map { Array($0.dropFirst().dropLast()) }
    }
}

/// Every bench in its smallest form, once for all the tests: without Redis, and without the peers' programs.
enum TinyRuns {
    static let all = Result { () throws -> Runs in try Runs() }

    struct Runs: Sendable {
        let folder: Scratch
        let compare: BenchRun
        let models: BenchRun
        let cluster: BenchRun
        let latency: BenchRun
        let scale: BenchRun
        let report: BenchRun

        init() throws {
            folder = try Scratch()
            let tools = try TinyRuns.tools(in: folder)
            compare = try BenchRun(["compare", "--tiny", "--out", "latest.jsonl"], in: folder, path: tools)
            models = try BenchRun(["models", "--tiny", "--out", "models.jsonl"], in: folder, path: tools)
            // etcd is where the tests have it.
            cluster = try BenchRun(["cluster", "--tiny", "--out", "cluster.jsonl"], in: folder)
            latency = try BenchRun(["latency", "--tiny", "--out", "latency.jsonl"], in: folder, path: tools)
            scale = try BenchRun(["scale", "--tiny", "--out", "scale.jsonl"], in: folder, path: tools)
            let page = "# By hand\n\n\(Page.start)\n\(Page.end)\n"
            try Files.write(page, to: folder.place("page.md"))
            report = try BenchRun(["report", "latest.jsonl", "--page", "page.md"], in: folder, path: tools)
        }
    }

    /// A folder with what the harness calls, and nothing else: no server is in it.
    private static func tools(in folder: Scratch) throws -> String {
        let path = folder.place("tools")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        for tool in ["taskset", "du", "uname", "stat", "which", "gnuplot"] {
            for place in ["/usr/bin", "/bin"] where access("\(place)/\(tool)", X_OK) == 0 {
                symlink("\(place)/\(tool)", "\(path)/\(tool)")
                break
            }
        }
        return path
    }
}
