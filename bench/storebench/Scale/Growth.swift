import Foundation

/// One store that grows: at each size its figures are taken, and then it grows on.
final class Growth {
    private let size: Size
    private let note: (Grown) -> Void
    private let stage: Stage
    /// How many domain events were asked for, stories posted beside them, and events appended.
    private var asked = 0
    private var posted = 0
    private var appended = 0

    init(_ size: Size, _ note: @escaping (Grown) -> Void) throws(BenchError) {
        self.size = size
        self.note = note
        stage = try Stage(size)
    }

    private var events: Int { Content.users + asked + posted + appended }
    /// Fewer than make a checkpoint due by themselves.
    private var batch: Int { max(500, min(10_000, size.small / 10)) }
    private var rounds: Int { min(3, size.rounds) }

    func run() throws(BenchError) {
        defer { stage.stop() }
        try stage.fillStore(.users, Content.users)
        for events in [max(size.small, 2 * Content.users), size.million, size.large] {
            Progress.show("\(events) events: filling")
            try grow(to: events)
            Progress.show("\(events) events: measuring")
            try measure(events)
            Progress.say("\(events) events: measured")
        }
    }

    private func grow(to wanted: Int) throws(BenchError) {
        let load = Load(try links(1, run: 0), .domain, inflight: 200, from: asked)
        load.run(requests: max(0, wanted - events))
        asked = load.next
        guard load.failures == 0 else { throw BenchError("\(load.failures) domain events were refused") }
    }

    private func measure(_ events: Int) throws(BenchError) {
        func note(_ figure: String, _ unit: String, _ values: [Double]) {
            self.note(Grown(figure, unit, events: events, values))
        }
        try checkpoint()
        let disk = Double(stage.folder.bytesOnDisk("data"))
        let log = Double(stage.folder.bytesOnDisk("data/log"))
        note("CHECKPOINT of \(batch) stories", "ms", try checkpoints())
        let server = try stage.store()
        note("memory that is not the file map", "MiB", [Double(server.status("RssAnon") ?? 0) / 1_048_576])
        note("resident memory, the file map too", "MiB", [Double(server.status("VmRSS") ?? 0) / 1_048_576])
        note("disk, log and models", "bytes an event", [disk / Double(events)])
        note("disk, log alone", "bytes an event", [log / Double(events)])
        note("first answer after SIGTERM", "ms", try starts { stage.stop("store") })
        note(
            "first answer after kill -9", "ms",
            try starts { () throws(BenchError) in
                try checkpoint()
                try post()
                stage.kill("store")
            })
        note("APPEND, 50 clients, 20 in flight", "events/s", try appends())
    }

    /// Run 1 is that of the stories beside the domain events.
    private func links(_ count: Int, run: Int = 1) throws(BenchError) -> [Link] {
        let path = try stage.store().address
        return (0..<count).map { _ in Link(path, StoreDialect(run: run)) }
    }

    private func checkpoint() throws(BenchError) {
        guard try links(1)[0].ask("CHECKPOINT") else { throw BenchError("CHECKPOINT was refused") }
    }

    private func post() throws(BenchError) {
        let load = Load(try links(1), .post, inflight: 200, from: posted)
        load.run(requests: batch)
        posted = load.next
        guard load.failures == 0 else { throw BenchError("\(load.failures) stories were refused") }
    }

    private func checkpoints() throws(BenchError) -> [Double] {
        var took: [Double] = []
        for _ in 0..<rounds {
            try post()
            let began = Clock.now()
            try checkpoint()
            took.append(Clock.seconds(since: began) * 1e3)
        }
        return took
    }

    /// From the start of the process to its first answer to `GET`; looked for every millisecond.
    private func starts(_ end: () throws(BenchError) -> Void) throws(BenchError) -> [Double] {
        var took: [Double] = []
        for _ in 0..<rounds {
            try end()
            let began = Clock.now()
            guard try links(1)[0].ask("GET stories/s0-0") else { throw BenchError("GET was refused after a start") }
            took.append(Clock.seconds(since: began) * 1e3)
        }
        return took
    }

    private func appends() throws(BenchError) -> [Double] {
        var rates: [Double] = []
        for _ in 0..<size.rounds {
            let load = Load(try links(50), .append, inflight: 20, from: appended)
            // Not for a time: what is measured makes the small store larger, and that must not be by much.
            let seconds = load.run(requests: max(2_000, size.small / 5))
            appended = load.next
            guard load.failures == 0 else { throw BenchError("\(load.failures) events were refused") }
            rates.append(Double(load.latencies.count) / seconds)
        }
        return rates
    }
}
