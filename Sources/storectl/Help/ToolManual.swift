import StoryCore

/// The manual page of `storectl`, generated from the same tables as its help.
enum ToolManual {
    static var lines: [String] {
        var lines = ManualPage.title("storectl", section: 1, "asks and tends a Storykeep event store")
        lines += [".SH SYNOPSIS", ".B storectl", ManualPage.escaped("[--socket PATH | --data DIR] [--json] VERB …")]
        lines += [".SH DESCRIPTION"]
        lines += ["A client of stored, and a tool for its data directory. Standard output carries data only."]
        lines += [".SH VERBS"]
        for subcommand in SubcommandTable.all {
            lines += [".SS " + ManualPage.escaped(subcommand.name + subcommand.operand.usage)]
            let details = ["It " + subcommand.summary + "."] + subcommand.details
            lines += [ManualPage.escaped(details.joined(separator: " "))]
            lines += ManualPage.options(subcommand.options.map { ($0.usage, $0.summary) })
            lines += [".PP", "Examples:"]
            lines += subcommand.examples.flatMap { [".br", "\\fB" + ManualPage.escaped($0) + "\\fR"] }
        }
        lines += [".SH OPTIONS", "Every verb takes"]
        lines += ManualPage.options(SubcommandTable.globalOptions.map { ($0.usage, $0.summary) })
        lines += [".SH EXIT STATUS", ManualPage.escaped(Help.exitCodes.joined(separator: " "))]
        return lines + [".SH SEE ALSO", ".BR stored (8)"]
    }
}
