import FoundationEssentials
import StoryClient
import StoryCore
import StoryWire

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

    /// The options of every verb.
    static let ofEveryVerb = [
        Option(
            "socket", "PATH",
            "the daemon's socket, or tls://HOST:PORT, or a list; else STORED_SOCKET, the user's own or the service's"),
        Option("data", "DIR", "the data directory, to be read without a daemon; else STORED_DATA, else the XDG one"),
        Option("json", nil, "prints JSON lines, byte for byte as the store sent them"),
        Option(
            "timeout", "SECONDS", "seconds to wait for a reply (default 20; no limit for backups, checks and erasures)"),
        Option("help", nil, "explains the verb"),
    ]

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

/// The description of a subcommand, from which its help, usage errors and completion are made.
struct CommandDescription: Sendable {
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

    /// Names of the store that are the second operand, for completion.
    struct SecondOperand: Sendable {
        /// The first operand, and an option that must be given as well.
        let first: String
        var option: String?
        let names: WantedNames.Source
    }

    let name: String
    let summary: String
    let operand: Operand
    /// The possible operands, for completion; empty when they cannot be listed.
    var operandChoices: [String] = []
    /// The second operands that the store completes; empty where the first operand is the target of a request.
    var secondOperands: [SecondOperand] = []
    var options: [Option] = []
    /// True when every other `--name value` is a field of a form.
    var takesFields = false
    /// True when every other `--name value` is a filter, where the operand is the name of a declared model.
    var takesModels = false
    /// True when the values of a declared model's filters are read by the types of its fields (`ModelFields`).
    var readsModelValues = false
    /// True when the operands are another command line, whose options are none of this one.
    var takesCommandLine = false
    /// The verb of the protocol whose target the operand is, if it has another name.
    var request: Verb?
    /// Further paragraphs of the help, one in each line.
    var details: [String] = []
    let examples: [String]

    /// The verb of the protocol with the same target and fields; nil when there is none.
    var verb: Verb? { request ?? Verb(name: name.uppercased()) }

    /// True when an option or a field is a time.
    var takesTimes: Bool { takesFields || options.contains(where: \.takesTime) }
}
