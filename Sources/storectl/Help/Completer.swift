import StoryClient
import StoryCore
import StoryWire

/// The completer of a command line that is being typed, by the names of the store.
struct Completer {
    static let description = CommandDescription(
        name: "complete", summary: "prints the store's names that the last word may become, for a shell",
        operand: .several("WORD"), takesCommandLine: true,
        details: [
            "The words are those of a command line that is being typed, behind storectl; the last one may be empty.",
            "IDs, streams, categories, types of events, declared models, their filters, values and sorts, and nodes are printed,",
            "a line each and at most 100; nothing where the store cannot be reached or does not answer within a tenth of a second.",
            "The scripts of \"storectl completion\" call it.",
        ],
        examples: ["storectl complete -- get stories/1", "storectl complete -- list stories --sender ''"])

    private let commands: CommandList

    init(_ commands: CommandList) { self.commands = commands }

    /// Does the work of the subcommand `complete`.
    func run(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        guard let typed = TypedCommand(invocation.arguments.operands, commands),
            let addresses = try? StoreSearch(typed.socket).addresses()
        else { return .done }
        let names = StoreNames(addresses)
        // A shell would take a tilde at the beginning for a home directory.
        let words = typed.wanted.flatMap { names.words($0).words }.filter { !$0.hasPrefix("~") }
        for word in words.sorted() { try invocation.output.line(word) }
        return .done
    }
}

/// A command line that is being typed.
private struct TypedCommand {
    private static let completion = RequestCompletion(Kinds.table)

    private let before: Arguments
    private let command: CommandDescription
    /// The option whose value is typed; nil for an operand, and for the name of an option.
    private let option: String?
    /// The part of the last word before the value or the name: `--sender=`, `--`.
    private let lead: String
    private let word: String

    /// The socket that the command line names.
    var socket: String? { before.value("socket") }

    /// Reads the words; nil where no value is typed, or not for a daemon.
    init?(_ words: [String], _ commands: CommandList) {
        guard let last = words.last,
            let before = try? Arguments(Array(words.dropLast()), commands.grammar),
            !before.has("data"), let command = before.verb.flatMap(commands.find)
        else { return nil }
        (self.before, self.command) = (before, command)
        if let lacking = before.lacking, words.dropLast().last == "--\(lacking)" {
            (option, lead, word) = (lacking, "", last)
        } else if last.hasPrefix("--"), !last.contains("=") {
            (option, lead, word) = (nil, "--", String(last.dropFirst(2)))
        } else if last.hasPrefix("--"), let equals = last.firstIndex(of: "=") {
            option = String(last[..<equals].dropFirst(2))
            (lead, word) = (String(last[...equals]), String(last[last.index(after: equals)...]))
        } else {
            guard before.operands.count == (command.secondOperands.isEmpty ? 0 : 1) else { return nil }
            (option, lead, word) = (nil, "", last)
        }
    }

    /// The names that the last word may become; none where the store has none for it.
    var wanted: [WantedNames] {
        guard let option else { return lead.isEmpty ? operand : filters }
        return value(of: option).map { [$0] } ?? []
    }

    /// The filters of the declared model whose rows are selected.
    private var filters: [WantedNames] {
        model.map { [WantedNames(.filters(of: $0), lead: lead, beginning: word)] } ?? []
    }

    /// The declared model whose rows a query or a subscription selects; nil for anything else.
    private var model: String? {
        guard command.takesModels, let target = before.operands.first, !target.contains("/"),
            !target.contains("*"), !Kinds.names.contains(target), target != "events"
        else { return nil }
        return target
    }

    private func value(of option: String) -> WantedNames? {
        let isOption = command.takesFields || command.options.contains { $0.name == option }
        let completion = TypedCommand.completion
        let source: WantedNames.Source?
        switch option {
        // An option of events may have the name of a model's filter.
        case _
        where !isOption
            || model != nil && (Kinds.filters + [Kinds.tags, Kinds.query]).contains(where: { $0.name == option }):
            source = model.map { .values(of: option, model: $0) }
        case "types": source = .types(of: events(before.operands.first))
        case "type": source = .types(of: events(before.operands.first.map { String($0.prefix { $0 != "-" }) + "-*" }))
        case "sort": source = model.map { .sorts(of: $0) }
        case "as": source = completion.source(referredToBy: "user")
        default: source = completion.source(referredToBy: option)
        }
        // The names before a comma are complete.
        let isList = ["types", "between"].contains(option)
        let rest = isList ? word.lastIndex(of: ",").map { word.index(after: $0) } ?? word.startIndex : word.startIndex
        return source.map { WantedNames($0, lead: lead + word[..<rest], beginning: String(word[rest...])) }
    }

    /// Returns the target of a `READ` of the events that an operand selects.
    private func events(_ target: String?) -> String {
        guard let target, !target.hasPrefix("*") else { return "events" }
        if target.hasPrefix("events/") { return target }
        return target.contains("-") ? "events/\(target)" : "events"
    }

    private var operand: [WantedNames] {
        guard command.secondOperands.isEmpty else {
            let wanted = command.secondOperands.first { second in
                second.first == before.operands.first && second.option.map(before.has) != false
            }
            return wanted.map { [WantedNames($0.names, beginning: word)] } ?? []
        }
        guard let verb = command.verb else {
            return command.name == Browse.subcommand.description.name ? [WantedNames(.models, beginning: word)] : []
        }
        // The tool takes a category's bare name, which no shell takes for a pattern of files.
        if verb == .read(.types) { return [WantedNames(.categories, beginning: word)] }
        let names = TypedCommand.completion.names(after: verb.name + " ", word).map { [$0] } ?? []
        // The tool takes a stream's bare name as well.
        guard [.read(.read), .follow(.subscribe), .write(.erase)].contains(verb), !word.contains("/") else {
            return names
        }
        return names + [WantedNames(.streams(areOfUsers: verb.isWrite), beginning: word)]
    }
}
