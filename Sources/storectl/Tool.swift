import FoundationEssentials
import StoryClient
import StoryWire

/// A run of `storectl`, from its words to its exit code.
enum Tool {
    /// Runs a command line.
    ///
    /// - Parameter words: the words of the command line.
    static func run(_ words: [String]) -> ExitCode {
        defer { StatusLine.erase() }
        do throws(CommandError) {
            let arguments = try Arguments(
                words, switches: SubcommandTable.switches, repeated: SubcommandTable.repeated)
            if arguments.asksForVersion { return try Help.version() }
            guard let verb = arguments.verb ?? Prompt.verb(arguments) else { return try Help.withoutVerb(arguments) }
            guard let subcommand = SubcommandTable.find(verb) else {
                throw .usage(SubcommandTable.unknown(verb))
            }
            if arguments.has("help") { return try Help.describe(subcommand) }
            let invocation = try Invocation(try subcommand.read(arguments, now: Date()))
            let code = try subcommand.run(invocation)
            try invocation.output.flush()
            return code
        } catch {
            if CheckRun.isMeant(words) { return CheckRun.report(error) }
            return report(error, asJSON: words.contains("--json"))
        }
    }

    /// Writes the reason why the run stopped to standard error, in one line.
    private static func report(_ error: CommandError, asJSON: Bool) -> ExitCode {
        switch error {
        case .usage(let sentence), .system(let sentence), .full(let sentence): Output.complain(sentence)
        case .store(let error): Output.complain(error.sentence)
        case .refused(let refusal, let json):
            if asJSON {
                Output.complain(raw: String(decoding: json, as: UTF8.self))
            } else {
                Output.complain(Flags.named(in: refusal.sentence))
            }
        case .silent: break
        }
        return error.exitCode
    }
}

extension Refusal {
    /// The refusal in one line: its code, its message, and each wrong field.
    var sentence: String {
        let details = (fields ?? []).map { WrongField($0).sentence }.joined(separator: "; ")
        var text = "\(code.rawValue): \(message)"
        if !details.isEmpty { text += " (\(details))" }
        if let nearest, !message.contains(nearest) { text += "; did you mean \(nearest)?" }
        switch retry {
        case "refetch": text += "; read it again and decide again"
        case "later": text += "; try again later"
        case "same": text += "; send it again"
        default: break
        }
        return text
    }

    /// The refusal of a line that a person wrote, with the column where reading stopped.
    var sentenceOfLine: String { sentence + (column.map { " (column \($0))" } ?? "") }
}

/// The options of the protocol in the form of the command line.
enum Flags {
    /// Returns the sentence with each option `name=` spelled as `--name`.
    static func named(in sentence: String) -> String {
        sentence.replacing(/\b([a-z]+)=(?=\s)/) { match in
            OptionName.allCases.contains { $0.name == match.1 } || Kinds.filters.contains { $0.name == match.1 }
                ? "--\(match.1)" : String(match.0)
        }
    }
}
