import Foundation

/// A plot that gnuplot draws: a script of bench/gnuplot, and the table that it reads.
struct Plot {
    /// The name of its file, without the ending.
    let name: String
    /// `bars`, `ratios`, `waits` or `growth`.
    let script: String
    let title: String
    /// The lines of the table in cells. A panel is a block of gnuplot's, with two empty lines before it.
    let panels: [[[String]]]

    static var isGnuplotInstalled: Bool { Command.find("gnuplot") != nil }

    private static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../gnuplot").standardizedFileURL.path

    var table: String {
        panels.map { $0.map { $0.joined(separator: "\t") + "\n" }.joined() }.joined(separator: "\n\n")
    }

    /// The command that draws a file of that table. It takes no settings of the user.
    func command(reading table: String, into folder: String) -> [String] {
        let scripts = Plot.scripts
        return ["gnuplot", "-d", "\(scripts)/style.gp", "-c", "\(scripts)/\(script).gp", table]
            + ["\(folder)/\(name).svg", title]
    }

    func draw(into folder: String) throws(BenchError) {
        let tables = try Folder("plots")
        let file = "\(tables.path)/\(name).tsv"
        do { try table.write(toFile: file, atomically: false, encoding: .utf8) } catch {
            throw BenchError("cannot write \(file): \(error)")
        }
        _ = try Command.run(command(reading: file, into: folder))
    }

    /// A number in the table. An empty cell is one that gnuplot leaves out.
    static func cell(_ value: Double?) -> String {
        guard let value, value.isFinite else { return "" }
        return String(value)
    }
}
