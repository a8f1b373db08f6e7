import Foundation

/// What a run was made on and how long it was: a figure without it says little. The first line of every file.
struct Machine: Codable {
    var date: String
    var cores: Int
    var processor: String
    var kernel: String
    /// `full`, `quick` or `tiny`.
    var form: String

    static func here(_ form: String) -> Machine {
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = information.split(separator: "\n").first { $0.hasPrefix("model name") }
        return Machine(
            date: String(ISO8601DateFormatter().string(from: Date()).prefix(10)),
            cores: ProcessInfo.processInfo.processorCount,
            processor: model?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown",
            kernel: (try? Command.run(["uname", "-sr"]))?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown",
            form: form)
    }

    /// The machine in one line of a page.
    var line: String {
        let warning = form == "full" ? "" : " A \(form) run: it shows that all of it works, and its figures are rough."
        return "\(date) · \(cores) cores of \(processor) · \(kernel).\(warning)"
    }
}
