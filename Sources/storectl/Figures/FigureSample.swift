import StoryClient

/// The figures of the daemon at one moment: those of `STATS` and `METRICS`, and on a page with clients those of `CLIENTS`.
struct FigureSample {
    /// A client, and its slowest subscription.
    struct Client {
        let number: UInt64
        let pid: UInt64
        let verb: String
        let requests: UInt64
        let sent: UInt64
        let lag: UInt64
        /// The target and phase of the slowest subscription; nil where there is none.
        let slowest: String?

        fileprivate init(_ row: [String: ShownJSON]) {
            (number, pid, verb) = (row.whole("client"), row.whole("pid"), row["verb"]?.text ?? "")
            (requests, sent) = (row.whole("requests"), row.whole("sent"))
            let subscriptions = row["subscriptions"]?.fields.map(\.value.members) ?? []
            let slowest = subscriptions.max { $0.whole("lag") < $1.whole("lag") }
            lag = slowest?.whole("lag") ?? 0
            self.slowest = slowest.map { "\($0["target"]?.text ?? "") \($0["phase"]?.text ?? "")" }
        }
    }

    /// The reply to `STATS`.
    let reply: ReplyLine
    /// Its members; none where it is not an object.
    let figures: [String: ShownJSON]
    /// The samples of `METRICS`, by their names and labels.
    let metrics: [String: Double]
    let clients: [Client]
    let time: ContinuousClock.Instant

    /// Asks for the figures.
    ///
    /// - Parameter withClients: true to ask for `CLIENTS` as well.
    init(_ store: Answerer, withClients: Bool) throws(CommandError) {
        metrics = MetricsText(try MetricsRun.ask(store)).samples
        clients = withClients ? try store.ask("CLIENTS").rows.map { Client(ShownJSON($0.json)?.members ?? [:]) } : []
        reply = try store.ask("STATS").final
        figures = ShownJSON(reply.json)?.members ?? [:]
        time = .now
    }

    func count(_ name: String) -> UInt64 { figures.whole(name) }
    func members(_ name: String) -> [String: ShownJSON] { figures[name]?.members ?? [:] }

    /// Returns the growth of a count per second since another sample; nil when another daemon began the count again.
    func rate(_ count: UInt64, since before: FigureSample, _ then: UInt64) -> UInt64? {
        let seconds = (time - before.time).inSeconds
        guard count >= then, seconds > 0 else { return nil }
        return UInt64((Double(count - then) / seconds).rounded())
    }
}

extension [String: ShownJSON] {
    /// Returns a member that is a whole number; 0 for another one.
    func whole(_ name: String) -> UInt64 { self[name]?.whole ?? 0 }
}

/// The newest samples, and the positions of the last minute.
struct FigureHistory {
    /// The number of positions that are kept, one for each second.
    private static let remembered = 61

    private(set) var sample: FigureSample?
    /// The sample before; nil when there is none, and so no rates of requests.
    private(set) var before: FigureSample?
    /// Times and positions, the oldest first.
    private var positions: [(time: ContinuousClock.Instant, count: UInt64)] = []

    mutating func add(_ sample: FigureSample) {
        // Another daemon begins its counts again.
        if let last = self.sample, sample.count("uptime") < last.count("uptime") { positions = [] }
        (before, self.sample) = (self.sample, sample)
        positions = (positions + [(sample.time, sample.count("position"))]).suffix(FigureHistory.remembered)
    }

    /// Notes that the store is lost, so that the next sample may be another one's.
    mutating func lost() { before = nil }

    /// The events per second between each two samples.
    var rates: [Double] {
        zip(positions, positions.dropFirst()).map { before, after in
            let seconds = (after.time - before.time).inSeconds
            guard seconds > 0, after.count >= before.count else { return 0 }
            return Double(after.count - before.count) / seconds
        }
    }
}
