import FoundationEssentials
import StoryClient

/// An option of a subcommand.
struct Option: Sendable {
    let name: String
    /// The placeholder of its value in the help; nil for a switch.
    let value: String?
    let summary: String
    /// The possible values, for completion; empty when they cannot be listed.
    let choices: [String]
    /// True when it may be given more than once.
    let isRepeated: Bool

    init(
        _ name: String, _ value: String?, _ summary: String, isRepeated: Bool = false, choices: [String] = []
    ) {
        self.isRepeated = isRepeated
        self.name = name
        self.value = value
        self.summary = summary
        self.choices = choices
    }

    /// True for a value that is a time, or may be one.
    var takesTime: Bool { value == "TIME" || value == "P|TIME" }

    /// The option as the help shows it: `--name VALUE`.
    var usage: String { "--\(name)" + (value.map { " " + $0 } ?? "") }
}

extension Option {
    /// Returns the value as the protocol spells it.
    ///
    /// - Throws: a usage error for a text that is not such a value.
    func read(_ text: String, now: Date) throws(CommandError) -> String {
        switch value {
        case "TIME", "P|TIME":
            let orPosition = value == "P|TIME"
            if orPosition, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return text }
            if let time = TypedMoment.rfc3339(text, now: now) { return time }
            let position = orPosition ? "a position or " : ""
            throw .usage("--\(name) is \(position)a time, such as \(TypedMoment.examples), not \"\(text)\"")
        case "true|false":
            if let flag = TypedFlag.read(text) { return "\(flag)" }
            throw .usage("--\(name) is yes or no, not \"\(text)\"")
        default: return text
        }
    }
}

/// A verb of `storectl`, with all data for its help, usage errors, completion and execution.
struct Subcommand: Sendable {
    /// The number of operands that a subcommand takes.
    enum Operand: Sendable {
        case none
        case optional(String)
        case required(String)
        /// Any number of words.
        case several(String)

        /// The operand as the usage shows it.
        var usage: String {
            switch self {
            case .none: ""
            case .optional(let name): " [\(name)]"
            case .required(let name): " \(name)"
            case .several(let name): " \(name)…"
            }
        }
    }

    let name: String
    let summary: String
    let operand: Operand
    /// The possible operands, for completion; empty when they cannot be listed.
    var operandChoices: [String] = []
    var options: [Option] = []
    /// True when every other `--name value` is a field of a form.
    var takesFields = false
    /// True when every other `--name value` is a filter, where the operand is the name of a declared model.
    var takesModels = false
    /// True when the values of a declared model's filters are read by the types of its fields (`ModelFields`).
    var readsModelValues = false
    /// Further paragraphs of the help, one in each line.
    var details: [String] = []
    let examples: [String]
    let run: @Sendable (Invocation) throws(CommandError) -> ExitCode

    /// Returns the arguments with typed values converted to the protocol's.
    ///
    /// - Parameter now: the moment from which ages are counted back.
    /// - Throws: a usage error for an option that the table does not have, or for a wrong value.
    func read(_ arguments: Arguments, now: Date) throws(CommandError) -> Arguments {
        try check(arguments)
        var read = arguments
        let areModels = readsModelValues && Kinds.isModel(arguments.operands.first)
        for option in options where !areModels || !Kinds.filters.contains(where: { $0.name == option.name }) {
            guard let text = arguments.value(option.name) else { continue }
            read.replace(option.name, try option.read(text, now: now))
        }
        // The store reports a wrong field, together with all others.
        guard takesFields else { return read }
        for field in Kinds.dates {
            guard let text = arguments.value(field), let date = TypedMoment.rfc3339(text, now: now) else { continue }
            read.replace(field, date)
        }
        return read
    }

    /// Refuses options and operands that the table does not have.
    private func check(_ arguments: Arguments) throws(CommandError) {
        if !takesFields, !(takesModels && Kinds.isModel(arguments.operands.first)) {
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
        case .several: break
        }
    }

    private func checkCount(_ arguments: Arguments, _ range: ClosedRange<Int>) throws(CommandError) {
        guard arguments.operands.count > range.upperBound else { return }
        let word = arguments.operands[range.upperBound]
        throw .usage("\(name) does not take \"\(word)\"; quote what has spaces, and see \"storectl help \(name)\"")
    }
}
