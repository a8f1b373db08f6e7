import Glibc
import StoryCore
import StoryEngine
import StoryLog
import StoryModels
import StoryReactor

/// What `STATS` tells.
struct Stats {
    private let dependency: ServerDependency
    private let connections: Connections
    private let checkpoints: Checkpoints
    private let publishing: Publishing

    init(
        _ dependency: ServerDependency, _ connections: Connections, _ checkpoints: Checkpoints,
        _ publishing: Publishing
    ) {
        self.dependency = dependency
        self.connections = connections
        self.checkpoints = checkpoints
        self.publishing = publishing
    }

    private var figures: Figures { dependency.figures }

    /// - Parameter durable: the last event that is durable.
    func report(durable: Position) -> [Member] {
        [
            Member("server", .text(ProgramVersion.daemon)),
            Member("position", .count(durable.value)),
            Member("checkpointed", .count(checkpoints.checkpointed.value)),
            Member("data", .text(dependency.configuration.data)),
            Member("durable", .text(dependency.durability.rawValue)),
            Member("rows", .object(rowCounts())),
            Member("sizes", .object(sizes())),
            Member("rates", .object([Member("eventsPerSecond", .count(figures.eventsPerSecond))])),
            Member("commits", .object(durations(figures.commits, figures.commits.count))),
            Member("verbs", .object(verbs())),
            Member("folds", .object(folds())),
            Member("connections", .count(UInt64(connections.count))),
            Member("subscriptions", .object(subscriptions(durable))),
            Member("errors", .count(figures.errors)),
            Member("checkpoints", .count(checkpoints.count)),
            Member("uptime", .count(figures.uptimeSeconds)),
        ]
    }

    private func rowCounts() -> [Member] {
        Catalogue.standard.kinds.map { Member($0.name, .count(rowCount($0))) }
    }

    /// 0 where the models cannot be read, which stops the loop soon.
    private func rowCount(_ kind: KindSchema) -> UInt64 {
        guard case .tally(let key, _) = QueryPlan(kind, []).count else { return 0 }
        do throws(StorageError) { return try RowLookup(dependency.models).count(kind, at: key) } catch { return 0 }
    }

    private func sizes() -> [Member] {
        [
            Member("log", .count(UInt64(clamping: dependency.log.bytes))),
            Member("models", .count(UInt64(clamping: dependency.models.storedBytes))),
            Member("memory", .count(ProcessMemory.anonymous())),
            Member("buffered", .count(UInt64(clamping: dependency.models.bufferedBytes))),
        ]
    }

    private func verbs() -> [Member] {
        Verb.allCases.compactMap { verb in
            figures.durations(of: verb).map { Member(verb.rawValue, .object(durations($0, figures.count(of: verb)))) }
        }
    }

    private func folds() -> [Member] {
        let kinds: [KindSchema?] = Catalogue.standard.kinds + [nil]
        return kinds.compactMap { schema in
            figures.foldDurations(of: schema?.kind).map {
                Member(schema?.name ?? "own", .object(durations($0, dependency.foldTimer.count(of: schema?.kind))))
            }
        }
    }

    private func durations(_ histogram: Histogram, _ count: UInt64) -> [Member] {
        func microseconds(_ part: Double) -> MemberValue { .number(Double(histogram.percentile(part)) / 1_000) }
        return [
            Member("count", .count(count)), Member("p50us", microseconds(0.5)),
            Member("p99us", microseconds(0.99)), Member("p999us", microseconds(0.999)),
        ]
    }

    private func subscriptions(_ durable: Position) -> [Member] {
        var (count, lag): (UInt64, UInt64) = (0, 0)
        for connection in connections.all {
            count += UInt64(connection.session.subscriptionCount)
            lag = max(lag, connection.session.lag(head: durable, published: publishing.published))
        }
        return [
            Member("count", .count(count)), Member("maxLag", .count(lag)),
            Member("rowChanges", .count(publishing.rowChanges)),
        ]
    }
}

/// What the kernel says of this process.
enum ProcessMemory {
    /// Bytes that are not the file map; 0 where the kernel does not tell.
    static func anonymous() -> UInt64 {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix("RssAnon:") else { continue }
            let digits = text.filter { $0.isASCII && $0.isNumber }
            return (UInt64(digits) ?? 0) * 1_024
        }
        return 0
    }
}
