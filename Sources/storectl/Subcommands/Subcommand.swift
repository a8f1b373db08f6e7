import FoundationEssentials
import StoryClient

/// An option of a subcommand.
struct Option: Sendable {
    let name: String
    /// What stands for its value in the help; nil for a switch.
    let value: String?
    let summary: String
    /// The values that there are, for completion; none where they cannot be listed.
    let choices: [String]
    /// True where it may be given more than once.
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

    /// How a person's value becomes the protocol's.
    var reading: Reading {
        switch value {
        case "TIME": .moment(orPosition: false)
        case "P|TIME": .moment(orPosition: true)
        case "true|false": .flag
        default: .asItIs
        }
    }

    /// Ways to read the value of an option.
    enum Reading {
        case asItIs
        case moment(orPosition: Bool)
        case flag
    }

    /// `--name VALUE`.
    var usage: String { "--\(name)" + (value.map { " " + $0 } ?? "") }
}

extension Option {
    /// The value as the protocol spells it.
    ///
    /// - Throws: for a text that is no such value.
    func read(_ text: String, now: Date) throws(CommandError) -> String {
        switch reading {
        case .asItIs: return text
        case .moment(let orPosition):
            if orPosition, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return text }
            if let time = TypedMoment.rfc3339(text, now: now) { return time }
            let position = orPosition ? "a position or " : ""
            throw .usage("--\(name) is \(position)a time, such as \(TypedMoment.examples), not \"\(text)\"")
        case .flag:
            if let flag = TypedFlag.read(text) { return "\(flag)" }
            throw .usage("--\(name) is yes or no, not \"\(text)\"")
        }
    }
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

    /// The arguments with the protocol's values in place of those that people type.
    ///
    /// - Parameter now: the moment that ages are counted back from.
    /// - Throws: what the table does not have; a value that is none.
    func read(_ arguments: Arguments, now: Date) throws(CommandError) -> Arguments {
        try check(arguments)
        var read = arguments
        for option in options {
            guard let text = arguments.value(option.name) else { continue }
            read.replace(option.name, try option.read(text, now: now))
        }
        // A field that is wrong is for the store to name, with all others that are.
        guard takesFields else { return read }
        for field in Kinds.dates {
            guard let text = arguments.value(field), let date = TypedMoment.rfc3339(text, now: now) else { continue }
            read.replace(field, date)
        }
        return read
    }

    /// Refuses what the table does not have.
    private func check(_ arguments: Arguments) throws(CommandError) {
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
