import StoryClient
import StoryCore
import StoryWire

/// The help texts, generated from the table.
enum Help {
    static let subcommand = Subcommand(
        name: "help", summary: "lists the verbs, or explains one, or an error code", operand: .optional("VERB|CODE"),
        options: [Option("man", nil, "prints the manual page in the language of man")],
        examples: ["storectl help", "storectl help post", "storectl help conflict", "storectl help --man | man -l -"],
        run: { invocation throws(CommandError) in
            if invocation.arguments.has("man") {
                for line in ToolManual.lines { try invocation.output.line(line) }
                return .done
            }
            guard let name = invocation.arguments.operands.first else {
                for line in Help.overview { try invocation.output.line(line) }
                return .done
            }
            guard let lines = SubcommandTable.find(name).map(Help.lines) ?? Help.lines(code: name) else {
                throw .usage(SubcommandTable.unknown(name, besides: ErrorCode.allCases.map(\.rawValue)))
            }
            for line in lines { try invocation.output.line(line) }
            return .done
        })

    /// The verbs, and the options of every verb.
    static var overview: [String] {
        ["usage: storectl [--socket PATH | --data DIR] [--json] VERB …", ""]
            + columns(SubcommandTable.all.map { ($0.name + $0.operand.usage, $0.summary) }) + ["", "every verb takes"]
            + columns(SubcommandTable.globalOptions.map { ($0.usage, $0.summary) })
            + [
                "",
                "\"storectl help VERB\" explains one, \"storectl help CODE\" an error code; -V prints the version.",
            ] + exitCodes
    }

    /// The meanings of the exit codes.
    static let exitCodes = [
        "Exit: 0 done, 1 the answer is no, 2 usage or cannot connect, 3 denied, a limit, full, busy, behind or stopping,",
        "4 timeout, 5 corrupt, 130 interrupted.",
    ]

    /// Returns the help of one verb.
    static func lines(_ subcommand: Subcommand) -> [String] {
        let name = subcommand.name + subcommand.operand.usage
        var lines = ["storectl \(name): \(subcommand.summary)"]
        lines += subcommand.details
        if !subcommand.options.isEmpty {
            lines += ["", "options"] + columns(subcommand.options.map { ($0.usage, $0.summary) })
        }
        if subcommand.takesFields { lines += ["", "fields"] + columns(fields(subcommand)) }
        if subcommand.takesTimes { lines += ["", "A TIME is of UTC: \(TypedMoment.examples)."] }
        return lines + ["", "examples"] + subcommand.examples.map { "  " + $0 }
    }

    /// Returns the fields of the form for each kind.
    private static func fields(_ subcommand: Subcommand) -> [(String, String)] {
        guard let verb = Verb(name: subcommand.name.uppercased()) else { return [] }
        return Kinds.kinds(of: verb).map { kind in
            (kind.name, kind.formFields(of: verb).map { "--\($0)" }.joined(separator: " "))
        }
    }

    /// Returns the meaning of an error code, and when to send the request again; nil when there is no such code.
    static func lines(code name: String) -> [String]? {
        guard let code = ErrorCode.allCases.first(where: { $0.rawValue == name }) else { return nil }
        return ["\(code.rawValue): \(code.summary)", "retry: \(code.retry.rawValue)"]
    }

    /// Prints the help of one verb, for `storectl VERB --help`.
    static func describe(_ subcommand: Subcommand) throws(CommandError) -> ExitCode { try print(lines(subcommand)) }

    /// Prints help if it was requested; without a verb, anything else is a usage error.
    static func withoutVerb(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        if arguments.has("help") { return try print(overview) }
        try arguments.checkNames(SubcommandTable.globalOptions, of: "storectl", see: "storectl help")
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

    /// Returns lines of names and explanations, in two columns.
    static func columns(_ rows: [(String, String)]) -> [String] {
        let width = rows.map { $0.0.count }.max() ?? 0
        return rows.map { "  " + $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
    }
}

extension Subcommand {
    /// True when an option or a field is a time.
    fileprivate var takesTimes: Bool {
        takesFields || options.contains(where: \.takesTime)
    }

    /// The possible operands; of `help`, the verbs and the error codes.
    var completedOperands: [String] {
        name == Help.subcommand.name
            ? SubcommandTable.all.map(\.name) + ErrorCode.allCases.map(\.rawValue) : operandChoices
    }
}
