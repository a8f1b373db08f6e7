import StoryClient
import StoryWords

/// The subcommand `find`: the events with words, and the words in them marked on a terminal.
enum FindRun {
    private static let ofEvents = [
        Option("from", "P|TIME", "events: the start: a position, a version of one stream, or a time"),
        Option("to", "P|TIME", "events: the end: a position, a version of one stream, or a time"),
        Option("order", "asc|desc", "events: the direction (default desc: newest first)", choices: ["asc", "desc"]),
        Kinds.types, Kinds.tags, Kinds.query,
        Option("log", "ID", "events: the history that --from is of: another one is refused"),
    ]

    static let subcommand = Subcommand(
        CommandDescription(
            name: "find", summary: "finds your own events, stories and messages by their words",
            operand: .several("[events[/STREAM|/CATEGORY-*]|stories|messages] WORD"),
            operandChoices: ["events"] + Kinds.searched,
            options: [
                Option("words", "TEXT", "the words as the protocol has them, in place of WORD…"),
                Option("limit", "N", "number of events or rows (default 50, maximum 1000)"),
                Option("all", nil, "every event or row, however many there are"),
            ] + ofEvents + [
                Option("at", "P|TIME", "rows: those that were found then, as they were"),
                Option("sort", "rank", "rows: the best first, of the newest 10000", choices: ["rank"]),
                Option("after", "NEXT", "rows: continues after the previous page"),
            ] + Kinds.filters + [Kinds.minimum] + RowLines.options,
            details: [
                "All words must be in the texts of an event or a row, in whichever of them; -WORD must not. 'two words' come one",
                "after the other; WOR* is the beginning of a word. Capitals and accents do not matter: cafe finds Café.",
                "The first search makes an index of words, which is kept from then on: its progress is shown.",
                "With --data DIR the events themselves are read: a directory without a daemon needs no index.",
            ],
            examples: [
                "storectl find spring cherry", "storectl find events/order-* ann@example.org -cancelled",
                "storectl find stories 'two words' spr* --recipient 008",
            ]),
        run: answer)

    private static func answer(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        var invocation = invocation
        let (target, words) = parts(of: invocation.arguments.operands)
        if target == "events", let first = words.first, words.count > 1, Kinds.named(first) != nil {
            let searched = (["events"] + Kinds.searched).joined(separator: ", ")
            throw .usage("find looks in \(searched), not in \(first); where that is a word: --words \"\(first) …\"")
        }
        if !words.isEmpty {
            guard !invocation.arguments.has("words") else { throw .usage("find takes WORD… or --words, not both") }
            invocation.arguments.give("words", words.map(spelled).joined(separator: " "))
        }
        guard let text = invocation.arguments.value("words") else {
            throw .usage("find needs WORD…, such as \"storectl find spring\"; see \"storectl help find\"")
        }
        return Kinds.searched.contains(target)
            ? try rows(target, invocation) : try events(target, with: text, invocation)
    }

    private static func events(
        _ target: String, with words: String, _ invocation: Invocation
    ) throws(CommandError) -> ExitCode {
        let (marks, progress) = (WordMarks(spelled: words), IndexProgress())
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

    private static func rows(_ kind: String, _ invocation: Invocation) throws(CommandError) -> ExitCode {
        try Kinds.checkFilters(invocation.arguments, of: kind)
        let pages = Pages(
            verb: "FIND", target: kind, next: "after", limit: 50, most: 1_000,
            options: subcommand.description.options, isAgain: IndexProgress().isAgain)
        return try Queries.rows(pages, invocation, columns: Kinds.named(kind).map(Kinds.columns) ?? [])
    }

    /// Returns the target, and the words behind it: the first operand is one where it is events, or a category.
    private static func parts(of operands: [String]) -> (target: String, words: [String]) {
        guard let first = operands.first else { return ("events", []) }
        let rest = Array(operands.dropFirst())
        if first == "events" || first.hasPrefix("events/") || Kinds.searched.contains(first) { return (first, rest) }
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
