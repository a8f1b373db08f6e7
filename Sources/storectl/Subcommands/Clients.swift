import StoryClient

/// The subcommand `clients`: the connections of the daemon, and the end of one.
enum ClientsRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "clients", summary: "shows the connections of the daemon, or ends one",
            operand: .several("NUMBER|end"), operandChoices: ["end"], options: RowLines.options,
            details: [
                "Each connection has a number, which is never reused; with it, only that one is shown, with all subscriptions.",
                "end NUMBER closes a connection, for the role admin: that of a client whose certificate must not be used any",
                "more, for example. The client may connect again, as far as its user and its certificate are allowed to.",
            ],
            examples: ["storectl clients", "storectl clients end 7"]),
        run: { invocation throws(CommandError) in
            let words = invocation.arguments.operands
            guard words.first == "end" else {
                guard words.count < 2 else { throw .usage("clients does not take \"\(words[1])\"; \(usage)") }
                return try show(words.first, invocation)
            }
            guard words.count == 2 else { throw .usage("clients end needs one NUMBER; \(usage)") }
            return try end(try number(words[1]), invocation)
        })

    private static let columns = [
        Column("client"), Column("uid"), Column("pid", fit: .leftOut), Column("role"), Column("since", fit: .leftOut),
        Column("idle", heading: "idle s"), Column("requests"), Column("errors"), Column("received", fit: .leftOut),
        Column("sent", fit: .leftOut), Column("waiting"), Column("verb", fit: .cut(6)),
        Column("certificate", fit: .cut(8)), Column("from", fit: .leftOut),
    ]

    private static let usage = "see \"storectl help clients\""

    private static func number(_ word: String) throws(CommandError) -> UInt64 {
        guard let number = UInt64(word) else {
            throw .usage("the number of a client is wanted, not \"\(word)\"; \(usage)")
        }
        return number
    }

    private static func show(_ word: String?, _ invocation: Invocation) throws(CommandError) -> ExitCode {
        let target = try word.map { (word) throws(CommandError) in " \(try number(word))" } ?? ""
        let reply = try invocation.ask("CLIENTS" + target)
        var lines = try RowLines(invocation, columns: columns)
        try lines.write(reply.rows)
        if invocation.isJSON { try invocation.output.line(reply.final.json) }
        return .done
    }

    private static func end(_ number: UInt64, _ invocation: Invocation) throws(CommandError) -> ExitCode {
        let reply = try invocation.ask("CLIENTS end \(number)")
        guard !invocation.isJSON else {
            try invocation.output.line(reply.final.json)
            return .done
        }
        try invocation.output.line("client \(number) is ended")
        return .done
    }
}
