/// An option of a subcommand.
struct Option: Sendable {
    let name: String
    /// What stands for its value in the help; nil for a switch.
    let value: String?
    let summary: String
    /// The values that there are, for completion; none where they cannot be listed.
    let choices: [String]

    init(_ name: String, _ value: String?, _ summary: String, choices: [String] = []) {
        self.name = name
        self.value = value
        self.summary = summary
        self.choices = choices
    }

    /// `--name VALUE`.
    var usage: String { "--\(name)" + (value.map { " " + $0 } ?? "") }
}

/// A verb of `storectl`: all that help, usage errors, completions and the run itself need to know of it.
struct Subcommand: Sendable {
    /// How many operands a subcommand takes.
    enum Operand: Sendable {
        case none
        case optional(String)
        case required(String)

        /// As it stands in the usage.
        var usage: String {
            switch self {
            case .none: ""
            case .optional(let name): " [\(name)]"
            case .required(let name): " \(name)"
            }
        }
    }

    let name: String
    let summary: String
    let operand: Operand
    /// What the operand can be, for completion; none where that cannot be listed.
    var operandChoices: [String] = []
    var options: [Option] = []
    /// True when every other `--name value` is a field of a form.
    var takesFields = false
    /// What else there is to say, a paragraph a line.
    var details: [String] = []
    let examples: [String]
    let run: @Sendable (Invocation) throws(CommandError) -> ExitCode

    /// Refuses what the table does not have.
    func check(_ arguments: Arguments) throws(CommandError) {
        if !takesFields {
            let known = options + SubcommandTable.globalOptions
            try arguments.checkNames(known, of: name, see: "storectl help \(name)")
        }
        try arguments.checkValues()
        switch operand {
        case .none: try checkCount(arguments, 0...0)
        case .optional: try checkCount(arguments, 0...1)
        case .required(let operand):
            _ = try arguments.operand(operand)
            try checkCount(arguments, 1...1)
        }
    }

    private func checkCount(_ arguments: Arguments, _ range: ClosedRange<Int>) throws(CommandError) {
        guard arguments.operands.count > range.upperBound else { return }
        let word = arguments.operands[range.upperBound]
        throw .usage("\(name) does not take \"\(word)\"; quote what has spaces, and see \"storectl help \(name)\"")
    }
}
