import Glibc
import StoryClient

/// What the daemon holds and does, once or each second.
enum StatsRun {
    static let subcommand = Subcommand(
        name: "stats", summary: "shows what the daemon holds and does: counts, sizes, rates, latencies", operand: .none,
        options: [Option("watch", nil, "shows it again each second, until it is stopped")],
        examples: ["storectl stats", "storectl stats --watch", "storectl --json stats"],
        run: { invocation throws(CommandError) in
            let answerer = Answerer(try invocation.connect())
            if invocation.arguments.has("watch") { LostReader.endsProcess() }
            repeat {
                let reply = try answerer.ask("STATS")
                // One under the other for a program, one over the other for a person.
                let isWatched = invocation.arguments.has("watch") && Terminal.isShown(on: STDOUT_FILENO)
                if isWatched { try invocation.output.clear() }
                try invocation.answers.object(reply.final)
                try invocation.output.flush()
                guard invocation.arguments.has("watch") else { return .done }
            } while !Interruption.came(within: .seconds(1), on: invocation.interruption)
            return .interrupted
        })
}
