import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// An answer that visits every connection, a few per step, and then reports the daemon's figures.
///
/// The answer waits for no commit, so that it reports one that hangs.
final class Survey: AnswerCursor {
    /// The kind of report at the end.
    enum Purpose {
        case report, metrics
    }

    private let purpose: Purpose
    private let connections: Connections
    private let publishing: PushScheduler
    private let source: (ConnectionSums) -> FigureSource
    private var walk: ConnectionWalk
    private var sums = ConnectionSums()

    init(
        _ purpose: Purpose, _ connections: Connections, _ publishing: PushScheduler,
        _ source: @escaping (ConnectionSums) -> FigureSource
    ) {
        (self.purpose, self.connections, self.publishing, self.source) = (purpose, connections, publishing, source)
        walk = ConnectionWalk(connections.all.map(\.id))
    }

    var isShort: Bool { true }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        while let connection = walk.next(of: connections) {
            lines.spend(.record + (connection.conversation?.session.active.count ?? 0) * .link)
            sums.add(connection, published: publishing.published)
            if lines.isSpent { return .more }
        }
        let source = source(sums)
        switch purpose {
        case .report: return .ended(.done(.members(Stats(source).report)), restsOn: .zero)
        case .metrics:
            for figure in FigureTable.all {
                let text = Metrics.text(of: figure, source)
                lines.row(.line([Member("family", .text(figure.name)), Member("text", .text(text))]))
            }
            let done = [
                Member("families", .count(UInt64(FigureTable.all.count))),
                Member("position", .count(source.position.value)),
            ]
            return .ended(.done(.members(done)), restsOn: .zero)
        }
    }
}

/// An iterator over the connections of one moment; those that were closed since are skipped.
struct ConnectionWalk {
    private let ids: [ConnectionID]
    private var index = 0

    init(_ ids: [ConnectionID]) { self.ids = ids }

    var isEmpty: Bool { ids.isEmpty }

    /// Returns the next connection; nil after the last.
    mutating func next(of connections: Connections) -> Connection? {
        while index < ids.count {
            defer { index += 1 }
            if let connection = connections[ids[index]] { return connection }
        }
        return nil
    }
}

/// The answer to `STATS`: the figures for a person. It rests on durable events alone.
struct Stats {
    private let source: FigureSource

    init(_ source: FigureSource) { self.source = source }

    private var figures: Figures { source.figures }

    /// The members of the answer.
    var report: [Member] {
        [
            Member("server", .text(ProgramVersion.daemon)),
            Member("position", .count(source.position.value)),
            Member("checkpointed", .count(source.checkpoints.checkpointed.value)),
            Member("data", .text(source.data)),
            Member("durable", .text(source.durability.rawValue)),
            Member("rows", .object(source.rows.map { Member($0.name, .count($0.count)) })),
            Member("sizes", .object(sizes)),
            Member("rates", .object([Member("eventsPerSecond", .count(figures.eventsPerSecond))])),
            Member("commits", .object(durations(figures.commits, figures.commits.count))),
            Member("verbs", .object(verbs)),
            Member("folds", .object(source.folds.map { Member($0.name, .object(durations($0.durations, $0.count))) })),
            Member("connections", .count(source.sums.connections)),
            Member("subscriptions", .object(subscriptions)),
            Member("errors", .count(figures.errors)),
            Member("checkpoints", .count(source.checkpoints.count)),
            Member("scrubs", .object(scrubs)),
            Member("uptime", .count(figures.uptimeSeconds)), source.conditions.member,
        ] + cluster
    }

    /// The part that the store has among others; nothing for a store of its own.
    private var cluster: [Member] {
        guard let cluster = source.cluster else { return [] }
        var members = cluster.members + cluster.figures(head: source.position)
        if case .node = cluster { members.append(Member("engine", .object(figures.ordering.members))) }
        return [Member("cluster", .object(members))]
    }

    private var scrubs: [Member] {
        [Member("count", .count(figures.scrubs)), Member("age", .count(figures.secondsSinceScrub))]
    }

    private var sizes: [Member] {
        let memory = source.process.anonymousBytes.map { [Member("memory", .count($0))] } ?? []
        return [Member("log", .count(source.logBytes)), Member("models", .count(source.modelBytes))] + memory
            + [Member("clients", .count(source.waitingBytes)), Member("buffered", .count(source.bufferedBytes))]
    }

    private var verbs: [Member] {
        Verb.allCases.compactMap { verb in
            let timed = figures.durations(of: verb)
            guard timed.count > 0 else { return nil }
            return Member(verb.name, .object(durations(timed, figures.count(of: verb))))
        }
    }

    private func durations(_ histogram: Histogram, _ count: UInt64) -> [Member] {
        func microseconds(_ part: Double) -> MemberValue { .number(Double(histogram.percentile(part)) / 1_000) }
        return [
            Member("count", .count(count)), Member("p50us", microseconds(0.5)),
            Member("p99us", microseconds(0.99)), Member("p999us", microseconds(0.999)),
        ]
    }

    private var subscriptions: [Member] {
        let sums = source.sums
        return [
            Member("count", .count(sums.eventSubscriptions + sums.rowSubscriptions)),
            Member("maxLag", .count(sums.lag)),
            Member("rowChanges", .count(source.publishing.rowChanges)),
        ]
    }
}

/// The encoder of `METRICS`: families of metrics as in OpenMetrics 1.0.
enum Metrics {
    /// Returns the text of a family: its type, unit and help, then its samples.
    static func text(of figure: Figure, _ source: FigureSource) -> String {
        var text = "# TYPE \(figure.name) \(figure.kind.rawValue)\n"
        if let unit = figure.unit { text += "# UNIT \(figure.name) \(unit.rawValue)\n" }
        text += "# HELP \(figure.name) \(figure.help)\n"
        switch figure.values(source) {
        case .one(let value): text += "\(figure.sampleName) \(value)\n"
        case .known(let value): if let value { text += "\(figure.sampleName) \(spelled(value))\n" }
        case .decimal(let value): text += "\(figure.sampleName) \(value.isNaN ? "NaN" : "\(value)")\n"
        case .facts(let facts):
            let labels = facts.map { "\($0.label)=\"\($0.value)\"" }.joined(separator: ",")
            text += "\(figure.sampleName){\(labels)} 1\n"
        case .labelled(let values):
            let label = figure.labels.first ?? ""
            for (value, number) in values { text += "\(figure.sampleName){\(label)=\"\(value)\"} \(number)\n" }
        case .durations(let durations): append(durations, Histogram.powers, figure.name, "", to: &text)
        case .labelledDurations(let all, let powers):
            let label = figure.labels.first ?? ""
            for (value, durations) in all {
                append(durations, powers, figure.name, "\(label)=\"\(value)\"", to: &text)
            }
        }
        return text
    }

    /// Returns a number without a fraction where it is a whole one.
    private static func spelled(_ value: Double) -> String {
        UInt64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// Appends the samples of a histogram.
    ///
    /// - Parameter label: a label with its value, or an empty string.
    private static func append(
        _ durations: Histogram, _ powers: Int, _ name: String, _ label: String, to text: inout String
    ) {
        let (before, own) = (label.isEmpty ? "" : label + ",", label.isEmpty ? "" : "{\(label)}")
        let bucket = "\(name)_bucket{\(before)le=\""
        for (end, count) in zip(bucketEnds, durations.cumulative(powers: powers)) {
            append(bucket, end, "\"} ", String(count), to: &text)
        }
        append(bucket, "+Inf\"} ", String(durations.count), to: &text)
        append(name, "_count", own, " \(durations.count)", to: &text)
        append(name, "_sum", own, " \(Double(durations.sum) / 1_000_000_000)", to: &text)
    }

    /// The upper ends of the buckets in seconds, encoded once, since each is written in some hundred samples.
    private static let bucketEnds = (0...Histogram.powers).map { "\(Histogram.end(ofPower: $0))" }

    /// Appends a line, piece by piece, since interpolation would copy each line once more.
    private static func append(_ pieces: String..., to text: inout String) {
        for piece in pieces { text += piece }
        text += "\n"
    }
}
