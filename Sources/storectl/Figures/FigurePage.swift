import StoryBrowser
import StoryClient
import StoryCore

/// The page of the daemon's figures.
struct FigurePage {
    /// The selection of figures.
    enum Form {
        /// The figures of `STATS`.
        case stats
        /// Rates, latencies and clients, for 80 columns and 23 rows or more.
        case top(by: Sort)
    }

    /// The figure that clients are sorted by, the greatest first.
    enum Sort: String {
        case lag, requests, bytes

        var next: Sort {
            switch self {
            case .lag: .requests
            case .requests: .bytes
            case .bytes: .lag
            }
        }
    }

    /// The widths of the name of a verb, and of a figure.
    private static let (verbWidth, figureWidth) = (13, 11)

    private let form: Form
    private let sample: FigureSample
    /// The sample before; nil when there is none, and so no rates of requests.
    private let before: FigureSample?
    /// The events per second of the last minute; empty when they were not counted.
    private let rates: [Double]

    init(_ form: Form, _ sample: FigureSample, after before: FigureSample?, _ rates: [Double] = []) {
        (self.form, self.sample, self.before, self.rates) = (form, sample, before, rates)
    }

    /// Returns the page, in at most the given number of columns and rows.
    func lines(columns: Int, rows: Int) -> [Line] {
        let lines =
            switch form {
            case .stats: stats(rows: rows)
            case .top(let sort): top(columns: columns, rows: rows, by: sort)
            }
        return lines.prefix(rows).map { $0.cut(to: columns) }
    }

    // MARK: Stats

    private func stats(rows: Int) -> [Line] {
        let conditions = conditions.enumerated().map { line($0 == 0 ? "conditions" : "", $1) }
        let facts = [title] + conditions + standing + setAside + statsFacts
        let room = rows - facts.count - 2
        let table = requests(["p50", "p99", "p99.9"], hasRates: before != nil, room: room)
        return facts + (room > 0 ? [Line()] + table : [])
    }

    private var statsFacts: [Line] {
        let rows = sample.figures["rows"]?.fields.map { "\($0.value.shown) \(Shown.safe($0.name))" } ?? []
        return [
            position,
            line("events", "\(eventsPerSecond)/s" + (rates.isEmpty ? "" : "  " + Sparkline.text(rates, columns: 50))),
            line("rows", rows.joined(separator: ", ")),
            line("disk", disk),
            line("memory", memory),
            line("connections", "\(sample.count("connections")), \(subscriptions)"),
            line("commits", "\(sample.members("commits").whole("count")), \(commits)"),
            line("errors", "\(sample.count("errors")), checkpoints \(sample.count("checkpoints"))" + scrub),
        ]
    }

    /// A line for each condition of the daemon; none of an older daemon, which does not tell.
    private var conditions: [Line] {
        guard sample.figures["conditions"] != nil else { return [] }
        let lines = ConditionText.lines(ConditionText.names(sample.figures["conditions"]))
        return lines.isEmpty ? [Line("none")] : lines
    }

    /// The events per second since the previous sample; without one, the daemon's own count of its last second.
    private var eventsPerSecond: UInt64 {
        guard let before else { return sample.members("rates").whole("eventsPerSecond") }
        return sample.rate(sample.count("position"), since: before, before.count("position")) ?? 0
    }

    /// The time of the last round of the scrub; empty before the first.
    private var scrub: String {
        let scrubs = sample.members("scrubs")
        guard let age = scrubs["age"]?.whole, scrubs.whole("count") > 0 else { return "" }
        return ", models scrubbed \(Units.time(seconds: Double(age))) ago"
    }

    // MARK: Top

    private func top(columns: Int, rows: Int, by sort: Sort) -> [Line] {
        let facts = [title] + standing + topFacts(columns: columns) + setAside + [heldConditions, Line()]
        let verbs = sample.figures["verbs"]?.fields.count ?? 0
        // One line is not for the tables: the empty one between them. Each table has a heading.
        let room = max(4, rows - facts.count - 1)
        let clientRows = max(2, min(sample.clients.count + 1, room - min(verbs + 1, room / 2)))
        let requests = requests(["p50", "p99"], hasRates: true, room: room - clientRows - 1)
        let tables = [requests, clients(by: sort, room: clientRows - 1)].map { lines in
            lines.enumerated().map { $0 == 0 ? $1.styled(.dim) : $1 }
        }
        return facts + tables[0] + [Line()] + tables[1]
    }

    private func topFacts(columns: Int) -> [Line] {
        let rate = rates.last.map { "\(UInt64($0.rounded()))/s" } ?? "-"
        let pad = String(repeating: " ", count: max(1, 10 - rate.count))
        let turns = MetricsText.percentile(0.99, of: "storykeep_turn_duration_seconds", in: sample.metrics)
        let free = MetricsText.count(sample.metrics["storykeep_disk_free_bytes"])
        let kept = sample.members("sizes").whole("clients")
        return [
            line("events", rate + pad + Sparkline.text(rates, columns: max(10, min(60, columns - 22)))),
            position,
            line("commits", "\(commits); turns p99 " + (turns.map { "≤ " + Units.latency(microseconds: $0) } ?? "-")),
            line("disk", "\(disk), \(Units.bytes(free)) free"),
            line("memory", "\(memory), kept for clients \(Units.bytes(kept))"),
            line("clients", "\(sample.clients.count), \(subscriptions), errors \(sample.count("errors"))"),
        ]
    }

    /// The names of the conditions that hold, on one line.
    private var heldConditions: Line {
        let all = MetricsText.conditions(sample.metrics).map(\.name).joined(separator: ", ")
        return line("conditions", all.isEmpty ? Line("none") : Line(all, [.red, .bold]))
    }

    /// Returns a table of the clients, with at most the given number of rows below its heading.
    private func clients(by sort: Sort, room: Int) -> [Line] {
        let key: (FigureSample.Client) -> UInt64 =
            switch sort {
            case .lag: { $0.lag }
            case .requests: { $0.requests }
            case .bytes: { $0.sent }
            }
        let sorted = sample.clients.sorted { (key($1), $0.number) < (key($0), $1.number) }
        let rows = sorted.prefix(room).map { client in
            let names = ["\(client.number)", client.pid > 0 ? "\(client.pid)" : "-", client.verb]
            let figures = [
                "\(client.requests)", Units.bytes(client.sent), client.slowest == nil ? "-" : "\(client.lag)",
            ]
            return FigurePage.row(names, figures, client.slowest ?? "")
        }
        let figures = ["requests", "sent", "lag"]
        return [FigurePage.row(["client", "pid", "last"], figures, "slowest subscription")] + rows
    }

    /// Returns a row of a client: its names, its figures, and its slowest subscription.
    private static func row(_ names: [String], _ figures: [String], _ slowest: String) -> Line {
        var line = Line()
        for (name, width) in zip(names, [8, 8, 12]) { line.add(name, columns: width) }
        for figure in figures { line.add(String(repeating: " ", count: max(1, 10 - Shown.width(figure))) + figure) }
        line.add("  " + slowest)
        return line
    }
}

// The lines of both pages.
extension FigurePage {
    private var title: Line {
        let up = sample.figures["uptime"]?.whole.map { ", up \(Units.time(seconds: Double($0)))" } ?? ""
        return Line("\(sample.figures["server"]?.shown ?? "a store") at \(sample.figures["data"]?.shown ?? "?")\(up)")
    }

    private var labelWidth: Int {
        switch form {
        case .stats: 13
        case .top: 12
        }
    }

    private func line(_ name: String, _ text: String) -> Line { line(name, Line(text)) }

    private func line(_ name: String, _ value: Line) -> Line {
        var line = Line()
        line.add(name, columns: labelWidth)
        for span in value.spans { line.add(span.text, span.style) }
        return line
    }

    /// The part of a replica or a node.
    private var standing: [Line] { StandingText(sample.members("cluster")).map { [line("cluster", $0.text)] } ?? [] }

    /// The events that did not fit a model, and those that workers parked; no line where there are none.
    private var setAside: [Line] {
        var parts = MetricsText.misfits(sample.metrics).map { model, count in
            Grouped.count(count, "misfit") + " in " + Shown.safe(model)
        }
        let parked = MetricsText.count(sample.metrics["storykeep_cursor_parked_events"])
        if parked > 0 { parts.append(Grouped.count(parked, "parked event")) }
        return parts.isEmpty ? [] : [line("set aside", Line(parts.joined(separator: ", "), .yellow))]
    }

    private var position: Line {
        line("position", "\(sample.count("position")), models stored at \(sample.count("checkpointed"))")
    }

    private var disk: String {
        let sizes = sample.members("sizes")
        return "log \(Units.bytes(sizes.whole("log"))), models \(Units.bytes(sizes.whole("models")))"
    }

    private var memory: String {
        let sizes = sample.members("sizes")
        return
            "\(sizes["memory"]?.whole.map(Units.bytes) ?? "unknown"), buffered \(Units.bytes(sizes.whole("buffered")))"
    }

    private var subscriptions: String {
        let all = sample.members("subscriptions")
        return "subscriptions \(all.whole("count")), slowest lag \(all.whole("maxLag")) events"
    }

    private var commits: String {
        let all = sample.members("commits")
        return "p50 \(FigurePage.latency(all["p50us"])), p99 \(FigurePage.latency(all["p99us"]))"
    }

    /// Returns a table of the verbs, the most frequent first, with at most the given number of rows below its heading.
    ///
    /// - Parameter percentiles: the latencies that are shown.
    private func requests(_ percentiles: [String], hasRates: Bool, room: Int) -> [Line] {
        let all = (sample.figures["verbs"]?.fields ?? []).map { (name: $0.name, figures: $0.value.members) }
        let sorted = all.sorted { $0.figures.whole("count") > $1.figures.whole("count") }
        let isCut = sorted.count > room
        let shown = sorted.prefix(max(0, isCut ? room - 1 : room)).map { name, figures in
            let latencies = percentiles.map { FigurePage.latency(figures[$0.filter { $0 != "." } + "us"]) }
            return row(name, ["\(figures.whole("count"))"] + (hasRates ? [rate(name, figures)] : []) + latencies)
        }
        let rest = isCut ? [Line("and \(sorted.count - shown.count) more verbs; storectl stats --all has them")] : []
        return [row("requests", ["count"] + (hasRates ? ["/s"] : []) + percentiles)] + shown + rest
    }

    private func row(_ name: String, _ figures: [String]) -> Line {
        var line = Line()
        line.add(name, columns: FigurePage.verbWidth)
        for figure in figures {
            let width = FigurePage.figureWidth - Shown.width(figure)
            line.add(String(repeating: " ", count: max(0, width)) + figure)
        }
        return line
    }

    /// Returns the requests of a verb per second since the previous sample; `-` where they are not known.
    private func rate(_ name: String, _ figures: [String: ShownJSON]) -> String {
        guard let before else { return "-" }
        let then = before.members("verbs")[name]?.members.whole("count") ?? 0
        return sample.rate(figures.whole("count"), since: before, then).map { "\($0)" } ?? "-"
    }

    private static func latency(_ value: ShownJSON?) -> String {
        value.flatMap { Double($0.json) }.map { Units.latency(microseconds: $0) } ?? "-"
    }
}

/// The figures of the last minute as a line of blocks.
enum Sparkline {
    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Returns a block for each of the last values: a full block for the greatest, the lowest block for 0.
    static func text(_ values: [Double], columns: Int) -> String {
        let shown = values.suffix(columns)
        let greatest = shown.max() ?? 0
        return String(
            shown.map { value in
                guard greatest > 0, value > 0 else { return blocks[0] }
                return blocks[min(blocks.count - 1, 1 + Int(value / greatest * Double(blocks.count - 2)))]
            })
    }
}
