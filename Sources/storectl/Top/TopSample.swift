import StoryClient

/// The daemon's figures at one moment, as `top` shows them.
struct TopSample: Equatable, Sendable {
    /// The requests of one verb since the daemon's start.
    struct Requests: Equatable, Sendable {
        let verb: String
        let count: UInt64
        /// The latency in microseconds.
        let median: Double
        let slowest: Double
    }

    /// A client, and its slowest subscription.
    struct Client: Equatable, Sendable {
        let number: UInt64
        let pid: UInt64
        let verb: String
        let requests: UInt64
        let sent: UInt64
        let lag: UInt64
        /// The target and phase of the slowest subscription; nil where there is none.
        let slowest: String?
    }

    let time: ContinuousClock.Instant
    let server: String
    let data: String
    let uptime: UInt64
    let position: UInt64
    let checkpointed: UInt64
    let errors: UInt64
    let requests: [Requests]
    let commitMedian: Double
    let commitSlowest: Double
    let turnSlowest: Double?
    let log: UInt64
    let models: UInt64
    let free: UInt64
    let memory: UInt64
    let buffered: UInt64
    let waiting: UInt64
    let subscriptions: UInt64
    let lag: UInt64
    /// The conditions that hold.
    let conditions: [String]
    /// The part of a replica or a node.
    let standing: StandingText?
    let clients: [Client]

    /// Reads the daemon's replies.
    ///
    /// - Parameters:
    ///   - stats: the reply to `STATS`.
    ///   - metrics: the text of `METRICS`.
    ///   - clients: the rows of `CLIENTS`.
    init(stats: JSONValue, metrics: String, clients: [JSONValue], at time: ContinuousClock.Instant) {
        let samples = MetricsText(openMetrics: metrics).samples
        self.time = time
        server = stats.server?.stringValue ?? "a store"
        data = stats.data?.stringValue ?? "?"
        uptime = stats.uptime.whole
        position = stats.position.whole
        checkpointed = stats.checkpointed.whole
        errors = stats.errors.whole
        requests = TopSample.requests(stats.verbs)
        commitMedian = stats.commits?.p50us.decimal ?? 0
        commitSlowest = stats.commits?.p99us.decimal ?? 0
        turnSlowest = TopSample.percentile(0.99, of: "storykeep_turn_duration_seconds", in: samples)
        log = stats.sizes?.log.whole ?? 0
        models = stats.sizes?.models.whole ?? 0
        memory = stats.sizes?.memory.whole ?? 0
        buffered = stats.sizes?.buffered.whole ?? 0
        free = TopSample.whole("storykeep_disk_free_bytes", in: samples)
        waiting = TopSample.whole("storykeep_waiting_bytes", in: samples)
        subscriptions = stats.subscriptions?.count.whole ?? 0
        lag = stats.subscriptions?.maxLag.whole ?? 0
        conditions = MetricsText.conditions(samples).map(\.name)
        standing = stats.cluster.flatMap { StandingText($0) }
        self.clients = clients.map(TopSample.client)
    }

    private static func requests(_ verbs: JSONValue?) -> [Requests] {
        guard case .object(let members) = verbs else { return [] }
        return members.map { verb, figures in
            Requests(
                verb: verb, count: figures.count.whole, median: figures.p50us.decimal, slowest: figures.p99us.decimal)
        }.sorted { ($1.count, $0.verb) < ($0.count, $1.verb) }
    }

    private static func client(_ row: JSONValue) -> Client {
        var all: [JSONValue] = []
        if case .array(let told) = row.subscriptions { all = told }
        let slowest = all.max { $0.lag.whole < $1.lag.whole }
        return Client(
            number: row.client.whole, pid: row.pid.whole, verb: row.verb?.stringValue ?? "",
            requests: row.requests.whole, sent: row.sent.whole, lag: slowest?.lag.whole ?? 0,
            slowest: slowest.map { "\($0.target?.stringValue ?? "") \($0.phase?.stringValue ?? "")" })
    }

    /// Returns the upper bound of the bucket with the percentile of all durations, in microseconds; nil when there are
    /// none, or the bucket is the last one.
    private static func percentile(_ part: Double, of name: String, in samples: [String: Double]) -> Double? {
        let prefix = "\(name)_bucket{le=\""
        let buckets = samples.filter { $0.key.hasPrefix(prefix) }
            .compactMap { key, count in Double(key.dropFirst(prefix.count).dropLast(2)).map { ($0, count) } }
            .sorted { $0.0 < $1.0 }
        guard let all = buckets.last?.1, all > 0 else { return nil }
        return buckets.first { $0.1 >= all * part && $0.0.isFinite }.map { $0.0 * 1_000_000 }
    }

    private static func whole(_ name: String, in samples: [String: Double]) -> UInt64 {
        UInt64(max(0, min(samples[name] ?? 0, 1e18)))
    }
}

extension StandingText {
    fileprivate init?(_ cluster: JSONValue) {
        guard let state = cluster.state?.stringValue else { return nil }
        self.init(
            log: cluster.log?.stringValue, node: cluster.node?.stringValue, state: state,
            leader: cluster.leader?.stringValue, address: cluster.address?.stringValue,
            lag: cluster.lag?.integerValue.map { UInt64(clamping: $0) },
            silence: cluster.silence.map { Optional($0).decimal })
    }
}

extension JSONValue? {
    /// The number, if it is a whole one and at least 0; else 0.
    fileprivate var whole: UInt64 { UInt64(clamping: self?.integerValue ?? 0) }

    /// The number; 0 when it is not one.
    fileprivate var decimal: Double {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object, nil: 0
        }
    }
}
