import StoryClient
import StoryCore
import StoryWire

/// The help texts, generated from the descriptions of the subcommands.
struct Help {
    static let description = CommandDescription(
        name: "help", summary: "lists the verbs, or explains one, or an error code", operand: .optional("VERB|CODE"),
        options: [Option("man", nil, "prints the manual page in the language of man")],
        examples: ["storectl help", "storectl help post", "storectl help conflict", "storectl help --man | man -l -"])

    private let commands: CommandList

    init(_ commands: CommandList) { self.commands = commands }

    /// Does the work of the subcommand `help`.
    func run(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        try Help.print(asked(invocation.arguments))
    }

    private func asked(_ arguments: Arguments) throws(CommandError) -> [String] {
        if arguments.has("man") { return manual }
        guard let name = arguments.operands.first else { return overview }
        if let lines = commands.find(name).map(Help.lines) ?? Help.lines(code: name) { return lines }
        throw .usage(commands.unknown(name, besides: ErrorCode.allCases.map(\.rawValue)))
    }

    /// The verbs, and the options of every verb.
    private var overview: [String] {
        ["usage: storectl [--socket PATH | --data DIR] [--json] VERB …", ""]
            + Table.lines(pairs: commands.all.map { ($0.name + $0.operand.usage, $0.summary) }) + [
                "", "every verb takes",
            ]
            + Table.lines(pairs: Option.ofEveryVerb.map { ($0.usage, $0.summary) })
            + [
                "",
                "\"storectl help VERB\" explains one, \"storectl help CODE\" an error code; -V prints the version.",
            ] + Help.exitCodes
    }

    /// The meanings of the exit codes.
    private static let exitCodes = [
        "Exit: 0 done, 1 the answer is no, 2 usage or cannot connect, 3 denied, a limit, full, busy, behind or stopping,",
        "4 timeout, 5 corrupt, 130 interrupted.",
    ]

    /// Returns the help of one verb.
    private static func lines(_ command: CommandDescription) -> [String] {
        var lines = ["storectl \(command.name + command.operand.usage): \(command.summary)"]
        lines += command.details
        if !command.options.isEmpty {
            lines += ["", "options"] + Table.lines(pairs: command.options.map { ($0.usage, $0.summary) })
        }
        if command.takesFields { lines += ["", "fields"] + Table.lines(pairs: fields(command)) }
        if command.takesTimes { lines += ["", "A TIME is of UTC: \(TypedMoment.examples)."] }
        return lines + ["", "examples"] + command.examples.map { "  " + $0 }
    }

    /// Returns the fields of the form for each kind.
    private static func fields(_ command: CommandDescription) -> [(String, String)] {
        guard let verb = command.verb else { return [] }
        return Kinds.kinds(of: verb).map { kind in
            (kind.name, kind.formFields(of: verb).map { "--\($0)" }.joined(separator: " "))
        }
    }

    /// Returns the meaning of an error code, and when to send the request again; nil when there is no such code.
    private static func lines(code name: String) -> [String]? {
        guard let code = ErrorCode.allCases.first(where: { $0.rawValue == name }) else { return nil }
        return ["\(code.rawValue): \(code.summary)", "retry: \(code.retry.rawValue)"]
    }

    /// Prints the help of one verb, for `storectl VERB --help`.
    static func describe(_ command: CommandDescription) throws(CommandError) -> ExitCode { try print(lines(command)) }

    /// Prints help if it was requested; without a verb, anything else is a usage error.
    func withoutVerb(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        if arguments.has("help") { return try Help.print(overview) }
        try arguments.checkNames(Option.ofEveryVerb, of: "storectl", see: "storectl help")
        try arguments.checkValues()
        throw .usage("which verb? for example \"storectl get stories/12345\"; \"storectl help\" lists them all")
    }

    /// Prints the version, for `storectl --version`.
    static func version() throws(CommandError) -> ExitCode { try print(["storectl \(ProgramVersion.number)"]) }

    private static func print(_ lines: [String]) throws(CommandError) -> ExitCode {
        let output = Output()
        for line in lines { try output.line(line) }
        try output.flush()
        return .done
    }
}

extension Help {
    /// The manual page of `storectl`, in the language of man.
    private var manual: [String] {
        var lines = ManualPage.title("storectl", section: 1, "asks and tends a Storykeep event store")
        lines += [".SH SYNOPSIS", ".B storectl", ManualPage.escaped("[--socket PATH | --data DIR] [--json] VERB …")]
        lines += [".SH DESCRIPTION"]
        lines += ["A client of stored, and a tool for its data directory. Standard output carries data only."]
        lines += [".SH VERBS"]
        for command in commands.all {
            lines += [".SS " + ManualPage.escaped(command.name + command.operand.usage)]
            let details = ["It " + command.summary + "."] + command.details
            lines += [ManualPage.escaped(details.joined(separator: " "))]
            lines += ManualPage.options(command.options.map { ($0.usage, $0.summary) })
            lines += [".PP", "Examples:"]
            lines += command.examples.flatMap { [".br", "\\fB" + ManualPage.escaped($0) + "\\fR"] }
        }
        lines += [".SH OPTIONS", "Every verb takes"]
        lines += ManualPage.options(Option.ofEveryVerb.map { ($0.usage, $0.summary) })
        lines += [".SH EXIT STATUS", ManualPage.escaped(Help.exitCodes.joined(separator: " "))]
        return lines + [".SH SEE ALSO", ".BR stored (8)"]
    }
}
