import StoryBrowser
import StoryClient
import StoryCore

/// The subcommand `erase`: shows the events that would be taken, asks, and erases their content.
struct EraseRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "erase", summary: "erases the content of events, rows or users for ever, once that is confirmed",
            operand: .required("events[/STREAM|/CATEGORY-*]|KIND/ID"), operandChoices: ["events"] + Kinds.names,
            options: [
                Option("reason", "TEXT", "why, in at most 200 characters that do not name the person: it stays"),
                Option("scope", "WORD", "what goes with a user: profile (nothing), own (the default) or all"),
                Option("labels", "WORD", "keep (the default) or drop: whether keys and tags go as well"),
            ] + Queries.read.description.options.filter { !["limit", "order", "log"].contains($0.name) } + [
                Option("expect", "N", "fails unless this number of events is taken"),
                Option("key", "KEY", "makes the erasure happen once for ever, however often it is sent"),
                Option("dry-run", nil, "shows the streams, events and bytes that would go, and erases nothing"),
                Option("yes", nil, "does not ask"),
            ],
            details: [
                "It takes the events that \"storectl read\" shows for the same words. Their data and meta go, and cannot come back;",
                "position, stream, version, type, time and user stay, and key and tags unless they are dropped, so they must",
                "hold no personal data. Of a row, as stories/12345, the whole history goes; of a user, as users/007, also what",
                "the user sent or owns, deleted or not, and with --scope all what came to the user.",
                "On a terminal it shows the streams and asks for the target's name; if more events come meanwhile, none is erased.",
                "Elsewhere it needs --yes or --expect N. It ends once the bytes are gone; Ctrl-C ends the wait, not the erasure,",
                "and \"storectl erasures\" shows whether it is done. A store that takes no writes names the one that does, which is",
                "asked then. Backups and exports that were made before have the content.",
            ],
            examples: [
                "storectl erase order-7 --dry-run", "storectl erase order-7 --reason 'asked for on 1 May'",
                "storectl erase events --tags customer:9 --reason 'request 17' --yes",
                "storectl erase users/007 --scope all --labels drop --reason 'request 18'",
            ]),
        run: { invocation throws(CommandError) in try EraseRun(invocation).run() })

    /// The columns of a dry run.
    static let columns = [
        Column("stream", fit: .cut(12)), Column("events"), Column("bytes"), Column("labelled", fit: .leftOut),
    ]

    /// The most streams that are shown above the question.
    private static let mostShown = 20

    private let invocation: Invocation
    private let target: String

    init(_ invocation: Invocation) throws(CommandError) {
        self.invocation = invocation
        target = try Queries.events(invocation.arguments, orRowsOf: Kinds.names)
    }

    /// Shows the events, or erases them unless the question is answered otherwise.
    func run() throws(CommandError) -> ExitCode {
        let arguments = invocation.arguments
        guard !arguments.has("dry-run") else {
            _ = try rehearse(showing: .max)
            return .done
        }
        guard arguments.has("reason") else {
            throw .usage("erase needs --reason TEXT: why, without naming the person, since it stays for ever")
        }
        var expected = arguments.value("expect")
        if !arguments.has("yes"), Terminal.isConversation {
            expected = try rehearse(showing: EraseRun.mostShown)
            guard try isConfirmed() else {
                Output.complain(raw: "nothing was erased")
                return .no
            }
        } else if !arguments.has("yes"), expected == nil {
            throw .usage(
                "erase asks on a terminal only: give --yes, or --expect N with the number of events that --dry-run shows"
            )
        }
        try erase(expected)
        return .done
    }

    private func request(isDry: Bool, expecting expected: String?) -> String {
        var request = RequestLine(Verb.write(.erase).name, target)
        for name in ["scope", "labels", "reason", "from", "to", "types", "tags", "query"] {
            request.add(name, from: invocation.arguments)
        }
        if let expected { request.add("expect", expected) }
        // A dry run writes nothing, so it has no key.
        if isDry { request.add("dry", "true") } else { request.add("key", from: invocation.arguments) }
        return request.text
    }

    /// Shows the events that would be taken, by their streams.
    ///
    /// - Parameter limit: the most streams that are shown.
    /// - Returns: the number of events.
    private func rehearse(showing limit: Int) throws(CommandError) -> String? {
        let request = request(isDry: true, expecting: invocation.arguments.value("expect"))
        let reply = try invocation.askLong(request, "the daemon looks for the events", writes: true)
        let sums = ShownJSON(reply.final.json)?.members ?? [:]
        var lines = try RowLines(invocation, columns: EraseRun.columns)
        guard !invocation.isJSON else {
            try lines.write(reply.rows)
            try invocation.output.line(reply.final.json)
            return sums["events"]?.plain
        }
        try lines.write(Array(reply.rows.prefix(limit)))
        let hidden = reply.rows.count - min(reply.rows.count, limit)
        if hidden > 0 { try invocation.output.line("… and \(Grouped.count(hidden, "more stream"))") }
        try invocation.output.line(EraseRun.sentence(sums))
        return sums["events"]?.plain
    }

    /// Asks for the name of the target; returns true where it was typed.
    private func isConfirmed() throws(CommandError) -> Bool {
        try invocation.output.flush()
        let name = target.hasPrefix("events/") ? String(target.dropFirst("events/".count)) : target
        let question = "type \(name) to erase this for ever; anything else keeps it: "
        return try Question.ask(question, unless: invocation.interruption) == name
    }

    private func erase(_ expected: String?) throws(CommandError) {
        let reply = try invocation.askLeader(request(isDry: false, expecting: expected), "the daemon erases")
        guard !invocation.isJSON, let members = ShownJSON(reply.final.json)?.members else {
            return try invocation.output.line(reply.final.json)
        }
        let (id, position) = (members["id"]?.shown ?? "?", members["position"]?.shown ?? "?")
        try invocation.output.line("erased: \(EraseRun.sentence(members)); erasure \(id), position \(position)")
        guard members["media"]?.text == ErasureMedia.copyOnWrite.rawValue else { return }
        Output.complain(
            raw: "the file system writes elsewhere: the old bytes are on the disk until it uses their room again")
    }

    /// Returns a sentence about the sums of a dry run or an erasure.
    private static func sentence(_ sums: [String: ShownJSON]) -> String {
        let (events, streams) = (sums["events"]?.whole ?? 0, sums["streams"]?.whole ?? 0)
        let (bytes, labelled) = (sums["bytes"]?.whole ?? 0, sums["labelled"]?.whole ?? 0)
        let labels = labelled > 0 ? "; key or tags of \(Grouped.text(labelled)) stay" : ""
        let counts = "\(Grouped.count(events, "event")) of \(Grouped.count(streams, "stream"))"
        return "\(counts), \(Units.bytes(bytes))\(labels)"
    }
}

/// The subcommand `erasures`: the erasures in their order.
enum ErasuresRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "erasures", summary: "lists the erasures, and which of them are under way", operand: .none,
            options: [
                Option("after", "N", "continues after this erasure"),
                Option("limit", "N", "number of erasures (default 50, maximum 1000)"),
                Option("all", nil, "every erasure, however many there are"), Kinds.minimum,
            ] + RowLines.options,
            details: [
                "One is under way until its bytes are gone from the data directory of the store that answers: a replica or",
                "another node has its own. At a node \"waiting\" names the nodes, and etcd, that may have the content yet. The",
                "position is that of the event from which on nobody reads the content.",
                Queries.fitted, Queries.more, Queries.offline,
            ],
            examples: ["storectl erasures", "storectl erasures --all --csv"]),
        run: answer)

    /// The columns of the erasures, with a state that `told` adds.
    static let columns = [
        Column("id"), Column("target", fit: .cut(12)), Column("events"), Column("bytes"), Column("state", tone: .state),
        Column("reason", fit: .cut(8)), Column("position", fit: .leftOut), Column("done", fit: .leftOut),
        Column("streams", fit: .leftOut), Column("labelled", fit: .leftOut), Column("labels", fit: .leftOut),
        Column("scope", fit: .leftOut),
        Column("by", fit: .leftOut), Column("media", fit: .leftOut), Column("waiting", fit: .leftOut),
    ]

    private static func answer(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let options = subcommand.description.options
        let pages = Pages(verb: Verb.read(.erasures).name, next: "after", limit: 50, most: 1_000, options: options)
        return try Queries.rows(pages, invocation, columns: columns) { invocation.isJSON ? $0 : told($0) }
    }

    /// Returns rows with their state in words, which the store tells by `done` alone.
    static func told(_ rows: [ReplyLine]) -> [ReplyLine] {
        rows.compactMap { row in
            let state = ShownJSON(row.json)?.members["done"] == nil ? "under way" : "done"
            return ReplyLine(row.line.dropLast() + Array(#","state":"\#(state)"}"#.utf8))
        }
    }
}
