import FoundationEssentials
import StoryClient

/// A run of `storectl`, from its words to its exit code.
enum Tool {
    /// The subcommands that need no other one, in the order of the help.
    private static let subcommands: [Subcommand] = [
        Queries.get, Queries.list, Queries.count, Queries.read, FindRun.subcommand, Queries.streams, Queries.types,
        Writes.post, Writes.edit, Writes.like, Writes.unlike, Writes.see, Writes.delete, Writes.append,
        Tail.subcommand, PipeRun.subcommand, Prompt.subcommand, Browse.subcommand, ServeRun.subcommand,
        StatsRun.subcommand,
        TopRun.subcommand, MetricsRun.subcommand, CheckRun.subcommand, ClientsRun.subcommand, ClusterRun.subcommand,
        ReplayRun.subcommand, Verification.subcommand, Backup.subcommand, Restore.subcommand, SalvageRun.subcommand,
        Export.subcommand, ImportRun.subcommand, EraseRun.subcommand, ErasuresRun.subcommand, CursorsRun.subcommand,
        ModelRun.subcommand,
    ]

    /// The descriptions of all subcommands; the last ones tell of the others.
    private static let commands = CommandList(
        subcommands.map(\.description) + [Completion.description, Completer.description, Help.description])

    private static func find(_ name: String) -> Subcommand? {
        switch name {
        case Completion.description.name: Subcommand(Completion.description, run: Completion(commands).run)
        case Completer.description.name: Subcommand(Completer.description, run: Completer(commands).run)
        case Help.description.name: Subcommand(Help.description, run: Help(commands).run)
        default: subcommands.first { $0.description.name == name }
        }
    }

    /// Runs a command line.
    ///
    /// - Parameter words: the words of the command line.
    static func run(_ words: [String]) -> ExitCode {
        defer { StatusLine.erase() }
        do throws(CommandError) {
            let arguments = try Arguments(words, commands.grammar)
            if arguments.asksForVersion { return try Help.version() }
            guard let verb = arguments.verb ?? Prompt.verb(arguments) else {
                return try Help(commands).withoutVerb(arguments)
            }
            guard let subcommand = find(verb) else { throw .usage(commands.unknown(verb)) }
            if arguments.has("help") { return try Help.describe(subcommand.description) }
            let invocation = try Invocation(try subcommand.description.read(arguments, now: Date()))
            let code = try subcommand.run(invocation)
            try invocation.output.flush()
            return code
        } catch {
            if CheckRun.isMeant(words, commands.grammar) { return CheckRun.report(error) }
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
