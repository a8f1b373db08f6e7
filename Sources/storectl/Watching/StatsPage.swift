import StoryBrowser
import StoryClient

/// The figures of one `STATS`, and the time when they came.
struct StatsSample {
    let figures: [String: ShownJSON]
    let time = ContinuousClock.now

    /// Reads a reply; nil when it is not an object.
    init?(_ reply: StoreReply) {
        guard let object = ShownJSON(reply.final.json), object.isObject else { return nil }
        figures = object.members
    }

    func count(_ name: String) -> UInt64 { figures[name]?.whole ?? 0 }
    func members(_ name: String) -> [String: ShownJSON] { figures[name]?.members ?? [:] }

    /// Returns the growth of a count per second since another sample; nil when another daemon began the count again.
    func rate(_ count: UInt64, since before: StatsSample, _ then: UInt64) -> UInt64? {
        let seconds = (time - before.time).inSeconds
        guard count >= then, seconds > 0 else { return nil }
        return UInt64((Double(count - then) / seconds).rounded())
    }
}

/// The most important figures of the daemon on one screen.
struct StatsPage {
    private static let labelWidth = 13
    private static let verbWidth = 13
    private static let figureWidth = 11

    private let sample: StatsSample
    /// The previous sample; nil when there is none, and so no rates of requests.
    private let before: StatsSample?
    /// The events per second of the last minute; empty when they were not counted.
    private let rates: [Double]

    init(_ sample: StatsSample, after before: StatsSample?, _ rates: [Double] = []) {
        (self.sample, self.before, self.rates) = (sample, before, rates)
    }

    /// Returns the page, in at most the given number of columns and rows.
    func lines(columns: Int, rows: Int) -> [Line] {
        let conditions = conditions.enumerated().map { line($0 == 0 ? "conditions" : "", $1) }
        let facts = [Line(title)] + conditions + self.facts.map { line($0.name, Line($0.value)) }
        let room = rows - facts.count - 2
        let rest = room > 0 ? [Line()] + verbs(room: room).map { Line($0) } : []
        return (facts + rest).prefix(rows).map { $0.cut(to: columns) }
    }

    private func line(_ name: String, _ value: Line) -> Line {
        var line = Line(StatsPage.padded(name, StatsPage.labelWidth))
        for span in value.spans { line.add(span.text, span.style) }
        return line
    }

    private var title: String {
        let up = sample.figures["uptime"]?.whole.map { ", up \(Units.time(seconds: Double($0)))" } ?? ""
        return "\(sample.figures["server"]?.shown ?? "a store") at \(sample.figures["data"]?.shown ?? "?")\(up)"
    }

    private var facts: [(name: String, value: String)] {
        let (sizes, subscriptions) = (sample.members("sizes"), sample.members("subscriptions"))
        let rows = sample.figures["rows"]?.fields.map { "\($0.value.shown) \(Shown.safe($0.name))" } ?? []
        let commits = sample.members("commits")
        let (log, models) = (sizes["log"]?.whole ?? 0, sizes["models"]?.whole ?? 0)
        return standing + [
            ("position", "\(sample.count("position")), models stored at \(sample.count("checkpointed"))"),
            ("events", "\(eventsPerSecond)/s" + (rates.isEmpty ? "" : "  " + Sparkline.text(rates, columns: 50))),
            ("rows", rows.joined(separator: ", ")),
            ("disk", "log \(Units.bytes(log)), models \(Units.bytes(models))"),
            (
                "memory",
                "\(sizes["memory"]?.whole.map(Units.bytes) ?? "unknown"), buffered \(Units.bytes(sizes["buffered"]?.whole ?? 0))"
            ),
            (
                "connections",
                "\(sample.count("connections")), subscriptions \(subscriptions["count"]?.whole ?? 0), "
                    + "slowest lag \(subscriptions["maxLag"]?.whole ?? 0) events"
            ),
            (
                "commits",
                "\(commits["count"]?.whole ?? 0), p50 \(StatsPage.latency(commits["p50us"])), "
                    + "p99 \(StatsPage.latency(commits["p99us"]))"
            ),
            ("errors", "\(sample.count("errors")), checkpoints \(sample.count("checkpoints"))" + scrub),
        ]
    }

    /// The time of the last round of the scrub; empty before the first.
    private var scrub: String {
        let scrubs = sample.members("scrubs")
        guard let age = scrubs["age"]?.whole, scrubs["count"]?.whole ?? 0 > 0 else { return "" }
        return ", models scrubbed \(Units.time(seconds: Double(age))) ago"
    }

    /// A line for each condition of the daemon; none of an older daemon, which does not tell.
    private var conditions: [Line] {
        guard sample.figures["conditions"] != nil else { return [] }
        let lines = ConditionText.lines(ConditionText.names(sample.figures["conditions"]))
        return lines.isEmpty ? [Line("none")] : lines
    }

    /// The part of a replica or a node.
    private var standing: [(name: String, value: String)] {
        StandingText(sample.members("cluster")).map { [("cluster", $0.text)] } ?? []
    }

    /// The events per second since the previous sample; without one, the daemon's own count of its last second.
    private var eventsPerSecond: UInt64 {
        guard let before else { return sample.members("rates")["eventsPerSecond"]?.whole ?? 0 }
        return sample.rate(sample.count("position"), since: before, before.count("position")) ?? 0
    }

    /// Returns a table of the verbs, the most frequent first.
    private func verbs(room: Int) -> [String] {
        let all = (sample.figures["verbs"]?.fields ?? []).map { (name: $0.name, figures: $0.value.members) }
        let sorted = all.sorted { ($0.figures["count"]?.whole ?? 0) > ($1.figures["count"]?.whole ?? 0) }
        let isCut = sorted.count > room
        let shown = sorted.prefix(isCut ? room - 1 : room).map { name, figures in
            row(name, ["\(figures["count"]?.whole ?? 0)"] + rate(name, figures) + latencies(figures))
        }
        let heading = row("requests", ["count"] + (before == nil ? [] : ["/s"]) + ["p50", "p99", "p99.9"])
        let rest = isCut ? ["and \(sorted.count - shown.count) more verbs; storectl stats --all has them"] : []
        return [heading] + shown + rest
    }

    private func row(_ name: String, _ figures: [String]) -> String {
        StatsPage.padded(Shown.safe(name), StatsPage.verbWidth)
            + figures.map { StatsPage.padded($0, StatsPage.figureWidth, isRight: true) }.joined()
    }

    private func rate(_ name: String, _ figures: [String: ShownJSON]) -> [String] {
        guard let before else { return [] }
        let (now, then) = (figures["count"]?.whole ?? 0, before.members("verbs")[name]?.members["count"]?.whole ?? 0)
        return [sample.rate(now, since: before, then).map { "\($0)" } ?? "-"]
    }

    private func latencies(_ figures: [String: ShownJSON]) -> [String] {
        ["p50us", "p99us", "p999us"].map { StatsPage.latency(figures[$0]) }
    }

    private static func latency(_ value: ShownJSON?) -> String {
        value.flatMap { Double($0.json) }.map { Units.latency(microseconds: $0) } ?? "-"
    }
}

extension StatsPage {
    /// Returns a text padded with spaces to a width.
    fileprivate static func padded(_ text: String, _ width: Int, isRight: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - Shown.width(text)))
        return isRight ? spaces + text : text + spaces
    }
}
