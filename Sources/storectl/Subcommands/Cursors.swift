import StoryBrowser
import StoryClient
import StoryCore
import StoryWire

/// The subcommand `cursors`: the cursors of workers, and the events that were set aside.
enum CursorsRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "cursors", summary: "shows the cursors of workers, and the events that they set aside",
            operand: .optional("NAME"),
            options: [
                Option("max-lag", "N", "exits with 1 where a cursor is farther behind, or has parked events"),
                Option("parked", nil, "the parked events of the cursor, with their errors"),
                Option("retry", "P|all", "has a parked event, or all of them, delivered once more"),
                Option("discard", "P", "gives a parked event up; for the role admin, with --reason"),
                Option("reason", "TEXT", "why it is given up: it stays for ever"),
                Option("reset", "P|start|end", "has all shares begin again behind this position; for the role admin"),
                Option("drop", nil, "removes the cursor, whose name is never used again; for the role admin"),
                Option("after", "P", "continues after this parked event"),
                Option("limit", "N", "number of parked events (default 50, maximum 1000)"),
                Option("all", nil, "every parked event, however many there are"), Kinds.minimum,
            ] + RowLines.options,
            request: .read(.cursors),
            details: [
                "lag is the number of positions that a cursor has to look at. A cursor is free where nobody holds it; full",
                "where its worker is slow; in backoff where an event failed and comes again later.",
                Queries.fitted, Queries.offline,
            ],
            examples: [
                "storectl cursors", "storectl cursors billing --parked", "storectl cursors billing --retry all",
                #"storectl cursors billing --discard 1042 --reason "a test order""#,
                "storectl cursors billing --reset start",
            ]),
        run: run)

    /// The columns of cursors.
    static let columns = [
        Column("cursor", fit: .cut(8)), Column("share"), Column("on", fit: .cut(8)), Column("at"), Column("lag"),
        Column("state", tone: .state), Column("outstanding"), Column("parked"), Column("waiting", fit: .leftOut),
        Column("window", fit: .leftOut), Column("lease", fit: .leftOut), Column("attempts", fit: .leftOut),
        Column("shares", fit: .leftOut), Column("holder", fit: .leftOut), Column("oldest", fit: .leftOut),
    ]
    /// The columns of parked events.
    static let parkedColumns = [
        Column("event"), Column("stream", fit: .cut(8)), Column("type", fit: .cut(8)), Column("attempts"),
        Column("error", fit: .cut(8)), Column("since", fit: .leftOut), Column("retrying", fit: .leftOut),
        Column("share", fit: .leftOut),
    ]

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let arguments = invocation.arguments
        let works = ["parked", "retry", "discard", "reset", "drop"].filter(arguments.has)
        guard works.count < 2 else { throw .usage("--\(works[0]) and --\(works[1]) exclude one another; \(usage)") }
        guard let work = works.first else { return try list(invocation) }
        guard let name = arguments.operands.first else {
            throw .usage("--\(work) needs the NAME of a cursor; \(usage)")
        }
        guard !arguments.has("max-lag") else { throw .usage("--max-lag goes with no --\(work); \(usage)") }
        guard arguments.has("reason") == (work == "discard") else {
            throw .usage("--discard P and --reason TEXT belong together; \(usage)")
        }
        switch work {
        case "parked": return try parked(name, invocation)
        case "retry":
            let event = arguments.value("retry") ?? "all"
            return try change(RequestLine("RETRY", event == "all" ? name : "\(name)@\(event)"), invocation)
        case "reset":
            var line = RequestLine("RESET", name)
            line.add("to", arguments.value("reset") ?? "")
            return try change(line, invocation)
        case "drop": return try change(RequestLine("DROP", name), invocation, isDrop: true)
        case _:
            var line = RequestLine("DISCARD", "\(name)@\(arguments.value("discard") ?? "")")
            line.add("reason", from: arguments)
            return try change(line, invocation)
        }
    }

    private static let usage = "see \"storectl help cursors\""

    // MARK: Lists

    private static func list(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let arguments = invocation.arguments
        var most: UInt64?
        if let text = arguments.value("max-lag") {
            guard let number = UInt64(text) else { throw .usage("--max-lag is a number of events, not \"\(text)\"") }
            most = number
        }
        var line = RequestLine(Verb.read(.cursors).name, arguments.operands.first)
        line.add("min", from: arguments)
        let reply = try invocation.answerer().ask(line.text)
        var lines = try RowLines(invocation, columns: columns)
        try lines.write(reply.rows)
        try lines.end()
        guard let most else { return .done }
        let late = reply.rows.compactMap { ShownJSON($0.json)?.members }.filter { row in
            (row["lag"]?.whole ?? 0) > most || (row["parked"]?.whole ?? 0) > 0
        }
        return late.isEmpty ? .done : .no
    }

    private static func parked(_ name: String, _ invocation: Invocation) throws(CommandError) -> ExitCode {
        let pages = Pages(
            verb: Verb.read(.parked).name, next: "after", limit: ParkedQuery.defaultLimit, most: ParkedQuery.maxLimit,
            options: subcommand.description.options, choices: ["parked"])
        return try Queries.rows(pages, invocation, columns: parkedColumns)
    }

    // MARK: Changes

    private static func change(
        _ line: RequestLine, _ invocation: Invocation, isDrop: Bool = false
    ) throws(CommandError) -> ExitCode {
        let reply = try invocation.askLeader(line.text, "the daemon writes")
        guard !invocation.isJSON, let members = ShownJSON(reply.final.json)?.members else {
            try invocation.output.line(reply.final.json)
            return .done
        }
        let position = members["position"]?.shown ?? "?"
        let retried = members["retrying"]?.whole.map { "\(Grouped.count($0, "event")) to be delivered again" }
        let event = members["event"].map { "event \($0.shown) is given up" }
        let done = retried ?? event ?? "cursor \(members["id"]?.shown ?? "?") is \(isDrop ? "dropped" : "reset")"
        try invocation.output.line("\(done), position \(position)")
        return .done
    }
}
