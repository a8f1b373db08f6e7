import Glibc
import StoryBrowser
import StoryClient

/// The subcommand `stats`: the counts, sizes, rates and latencies of the daemon, once or each second.
enum StatsRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "stats", summary: "shows the daemon's counts, sizes, rates and latencies", operand: .none,
            options: [
                Option("watch", nil, "shows it again each second, on a terminal as a page that q ends"),
                Option("all", nil, "every figure, by its name in the protocol"),
            ],
            details: [
                "It is one screen: the verbs that were asked for most often, with their median, 99 % and 99.9 % latencies.",
                "Bytes and times have units; --all and --json show the daemon's own figures, in bytes and microseconds.",
            ],
            examples: ["storectl stats", "storectl stats --watch", "storectl --json stats"]),
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let isRaw = invocation.isJSON || invocation.arguments.has("all")
        return try invocation.watch(isRaw ? nil : StatsContent(), hasGaps: !isRaw, sample: StatsSample.init) {
            (reply, before) throws(CommandError) in try show(reply, after: before, invocation)
        }
    }

    private static func show(
        _ reply: StoreReply, after before: StatsSample?, _ invocation: Invocation
    ) throws(CommandError) {
        guard !invocation.isJSON, !invocation.arguments.has("all"), let sample = StatsSample(reply) else {
            return try invocation.answers.object(reply.final)
        }
        let size = Terminal.size(of: STDOUT_FILENO) ?? (80, 24)
        // The last line is left for the shell's prompt.
        for line in StatsPage(sample, after: before).lines(columns: size.columns, rows: max(size.rows - 1, 1)) {
            try invocation.output.line(line)
        }
    }
}

/// The page of `stats --watch`.
private struct StatsContent: WatchedContent {
    static let request = "STATS"
    static let verb = "stats"

    private var before: StatsSample?
    private var sample: StatsSample?
    /// Times and positions of the last minute, the oldest first.
    private var history: [(time: ContinuousClock.Instant, count: UInt64)] = []

    mutating func took(_ reply: StoreReply) {
        (before, sample) = (sample, StatsSample(reply))
        if let sample { history.append((sample.time, sample.count("position"))) }
        history = history.suffix(Top.State.remembered)
    }

    mutating func lost() { (before, sample, history) = (nil, sample, []) }

    func lines(columns: Int, rows: Int) -> [Line] {
        sample.map { StatsPage($0, after: before, Sparkline.rates(history)).lines(columns: columns, rows: rows) } ?? []
    }
}
