import StoryClient

extension Subcommand {
    static let stats = Subcommand(
        name: "stats", summary: "shows what the daemon holds and does: counts, sizes, rates, latencies", operand: .none,
        examples: ["storectl stats", "storectl --json stats"],
        run: { invocation throws(CommandError) in
            let reply = try invocation.ask("STATS")
            try invocation.answers.table(reply.rows)
            try invocation.answers.object(reply.final)
            return .done
        })
}
