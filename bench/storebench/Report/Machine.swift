import Foundation

/// What a run was made on and how long it was: a figure without it says little. The first line of every file.
struct Machine: Codable {
    var date: String
    var cores: Int
    var processor: String
    var kernel: String
    /// The commit that was measured, where that is known.
    var commit: String
    /// Where the servers keep their files: on `tmpfs` a sync costs nothing.
    var fileSystem: String
    /// `full`, `quick` or `tiny`.
    var form: String

    static func here(_ form: String) -> Machine {
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = information.split(separator: "\n").first { $0.hasPrefix("model name") }
        func said(_ command: String...) -> String {
            (try? Command.run(command))?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
        }
        return Machine(
            date: String(ISO8601DateFormatter().string(from: Date()).prefix(10)),
            cores: ProcessInfo.processInfo.processorCount,
            processor: model?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown",
            kernel: said("uname", "-sr"), commit: said("git", "describe", "--always", "--dirty"),
            fileSystem: said(
                "stat", "-f", "-c", "%T",
                ProcessInfo.processInfo.environment["STOREBENCH_DIR"] ?? NSTemporaryDirectory()),
            form: form)
    }

    /// The machine in one line of a page.
    var line: String {
        var warning = form == "full" ? "" : " A \(form) run: it shows that all of it works, and its figures are rough."
        if fileSystem == "tmpfs" { warning += " The files were in memory, where a sync costs nothing." }
        return "\(date) · \(cores) cores of \(processor) · \(kernel) · \(fileSystem) · commit \(commit).\(warning)"
    }
}
