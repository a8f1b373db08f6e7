import StoryCore
import StoryServer

/// Manual pages, from the tables that help is made of.
enum ManPage {
    static let programs = ["storectl", "stored"]

    /// A page in the language of man.
    static func lines(of program: String) throws(CommandError) -> [String] {
        switch program {
        case "storectl": storectl
        case "stored": stored
        default:
            throw .usage("there is no manual of \"\(program)\"; there are some of \(programs.joined(separator: ", "))")
        }
    }

    private static var storectl: [String] {
        var lines = title("storectl", section: 1, "asks and tends a Storykeep event store")
        lines += [".SH SYNOPSIS", ".B storectl", escaped("[--socket PATH | --data DIR] [--json] VERB …")]
        lines += [".SH DESCRIPTION"]
        lines += paragraph("A client of stored, and a tool for its data directory. Standard output carries data only.")
        lines += [".SH VERBS"]
        for subcommand in SubcommandTable.all {
            lines += [".SS " + escaped(subcommand.name + subcommand.operand.usage)]
            lines += paragraph((["It " + subcommand.summary + "."] + subcommand.details).joined(separator: " "))
            lines += options(subcommand.options.map { ($0.usage, $0.summary) })
            lines += [".PP", "Examples:"] + subcommand.examples.flatMap { [".br", "\\fB" + escaped($0) + "\\fR"] }
        }
        lines += [".SH OPTIONS", "Every verb takes"]
        lines += options(SubcommandTable.globalOptions.map { ($0.usage, $0.summary) })
        lines += [".SH EXIT STATUS"] + paragraph(Help.exitCodes.joined(separator: " "))
        return lines + [".SH SEE ALSO", ".BR stored (8)"]
    }

    private static var stored: [String] {
        var lines = title("stored", section: 8, DaemonHelp.summary)
        lines += [".SH SYNOPSIS", escaped(DaemonHelp.usage), ".SH DESCRIPTION"]
        for text in DaemonHelp.paragraphs { lines += [".PP"] + paragraph(text) }
        lines += [".SH OPTIONS"] + options(DaemonHelp.options.map { ($0.usage, $0.summary) })
        return lines + [".SH SEE ALSO", ".BR storectl (1)"]
    }

    private static func title(_ name: String, section: Int, _ summary: String) -> [String] {
        [
            ".TH \(name.uppercased()) \(section) \"\" \"Storykeep \(ProgramVersion.number)\"", ".SH NAME",
            escaped(name) + " \\- " + escaped(summary),
        ]
    }

    private static func options(_ rows: [(usage: String, summary: String)]) -> [String] {
        rows.flatMap { [".TP", ".B " + escaped($0.usage), escaped($0.summary)] }
    }

    private static func paragraph(_ text: String) -> [String] { [escaped(text)] }

    /// Text without a sense of its own: backslashes, hyphens as they are typed, and no request at a line's beginning.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\"", with: "\\(dq")
            .unicodeScalars.map {
                $0.isASCII ? String($0) : "\\[u\(String($0.value, radix: 16, uppercase: true).leftPadded)]"
            }
            .joined()
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}

extension String {
    /// At least four digits, as man names characters.
    fileprivate var leftPadded: String { String(repeating: "0", count: max(0, 4 - count)) + self }
}
