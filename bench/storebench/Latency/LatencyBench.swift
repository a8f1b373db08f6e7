import Foundation

/// What one client waits for while other work goes on: `storebench latency`.
enum LatencyBench {
    static func run(_ size: Size, writingTo path: String?) throws(BenchError) {
        let file = try LineFile(writingTo: path)
        file.add(Machine.here(size.form))
        OpenFiles.allow(8_192)
        var all: [Waits] = []
        for situation in Situation.all {
            Progress.show("\(situation.name): getting ready")
            let stage = try Stage(size)
            defer { stage.stop() }
            let scene = try Scene(stage)
            let prepared = try situation.prepare(scene)
            let server = try stage.store()
            let probe = Probe(server, stage.storeLink(server.address))
            usleep(50_000)
            Progress.show("\(situation.name): measuring")
            let beside = try prepared(probe)
            let waits = try probe.finish(situation.name, beside: beside)
            all.append(waits)
            file.add(waits)
            Progress.say("\(waits.situation): \(waits.over10ms) of \(waits.answers) answers took over 10 ms")
        }
        print(LatencyTable.text(all), terminator: "")
    }
}

/// A store with stories in it, and what the situations ask of it.
final class Scene {
    let stage: Stage
    let seconds: Double
    /// How many stories are posted before each checkpoint.
    let batch: Int
    private var posted: Int

    init(_ stage: Stage) throws(BenchError) {
        self.stage = stage
        let stories = max(1_000, stage.size.million / 10)
        seconds = max(0.2, stage.size.seconds * 3)
        batch = max(500, stage.size.million / 50)
        posted = stories
        try stage.fillStore(.users, Content.users)
        try stage.fillStore(.post, stories)
        try ask("CHECKPOINT")
    }

    func path() throws(BenchError) -> String { try stage.store().address }

    func ask(_ line: String) throws(BenchError) {
        guard Link(try path(), StoreDialect()).ask(line) else { throw BenchError("\(line) was refused") }
    }

    func links(_ count: Int) throws(BenchError) -> [Link] {
        let path = try path()
        return (0..<count).map { _ in Link(path, StoreDialect()) }
    }

    /// Posts stories that nobody asks for.
    func post(_ count: Int) throws(BenchError) {
        let load = Load(try links(1), .post, inflight: 200, from: posted)
        load.run(requests: count)
        posted = load.next
        guard load.failures == 0 else { throw BenchError("\(load.failures) stories were refused") }
    }

    /// Does something again and again while the probe records, for the situation's time; says how often, and how long.
    func repeated(
        _ what: String, _ probe: Probe, before: () throws(BenchError) -> Void = {},
        _ work: (Int) throws(BenchError) -> Void
    ) throws(BenchError) -> String {
        let end = Clock.now() + UInt64(seconds * 1e9)
        var took: [Double] = []
        repeat {
            try before()
            let began = Clock.now()
            try probe.record { () throws(BenchError) in try work(took.count) }
            took.append(Clock.seconds(since: began) * 1e6)
        } while Clock.now() < end
        let middle = Table.duration(took.sorted()[took.count / 2])
        return took.count == 1 ? "1 \(what) of \(middle)" : "\(took.count) \(what)s of \(middle)"
    }

    /// Keeps clients writing while the probe records; says how many events a second they wrote.
    func writing(_ work: Work, _ clients: [Link], inflight: Int, _ probe: Probe) throws(BenchError) -> String {
        let load = Load(clients, work, inflight: inflight, from: work == .post ? posted : 0)
        let seconds = seconds
        let took = try probe.record { () throws(BenchError) in load.run(seconds: seconds) }
        guard load.failures == 0 else { throw BenchError("\(load.failures) writes were refused") }
        return "\(Verdict.text(Double(load.latencies.count) / took)) events/s"
    }
}

/// How many files this program and those that it starts may have open.
enum OpenFiles {
    /// Raises the limit to this, or as far as the system lets.
    static func allow(_ count: Int) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(count) else {
            return
        }
        limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
