import StoryClient
import StoryCore

/// The subcommands that only read.
enum Queries {
    static let get = Subcommand(
        CommandDescription(
            name: "get", summary: "shows one row", operand: .required("KIND/ID"),
            operandChoices: Kinds.prefixes(of: .read(.get)),
            options: [Option("at", "P|TIME", "the row as it was at a position or a time"), Kinds.minimum],
            details: [offline],
            examples: [
                "storectl get stories/12345", "storectl get users/007 --at 1042", "storectl --json get photos/9",
            ]),
        run: answerGet)

    static let list = Subcommand(
        CommandDescription(
            name: "list", summary: "lists rows of one kind", operand: .required("KIND"),
            operandChoices: Kinds.names,
            options: Kinds.filters + [
                Option(
                    "sort", "KEY", "the sort key: \(Kinds.sorts.joined(separator: ", ")) (default date)",
                    choices: Kinds.sorts),
                Option("order", "asc|desc", "the direction (default desc)", choices: ["asc", "desc"]),
                Option("limit", "N", "number of rows (default 50, maximum 1000)"),
                Option("all", nil, "every row, however many there are"),
                Option("after", "CURSOR", "continues after the previous page"), Kinds.minimum,
            ] + RowLines.options,
            takesModels: true, readsModelValues: true,
            details: [
                "KIND may be a declared model as well; each of its filters is an option, such as --customer c1, and --since and",
                "--until bound the field that --sort names, a number or a time.",
                fitted,
                more,
                offline,
            ],
            examples: [
                "storectl list orders --status paid --sort total", "storectl list stories --sender 007 --sort likes",
                "storectl list messages --between 007,008",
                "storectl list stories --all --csv > stories.csv", "storectl list users --columns id,name",
            ]),
        run: answerList)

    static let count = Subcommand(
        CommandDescription(
            name: "count", summary: "counts rows of one kind, or events",
            operand: .required("KIND|events[/STREAM|/CATEGORY-*]"), operandChoices: Kinds.names + ["events"],
            options: Kinds.filters + Array(read.description.options.filter { !["limit", "order"].contains($0.name) })
                + [Kinds.minimum],
            takesModels: true, readsModelValues: true,
            details: ["KIND may be a declared model as well; each of its filters is an option.", offline],
            examples: [
                "storectl count users", "storectl count stories --sender 007",
                "storectl count 'events/order-*' --types Placed --from 2026-11-01",
            ]),
        run: answerCount)

    static let read = Subcommand(
        CommandDescription(
            name: "read", summary: "shows events", operand: .optional("events[/STREAM|/CATEGORY-*]"),
            operandChoices: ["events"],
            options: [
                Option("from", "P|TIME", "the start: a position, a version of one stream, or a time"),
                Option("to", "P|TIME", "the end: a position, a version of one stream, or a time"),
                Option("limit", "N", "number of events (default 1000, maximum 10000)"),
                Option("order", "asc|desc", "the direction (default asc)", choices: ["asc", "desc"]),
                Kinds.types,
                Kinds.tags, Kinds.query,
                Option("log", "ID", "the history that --from is of: another one is refused"),
            ],
            details: [offline],
            examples: [
                "storectl read events/story-12345", "storectl read --from 1000 --types StoryPosted,StoryLiked",
                "storectl read --tags course:c1,student:s7",
            ]),
        run: answerRead)

    static let types = Subcommand(
        CommandDescription(
            name: "types", summary: "lists the types of events, each with their number, the first and the last",
            operand: .optional("CATEGORY"),
            options: [
                Option("after", "TYPE", "continues after this type"),
                Option("limit", "N", "number of types (default and maximum 1000)"),
                Option("all", nil, "every type, however many there are"),
            ] + RowLines.options,
            details: [
                "A type that is misspelt shows up here: no reader of events misses what it does not know.", fitted,
                more,
                offline,
            ],
            examples: ["storectl types", "storectl types order"]),
        run: answerTypes)

    static let streams = Subcommand(
        CommandDescription(
            name: "streams", summary: "lists streams", operand: .optional("STREAM|CATEGORY-*"),
            options: [
                Option("after", "STREAM", "continues after this stream"),
                Option("limit", "N", "number of streams (default 50, maximum 1000)"),
                Option("all", nil, "every stream, however many there are"),
            ] + RowLines.options,
            details: [fitted, more, offline],
            examples: ["storectl streams", "storectl streams 'note-*' --limit 10"]),
        run: answerStreams)

    /// The help text for reading without a daemon.
    static let offline =
        "With --data DIR the directory is read, a backup for example; its log is folded in memory first."
    static let fitted = "A table is cut to fit a terminal; elsewhere values are whole."
    static let more =
        "Where there is more, standard error says how to continue; with --json as {\"next\":…}, for --after."

    static func answerGet(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        if let row = rowMeant(by: try invocation.arguments.operand("KIND/ID"), invocation) {
            let stream = invocation.arguments.operands[0]
            let events = "\"storectl read \(stream)\" shows its events"
            throw .usage("get needs KIND/ID, and \(stream) is a stream; did you mean \(row)? \(events)")
        }
        var request = RequestLine("GET", try Kinds.row(invocation.arguments))
        for option in get.description.options { request.add(option.name, from: invocation.arguments) }
        try invocation.answers.object(try invocation.answerer().ask(request.text).final)
        return .done
    }

    /// Returns the row that the name of a stream of one's own may mean: that of the declared model whose name is nearest to
    /// the stream's category. Nil for another word, and where no daemon has such a model.
    private static func rowMeant(by word: String, _ invocation: Invocation) -> String? {
        guard !word.contains("/"), let dash = word.firstIndex(of: "-"), Kinds.target(word) == word,
            !invocation.arguments.has("data"), let reply = try? invocation.ask("MODELS")
        else { return nil }
        let models = reply.rows.compactMap { ShownJSON($0.json)?.members["model"]?.text }
        return NearestName.find(word[..<dash].utf8, among: models).map { "\($0)/\(word[word.index(after: dash)...])" }
    }

    static func answerList(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let kind = try invocation.arguments.operand("KIND")
        try Kinds.checkFilters(invocation.arguments, of: kind)
        var (invocation, columns) = (invocation, Kinds.named(kind).map(Kinds.columns) ?? [])
        if Kinds.isModel(kind) {
            let fields = try ModelFields(of: kind, invocation.answerer())
            columns = fields.columns
            invocation.arguments = try fields.read(invocation.arguments)
        }
        return try rows(
            Pages(verb: "LIST", next: "after", limit: 50, most: 1_000, options: list.description.options), invocation,
            columns: columns)
    }

    static func answerCount(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let word = try invocation.arguments.operand("KIND|events[/STREAM|/CATEGORY-*]")
        try Kinds.checkFilters(invocation.arguments, of: word)
        let isPattern = word.hasSuffix("-*") && !word.contains("/")
        var invocation = invocation
        if Kinds.isModel(word) {
            let fields = try ModelFields(of: word, invocation.answerer())
            invocation.arguments = try fields.read(invocation.arguments)
        }
        var request = RequestLine("COUNT", isPattern ? "events/\(word)" : word)
        for option in count.description.options { request.add(option.name, from: invocation.arguments) }
        let others = Kinds.modelFilters(invocation.arguments, besides: count.description.options)
        for (name, value) in others { request.add(name, value) }
        let reply = try invocation.answerer().ask(request.text)
        let count = ShownJSON(reply.final.json)?.members["count"]
        if let count, !invocation.isJSON {
            try invocation.output.line(count.shown)
        } else {
            try invocation.output.line(reply.final.json)
        }
        return .done
    }

    static func answerRead(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let target = try events(invocation.arguments)
        let pages = Pages(
            verb: "READ", target: target, next: "from", limit: 1_000, most: 10_000, options: read.description.options)
        var isEmpty = true
        let next = try pages.run(invocation) { rows throws(CommandError) in
            isEmpty = isEmpty && rows.isEmpty
            try invocation.answers.events(rows)
        }
        if isEmpty { try invocation.output.tellNothing() }
        return try tellNext(next, by: "from", invocation)
    }

    /// Returns the target to read: all events, or the named stream or category, also by its bare name.
    ///
    /// - Parameter kinds: the kinds whose rows may be named as well.
    /// - Throws: a usage error for a word that is neither events, nor a stream, nor a category's pattern, nor of a
    ///   kind.
    static func events(_ arguments: Arguments, orRowsOf kinds: [String] = []) throws(CommandError) -> String {
        guard let word = arguments.operands.first else { return "events" }
        let name = word.prefix { $0 != "/" }
        if word.hasPrefix("store://") || name == "events" || kinds.contains(String(name)) { return word }
        if !word.contains("/"), word.contains("-") { return "events/\(word)" }
        let rows = kinds.isEmpty ? "" : ", a kind or KIND/ID"
        let verb = arguments.verb ?? ""
        throw .usage("\(verb) takes events, a stream such as story-12345, CATEGORY-*\(rows), not \"\(word)\"")
    }

    static func answerStreams(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        try rows(
            Pages(verb: "STREAMS", next: "after", limit: 50, most: 1_000, options: streams.description.options),
            invocation,
            columns: [Column("stream", fit: .cut(8)), Column("version"), Column("position")])
    }

    static func answerTypes(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let category = invocation.arguments.operands.first.map { $0.contains("-") ? $0 : $0 + "-*" }
        return try rows(
            Pages(
                verb: "TYPES", target: category, next: "after", limit: 1_000, most: 1_000,
                options: types.description.options),
            invocation, columns: [Column("type", fit: .cut(8)), Column("count"), Column("first"), Column("last")])
    }

    /// Shows rows, page after page.
    ///
    /// - Parameter told: returns the rows as they are shown.
    static func rows(
        _ pages: Pages, _ invocation: Invocation, columns: [Column], _ told: ([ReplyLine]) -> [ReplyLine] = { $0 }
    ) throws(CommandError) -> ExitCode {
        var lines = try RowLines(invocation, columns: columns)
        let progress = Progress(pages.verb.lowercased(), "rows")
        let next = try pages.run(invocation) { rows throws(CommandError) in
            try lines.write(told(rows))
            if invocation.arguments.has("all") { progress.show(UInt64(lines.count), of: nil) }
        }
        try invocation.output.flush()
        try lines.end()
        return try tellNext(next, by: pages.next, invocation)
    }

    /// Reports on standard error that there is more and how to get it.
    static func tellNext(
        _ more: More?, by option: String, _ invocation: Invocation
    ) throws(CommandError) -> ExitCode {
        guard let more else { return .done }
        // On a terminal the message follows the rows.
        try invocation.output.flush()
        if invocation.isJSON {
            Output.complain(raw: "{\"next\":\(JSONText.quoted(more.cursor))}")
        } else {
            // After the last event that two histories share, a position is valid in only one of them.
            let named = invocation.arguments.value("log")
            let log = named != nil && named != more.log ? more.log.map { " --log \($0)" } ?? "" : ""
            let (rows, all) = option == "after" ? ("rows", ", or use --all") : ("events", "")
            Output.complain(raw: "more \(rows): repeat with --\(option) \(more.cursor)\(log)\(all)")
        }
        return .done
    }
}
