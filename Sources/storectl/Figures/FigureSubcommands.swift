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
        return try invocation.watch(StatsContent(), isDrawn: !isRaw, hasGaps: !isRaw) {
            (sample, before) throws(CommandError) in
            guard !isRaw, !sample.figures.isEmpty else { return try invocation.answers.object(sample.reply) }
            let size = Terminal.size(of: STDOUT_FILENO) ?? (80, 24)
            let page = FigurePage(.stats, sample, after: before)
            // The last line is left for the shell's prompt.
            for line in page.lines(columns: size.columns, rows: max(size.rows - 1, 1)) {
                try invocation.output.line(line)
            }
        }
    }
}

/// The page of `stats --watch`.
private struct StatsContent: WatchedContent {
    let verb = "stats --watch"
    let instead = "stats"
    let keys = "q quit"
    private var history = FigureHistory()

    func sample(_ store: Answerer) throws(CommandError) -> FigureSample { try FigureSample(store, withClients: false) }

    mutating func add(_ sample: FigureSample) { history.add(sample) }

    mutating func lost() { history.lost() }

    func lines(columns: Int, rows: Int) -> [Line] { history.page(.stats)?.lines(columns: columns, rows: rows) ?? [] }
}

/// The subcommand `top`: the daemon's figures on one live screen.
enum TopRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "top", summary: "shows the daemon's work on one live screen: rates, latencies, clients, conditions",
            operand: .none, options: [Option("once", nil, "prints the screen once, after a second of counting")],
            details: [
                "Events a second are a line of blocks, a second each. Of each client it shows the slowest subscription.",
                "The key s sorts the clients by lag, requests or bytes; q ends it.",
            ],
            examples: ["storectl top", "storectl top --once"]),
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        var content = TopContent()
        guard invocation.arguments.has("once") else { return try invocation.draw(content) }
        let store = Answerer(try invocation.connect())
        content.add(try content.sample(store))
        guard !Interruption.came(within: .seconds(1), on: invocation.interruption) else { return .interrupted }
        content.add(try content.sample(store))
        let size = Terminal.size(of: STDOUT_FILENO) ?? (80, 24)
        for line in content.lines(columns: size.columns, rows: max(size.rows - 1, 1)) {
            try invocation.output.line(line.text)
        }
        return .done
    }
}

/// The page of `top`.
private struct TopContent: WatchedContent {
    let verb = "top"
    let instead = "top --once"
    private var history = FigureHistory()
    private var sort = FigurePage.Sort.lag

    var keys: String { "q quit   s sorts clients by \(sort.next.rawValue)" }

    func sample(_ store: Answerer) throws(CommandError) -> FigureSample { try FigureSample(store, withClients: true) }

    mutating func add(_ sample: FigureSample) { history.add(sample) }

    mutating func lost() { history.lost() }

    mutating func pressed(_ key: Key) { if key == .character("s") { sort = sort.next } }

    func lines(columns: Int, rows: Int) -> [Line] {
        history.page(.top(by: sort))?.lines(columns: columns, rows: rows) ?? []
    }
}

extension FigureHistory {
    /// Returns the page of the newest sample; nil before there is one.
    fileprivate func page(_ form: FigurePage.Form) -> FigurePage? {
        sample.map { FigurePage(form, $0, after: before, rates) }
    }
}
