import StoryClient
import StoryWords

/// The subcommand `find`: the events with words, and the words in them marked on a terminal.
enum FindRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "find", summary: "finds your own events by the words in their data",
            operand: .several("[events[/STREAM|/CATEGORY-*]] WORD"), operandChoices: ["events"],
            options: [
                Option("words", "TEXT", "the words as the protocol has them, in place of WORD…"),
                Option("from", "P|TIME", "the start: a position, a version of one stream, or a time"),
                Option("to", "P|TIME", "the end: a position, a version of one stream, or a time"),
                Option("limit", "N", "number of events (default 50, maximum 1000)"),
                Option("order", "asc|desc", "the direction (default desc: newest first)", choices: ["asc", "desc"]),
                Kinds.types, Kinds.tags, Kinds.query,
                Option("log", "ID", "the history that --from is of: another one is refused"),
                Kinds.minimum,
            ],
            details: [
                "All words must be in the data of an event, in whichever of its texts; -WORD must not. 'two words' come one after",
                "the other; WOR* is the beginning of a word. Capitals and accents do not matter: cafe finds Café.",
                "The first search makes an index of words, which is kept from then on: its progress is shown.",
                "With --data DIR the events themselves are read: a directory without a daemon needs no index.",
            ],
            examples: [
                "storectl find spring cherry", "storectl find events/order-* ann@example.org -cancelled",
                "storectl find 'two words' spr* --types Noted --limit 10",
            ]),
        run: answer)

    private static func answer(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        var invocation = invocation
        let (target, words) = parts(of: invocation.arguments.operands)
        if !words.isEmpty {
            guard !invocation.arguments.has("words") else { throw .usage("find takes WORD… or --words, not both") }
            invocation.arguments.give("words", words.map(spelled).joined(separator: " "))
        }
        guard let text = invocation.arguments.value("words") else {
            throw .usage("find needs WORD…, such as \"storectl find spring\"; see \"storectl help find\"")
        }
        let marks = WordMarks(spelled: text)
        let progress = IndexProgress()
        let pages = Pages(
            verb: "FIND", target: target, next: "from", limit: 50, most: 1_000,
            options: subcommand.description.options, isAgain: progress.isAgain)
        var isEmpty = true
        let next = try pages.run(invocation) { rows throws(CommandError) in
            isEmpty = isEmpty && rows.isEmpty
            for row in rows { try invocation.answers.event(row, marking: marks) }
        }
        if isEmpty { try invocation.output.tellNothing() }
        return try Queries.tellNext(next, by: "from", invocation)
    }

    /// Returns the target, and the words behind it: the first operand is one where it is events, or a category.
    private static func parts(of operands: [String]) -> (target: String, words: [String]) {
        guard let first = operands.first else { return ("events", []) }
        let rest = Array(operands.dropFirst())
        if first == "events" || first.hasPrefix("events/") { return (first, rest) }
        if first.hasSuffix("-*"), !rest.isEmpty, !first.contains("/") { return ("events/\(first)", rest) }
        return ("events", operands)
    }

    /// Returns an operand as a part of a question: in quotes where the shell took them away.
    private static func spelled(_ word: String) -> String {
        guard word.contains(where: \.isWhitespace), !word.contains("\"") else { return word }
        return word.hasPrefix("-") ? "-\"\(word.dropFirst())\"" : "\"\(word)\""
    }
}

/// The progress of an index that is made while a search waits for it.
private final class IndexProgress {
    /// How often a search that finds the index no further is sent again.
    private static let mostTries = 6

    private let progress = Progress("making the index of words", "events")
    private var first: UInt64?
    private var last = UInt64.max
    private var tries = 0

    /// Returns true where a search was refused since the index is behind, and gets nearer.
    func isAgain(_ refusal: Refusal) -> Bool {
        guard refusal.code == .busy, let behind = refusal.behind else { return false }
        let all = first ?? behind
        first = all
        progress.show(all - min(behind, all), of: all)
        tries = behind < last ? 0 : tries + 1
        last = min(behind, last)
        return tries < IndexProgress.mostTries
    }
}
