import StoryCore

extension Subcommand {
    static let help = Subcommand(
        name: "help", summary: "lists the verbs, or explains one", operand: .optional("VERB"),
        options: [Option("man", nil, "prints the manual page in the language of man")],
        examples: ["storectl help", "storectl help post", "storectl help --man | man -l -"],
        run: { invocation throws(CommandError) in
            if invocation.arguments.has("man") {
                for line in ToolManual.lines { try invocation.output.line(line) }
                return .done
            }
            guard let name = invocation.arguments.operands.first else {
                for line in Help.overview { try invocation.output.line(line) }
                return .done
            }
            guard let subcommand = SubcommandTable.find(name) else {
                throw .usage(SubcommandTable.unknown(name))
            }
            for line in Help.lines(subcommand) { try invocation.output.line(line) }
            return .done
        })
}

/// Help, from the table.
enum Help {
    /// The verbs and what every one takes.
    static var overview: [String] {
        ["usage: storectl [--socket PATH | --data DIR] [--json] VERB …", ""]
            + columns(SubcommandTable.all.map { ($0.name + $0.operand.usage, $0.summary) }) + ["", "every verb takes"]
            + columns(SubcommandTable.globalOptions.map { ($0.usage, $0.summary) })
            + [
                "",
                "\"storectl help VERB\" explains one; -V tells the version.",
            ] + exitCodes
    }

    /// What the exit codes say.
    static let exitCodes = [
        "Exit: 0 done, 1 the answer is no, 2 usage or cannot connect, 3 denied, a limit, full, busy or stopping,",
        "4 timeout, 5 corrupt, 130 interrupted.",
    ]

    /// One verb.
    static func lines(_ subcommand: Subcommand) -> [String] {
        let name = subcommand.name + subcommand.operand.usage
        var lines = ["storectl \(name): \(subcommand.summary)"]
        lines += subcommand.details
        if !subcommand.options.isEmpty {
            lines += ["", "options"] + columns(subcommand.options.map { ($0.usage, $0.summary) })
        }
        return lines + ["", "examples"] + subcommand.examples.map { "  " + $0 }
    }

    /// `storectl VERB --help`.
    static func describe(_ subcommand: Subcommand) -> ExitCode { print(lines(subcommand)) }

    /// No verb: help where it was asked for, otherwise a mistake that help goes with.
    static func withoutVerb(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        if arguments.has("help") { return print(overview) }
        throw .usage("which verb? for example \"storectl get stories/12345\"; \"storectl help\" lists them all")
    }

    /// `storectl --version`.
    static func version() -> ExitCode { print(["storectl \(ProgramVersion.number)"]) }

    private static func print(_ lines: [String]) -> ExitCode {
        let output = Output()
        do throws(CommandError) {
            for line in lines { try output.line(line) }
            try output.flush()
            return .done
        } catch {
            return error.exitCode
        }
    }

    private static func columns(_ rows: [(String, String)]) -> [String] {
        let width = rows.map { $0.0.count }.max() ?? 0
        return rows.map { "  " + $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
    }
}
