import Glibc

/// The builds of a model on a store that has the events, each after the one before it was undefined.
struct ModelBuilds {
    private let stage: Stage
    private let model: String
    private let server: Service
    private let control: Link

    /// Fills the store the first time.
    ///
    /// - Parameter work: the events that the store has, each of which the model reads.
    init(_ stage: Stage, _ model: String = "orders", of work: Work = .order) throws(BenchError) {
        (self.stage, self.model) = (stage, model)
        let name = "\(work.rawValue) alone"
        if stage.isFirst("events for \(name)") {
            try stage.fillStore(work, stage.size.million, on: name)
            try stage.checkpoint(name)
        }
        server = try stage.store(name)
        control = stage.storeLink(server.address)
    }

    /// The events that a build folds in a second, from the request until the model answers.
    func eventsPerSecond() throws(BenchError) -> Double {
        let began = Clock.now()
        try define()
        let ready = Readiness(stage.storeLink(server.address), model)
        while !ready.isReached { usleep(500) }
        let seconds = Clock.seconds(since: began)
        try undefine()
        return Double(stage.size.million) / seconds
    }

    /// The longest wait of a client that sends one `PING` after the other, and the most that the loop worked between
    /// two answers, which is no less than a turn, in milliseconds.
    func pings() throws(BenchError) -> (longest: Double, turn: Double) {
        let link = stage.storeLink(server.address)
        try define()
        let ready = Readiness(stage.storeLink(server.address), model)
        var (longest, turn): (UInt64, UInt64) = (0, 0)
        var worked = server.nanosecondsOnCore
        while !ready.isReached {
            let began = Clock.now()
            guard link.ask("PING") else { throw BenchError("PING was refused") }
            longest = max(longest, Clock.now() - began)
            let now = server.nanosecondsOnCore
            turn = max(turn, now - worked)
            worked = now
        }
        try undefine()
        return (Double(longest) / 1e6, Double(turn) / 1e6)
    }

    /// The events a second of 50 clients beside a build, as a multiple of those without.
    func appends() throws(BenchError) -> Double {
        func load() -> Load {
            let links = (0..<50).map { _ in stage.storeLink(server.address) }
            return Load(links, .append, inflight: 1, from: stage.next("appends beside builds"))
        }
        let alone = load()
        let secondsAlone = alone.run(seconds: stage.size.seconds)
        stage.setNext("appends beside builds", alone.next)
        try define()
        let ready = Readiness(stage.storeLink(server.address), model)
        let beside = load()
        let seconds = beside.run { ready.isReached }
        stage.setNext("appends beside builds", beside.next)
        try undefine()
        guard alone.failures + beside.failures == 0 else { throw BenchError("events were refused") }
        return Double(beside.latencies.count) / seconds / (Double(alone.latencies.count) / secondsAlone)
    }

    private func define() throws(BenchError) {
        try Models.define(Models.text(model), as: model, control)
    }

    private func undefine() throws(BenchError) {
        guard control.ask("UNDEFINE \(model)") else { throw BenchError("UNDEFINE \(model) was refused") }
    }
}

/// Asks every few milliseconds whether a model answers, and waits for no reply.
final class Readiness {
    private static let interval: UInt64 = 2_000_000
    private let link: Link
    private let model: String
    private var asked: UInt64 = 0
    private var isReady = false

    init(_ link: Link, _ model: String) { (self.link, self.model) = (link, model) }

    /// Takes the reply if it is there, and asks again when it is time.
    var isReached: Bool {
        if link.outstanding > 0 {
            let heard = link.receive(Clock.now()) { _ in }
            isReady = isReady || heard.answers > heard.failures
        } else if Clock.now() - asked > Readiness.interval {
            asked = Clock.now()
            link.add(asked) { $0.put(text: "COUNT \(model)\n") }
            link.flush()
        }
        return isReady
    }
}

/// The memory of a store with 16 models beside that of one without, both with the same events.
struct ModelMemory {
    private static let models = 16
    private let stage: Stage
    private let servers = ["with models", "without"]

    /// Fills the stores the first time.
    init(_ stage: Stage) throws(BenchError) {
        self.stage = stage
        guard stage.isFirst("models to have in memory") else { return }
        for server in servers { try stage.fillStore(.order, stage.size.small, on: server) }
        for number in 1...ModelMemory.models {
            try stage.define("orders", as: "orders\(number)", on: "with models")
        }
    }

    /// Stops the servers and starts them again.
    func start() throws(BenchError) {
        for server in servers {
            stage.stop(server)
            _ = try stage.store(server)
        }
    }

    /// Appends the same events to both.
    func append(_ work: Work) throws(BenchError) {
        for server in servers {
            let link = stage.storeLink(try stage.store(server).address, server)
            let load = Load([link], work, inflight: 200, from: stage.next("\(server)-\(work.rawValue)"))
            load.run(requests: stage.size.small)
            stage.setNext("\(server)-\(work.rawValue)", load.next)
            guard load.failures == 0 else { throw BenchError("\(load.failures) events were refused") }
        }
    }

    func checkpoint() throws(BenchError) { for server in servers { try stage.checkpoint(server) } }

    /// What the kernel counts of memory that is no file's, for each model.
    func mebibytesEach() throws(BenchError) -> Double {
        let all = try servers.map { (name) throws(BenchError) in try stage.store(name).anonymousMebibytes }
        return (all[0] - all[1]) / Double(ModelMemory.models)
    }
}
