import StoryCore
import StoryEngine
import StoryWire

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
