import StoryClient

extension Subcommand {
    static let get = Subcommand(
        name: "get", summary: "shows one row", operand: .required("KIND/ID"),
        options: [Option("at", "P|TIME", "the row as it was at a position or an RFC 3339 time")],
        examples: ["storectl get stories/12345", "storectl get users/007 --at 1042", "storectl --json get photos/9"],
        run: Queries.get)

    static let list = Subcommand(
        name: "list", summary: "lists rows of one kind", operand: .required("KIND"),
        options: Queries.filters + [
            Option("sort", "KEY", "what to sort by; \"date\" unless told"),
            Option("order", "asc|desc", "which way; \"desc\" unless told"),
            Option("limit", "N", "how many rows; 50 unless told, 1000 at most"),
            Option("after", "CURSOR", "goes on after the page before"),
        ],
        examples: ["storectl list stories --sender 007 --sort likes", "storectl list messages --between 007,008"],
        run: Queries.list)

    static let count = Subcommand(
        name: "count", summary: "counts rows of one kind", operand: .required("KIND"), options: Queries.filters,
        examples: ["storectl count users", "storectl count stories --sender 007"], run: Queries.count)

    static let read = Subcommand(
        name: "read", summary: "shows events", operand: .optional("events[/STREAM|/CATEGORY-*]"),
        options: [
            Option("from", "P", "where to begin: a position, or a version of one stream"),
            Option("to", "P", "where to end"),
            Option("limit", "N", "how many events; 1000 unless told, 10000 at most"),
            Option("order", "asc|desc", "which way; \"asc\" unless told"),
            Option("types", "A,B", "only events of these types"),
        ],
        examples: ["storectl read events/story-12345", "storectl read --from 1000 --types StoryPosted,StoryLiked"],
        run: Queries.read)

    static let streams = Subcommand(
        name: "streams", summary: "lists streams", operand: .optional("STREAM|CATEGORY-*"),
        options: [
            Option("after", "STREAM", "goes on after this one"),
            Option("limit", "N", "how many; 50 unless told, 1000 at most"),
        ],
        examples: ["storectl streams", "storectl streams 'note-*' --limit 10"], run: Queries.streams)
}

/// The subcommands that only read.
enum Queries {
    /// What lists and counts can be narrowed by; each kind takes some of them.
    static let filters = [
        Option("sender", "ID", "stories, messages: who sent"),
        Option("recipient", "ID", "stories, messages: who received"),
        Option("between", "A,B", "messages: either way between two users"),
        Option("story", "ID", "messages: about this story"),
        Option("unseen", "true|false", "messages: not seen yet, or seen already"),
        Option("owner", "ID", "photos: whose"),
        Option("prefecture", "N", "users: where, 1 to 47"),
        Option("email", "E", "users: who has this address"),
    ]

    static func get(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        var request = try RequestLine("GET", invocation.arguments.operand("KIND/ID"))
        request.add("at", from: invocation.arguments)
        try invocation.answers.object(try invocation.ask(request.text).final)
        return .done
    }

    static func list(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let request = try request("LIST", invocation, Subcommand.list)
        let reply = try invocation.ask(request)
        try invocation.answers.table(reply.rows)
        try tellNext(reply, "after", invocation)
        return .done
    }

    static func count(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let reply = try invocation.ask(try request("COUNT", invocation, Subcommand.count))
        let count = JSONText(reply.final.json)?.members["count"]
        if let count, !invocation.isJSON {
            try invocation.output.line(count.shown)
        } else {
            try invocation.output.line(reply.final.json)
        }
        return .done
    }

    static func read(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let reply = try invocation.ask(try request("READ", invocation, Subcommand.read, target: "events"))
        try invocation.answers.events(reply.rows)
        try tellNext(reply, "from", invocation)
        return .done
    }

    static func streams(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let reply = try invocation.ask(try request("STREAMS", invocation, Subcommand.streams))
        try invocation.answers.table(reply.rows)
        try tellNext(reply, "after", invocation)
        return .done
    }

    /// The request with the operand as its target and each option that the subcommand has and was given.
    private static func request(
        _ verb: String, _ invocation: Invocation, _ subcommand: Subcommand, target: String? = nil
    ) throws(CommandError) -> String {
        var request = try RequestLine(verb, invocation.arguments.operands.first ?? target)
        for option in subcommand.options { request.add(option.name, from: invocation.arguments) }
        return request.text
    }

    /// Says, beside the data, that there is more and how to get it.
    private static func tellNext(
        _ reply: StoreReply, _ option: String, _ invocation: Invocation
    ) throws(CommandError) {
        guard let next = JSONText(reply.final.json)?.members["next"] else { return }
        // On a terminal it belongs under the rows.
        try invocation.output.flush()
        Output.complain("there is more: add --\(option) \(next.shown)")
    }
}
