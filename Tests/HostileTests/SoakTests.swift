import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

extension HostileTests {
    /// The day of a store: writers, readers, followers, strangers and an operator, for as many minutes as `SOAK` says.
    ///
    /// `SOAK_DATA` names a directory that is kept, so that hours can be had in pieces.
    @Suite struct SoakTests {
        private static let environment = ProcessInfo.processInfo.environment

        @Test func `under mixed load memory, descriptors and connections stay flat, at a replica as well`() throws {
            let data = Self.environment["SOAK_DATA"]
            let source = try RunningDaemon(data: data)
            let replica = try RunningDaemon(
                data: data.map { $0 + ".replica" }, options: ["--follow", source.socket])
            try Self.soak(source, beside: replica)
            for daemon in [replica, source] {
                expect(try daemon.stop() == .code(0), "\(daemon.trace)")
                expect(try daemon.storectl("replay", "--verify", offline: true).exit == .code(0))
            }
        }

        @Test func `they stay flat at two nodes of a log`() throws {
            let nodes = try RunningNodes(2)
            try Self.soak(nodes["n1"], beside: nodes["n2"])
            expect(try nodes.state("n1") == "leading")
            for node in nodes.nodes.reversed() { expect(try node.stop() == .code(0), "\(node.trace)") }
        }

        /// A day of two daemons of one log, the first of which has the writes.
        private static func soak(_ writing: RunningDaemon, beside other: RunningDaemon) throws {
            let seconds = (environment["SOAK"].flatMap { Double($0) } ?? 0.1) * 60
            let daemons = [writing, other]
            try SoakedDay.define(at: writing, and: other)
            let descriptors = try daemons.map { try HostileTests.descriptors(of: $0) }
            let head = try writing.client().ask("PING").number("position") ?? 0
            let day = SoakedDay(writing, beside: other, seed: HostileTests.scale.seed)
            let samples = try samples(of: daemons, seconds: seconds)
            try day.end()
            expect(day.failures == [], "seed \(HostileTests.scale.seed)")
            let events = (try writing.client().ask("PING").number("position") ?? 0) - head
            expect(events > 0 && day.answers > 0)
            for index in daemons.indices {
                tell(samples[index], day, events, seconds)
                try expectFlat(daemons[index], samples[index], descriptors[index])
            }
        }

        /// All have gone, and so has what was kept for them.
        private static func expectFlat(_ daemon: RunningDaemon, _ samples: Samples, _ descriptors: Int) throws {
            // Some are opened when they are first wanted, as the pipe to the thread that commits.
            try until("the descriptors of clients that have gone are closed") {
                try HostileTests.descriptors(of: daemon) <= descriptors + 5
            }
            expect(try daemon.client().ask("VERIFY").hasPrefix("+"))
            let (middle, last) = (samples.greatest(ofThird: 1), samples.greatest(ofThird: 2))
            expect(last <= middle + middle / 4 + (4 << 20), "memory grew from \(middle >> 10) to \(last >> 10) KiB")
        }

        /// Looks at each daemon three hundred times, evenly spread.
        private static func samples(of daemons: [RunningDaemon], seconds: Double) throws -> [Samples] {
            var samples = daemons.map { _ in Samples() }
            for _ in 0..<300 {
                usleep(UInt32(seconds / 300 * 1_000_000))
                for (index, daemon) in daemons.enumerated() {
                    if let exit = daemon.exit {
                        throw TookTooLong(what: "the daemon ended with \(exit): \(daemon.trace)")
                    }
                    samples[index].memory.append(daemon.anonymousMemory)
                    samples[index].descriptors.append(try HostileTests.descriptors(of: daemon))
                }
            }
            return samples
        }

        /// Says what came of it, and notes it behind what earlier pieces noted.
        private static func tell(_ samples: Samples, _ day: SoakedDay, _ events: UInt64, _ seconds: Double) {
            let memory = (0..<3).map { "\(samples.greatest(ofThird: $0) >> 20)" }.joined(separator: ", ")
            let line =
                "soak: \(Int(seconds)) s, \(events) events, \(day.answers) answers and \(day.pushes) pushes, "
                + "\(day.visits) connections; greatest memory of each third \(memory) MiB, descriptors at most "
                + "\(samples.descriptors.max() ?? 0)"
            print(line)
            guard let data = environment["SOAK_DATA"], let file = fopen(data + ".figures", "a") else { return }
            fputs(line + "\n", file)
            fclose(file)
        }
    }

    /// What was seen of a daemon's process over time.
    struct Samples {
        var memory: [Int] = []
        var descriptors: [Int] = []

        func greatest(ofThird third: Int) -> Int {
            let count = memory.count / 3
            return memory[third * count..<(third + 1) * count].max() ?? 0
        }
    }
}

/// The clients of a day, each on a thread of its own; those that only read ask either daemon.
final class SoakedDay: Sendable {
    private struct State {
        var mustEnd = false
        /// Set when all others have ended: who follows waits for what is written.
        var writersMustEnd = false
        var answers = 0
        var pushes = 0
        var visits = 0
        var failures: [String] = []
    }

    /// How many of the threads write; they are the first.
    private static let writers = 2

    private let state = Mutex(State())
    private let threads = Mutex<[Background]>([])
    /// Models of the events of all writers.
    private static let models = [
        "notes": "from note; n: number; start: text; sort n; on Wrote { n += 1; start = prefix(data.text, 10) }",
        "orders": "from order; n: number; placed: time; on * { n += 1; placed = event.time }",
    ]

    private let socket: String
    /// The sockets of both daemons.
    private let sockets: [String]
    private let folder: String

    init(_ daemon: RunningDaemon, beside other: RunningDaemon, seed: UInt64) {
        (socket, sockets, folder) = (daemon.socket, [daemon.socket, other.socket], daemon.folder.path)
        // Names that no other piece on the same directory has.
        let day = String(UInt64(Date.now.timeIntervalSince1970 * 1_000), radix: 36)
        let parts: [@Sendable (inout SplitMix64) throws -> Void] = [
            { [self] in try write("\(day)a", &$0) }, { [self] in try write("\(day)b", &$0) },
            { [self] in try read(&$0) }, { [self] in try read(&$0) },
            { [self] in try follow("SUBSCRIBE events", &$0) }, { [self] in try follow("SUBSCRIBE stories", &$0) },
            { [self] in try follow("SUBSCRIBE notes", &$0) },
            { [self] in try visit(&$0) }, { [self] in try operate(&$0) },
        ]
        let begun = parts.enumerated().map { number, part in
            Background { [self] in
                var random = SplitMix64(seed: seed &+ UInt64(number))
                do { try part(&random) } catch { state.withLock { $0.failures.append("part \(number): \(error)") } }
            }
        }
        threads.withLock { $0 = begun }
    }

    /// Declares the models at one daemon, and waits until they answer at both.
    static func define(at daemon: RunningDaemon, and other: RunningDaemon) throws {
        let client = try daemon.client()
        for (name, text) in SoakedDay.models {
            let answer = try client.ask("DEFINE \(name) \"\(text)\"")
            guard answer.hasPrefix("+") else { throw TookTooLong(what: answer) }
        }
        for daemon in [daemon, other] {
            try until("the models answer") {
                try daemon.client().rows("MODELS").count { $0.text("state") == "ready" } == SoakedDay.models.count
            }
        }
    }

    var answers: Int { state.withLock { $0.answers } }
    var pushes: Int { state.withLock { $0.pushes } }
    var visits: Int { state.withLock { $0.visits } }
    var failures: [String] { state.withLock { $0.failures } }

    /// Has all of them go, and waits for it.
    func end() throws {
        let threads = threads.withLock { $0 }
        state.withLock { $0.mustEnd = true }
        for thread in threads.dropFirst(SoakedDay.writers) { try thread.join() }
        state.withLock { $0.writersMustEnd = true }
        for thread in threads.prefix(SoakedDay.writers) { try thread.join() }
    }

    private var mustEnd: Bool { state.withLock { $0.mustEnd } }

    /// A connection to the daemon that has the writes, or to another one.
    private func greeted(at other: String? = nil) throws -> LineSocket {
        let client = try LineSocket(other ?? socket)
        let greeting = try client.line()
        guard greeting.hasPrefix("*") else { throw TookTooLong(what: greeting) }
        state.withLock { $0.visits += 1 }
        return client
    }

    private func ask(_ client: LineSocket, _ request: String) throws {
        let answer = try client.ask(request)
        guard answer.hasPrefix("+") || answer.text("code") == "notFound" else {
            throw TookTooLong(what: "\(request) was answered \(answer)")
        }
        state.withLock { $0.answers += 1 }
    }

    /// Some fifty writes a second: events of a user's own, stories, what people like.
    private func write(_ name: String, _ random: inout SplitMix64) throws {
        let client = try greeted()
        try ask(
            client, #"POST users {"id":"\#(name)","name":"\#(name)","email":"\#(name)@example.org","prefecture":13}"#)
        var number = 0
        while !state.withLock({ $0.writersMustEnd }) {
            number += 1
            let (id, size) = ("\(name)-\(number)", Int.random(in: 1...400, using: &random))
            let text = String(repeating: "x", count: size)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                try ask(
                    client,
                    #"POST stories key=\#(id) {"id":"\#(id)","title":"T","message":"\#(text)","sender":"\#(name)","recipient":"\#(name)"}"#
                )
                try ask(client, #"LIKE stories/\#(id) {"user":"\#(name)"}"#)
                if random.oneIn(4) { try ask(client, "DELETE stories/\(id)") }
            case 1: try ask(client, Load.append(to: "order-\(name).\(number % 500)", count: 5, size: size))
            default:
                try ask(client, #"APPEND note-\#(number % 500) key=\#(id) {"type":"Wrote","data":{"text":"\#(text)"}}"#)
            }
            if random.oneIn(1_000) { try ask(client, Load.append(to: "large-1", count: 1, size: 500_000)) }
            usleep(20_000)
        }
    }

    private func read(_ random: inout SplitMix64) throws {
        let clients = try sockets.map { try greeted(at: $0) }
        while !mustEnd {
            let client = clients[Int.random(in: 0..<clients.count, using: &random)]
            let position = try client.ask("PING").number("position") ?? 0
            guard position > 0 else { continue }
            let at = UInt64.random(in: 1...position, using: &random)
            try ask(
                client,
                random.pick(
                    "LIST stories limit=100", "LIST stories sort=likes limit=20", "COUNT stories", "STREAMS limit=100",
                    "READ events from=\(at) limit=200", "READ events order=desc limit=50", "GET stories/none at=\(at)",
                    "LIST users", "STATS", "METRICS", "LIST notes sort=n limit=20", "COUNT orders",
                    "READ events/order-* from=\(at) limit=10"))
            usleep(10_000)
        }
    }

    /// Follows for a while, and goes without a word.
    private func follow(_ request: String, _ random: inout SplitMix64) throws {
        while !mustEnd {
            let client = try greeted(at: random.oneIn(2) ? sockets[1] : sockets[0])
            client.send(request)
            for _ in 0..<Int.random(in: 1...2_000, using: &random) where !mustEnd {
                _ = try client.line()
                state.withLock { $0.pushes += 1 }
            }
            client.hangUp()
        }
    }

    /// Those who send half a line, or nonsense, or ask for much and do not read it.
    private func visit(_ random: inout SplitMix64) throws {
        while !mustEnd {
            let client = try greeted()
            let request = random.pick(
                "APPEND note-1 {\"type\":\"A\",\"da", "READ events limit=10000\nREAD events limit=10000\n",
                "SUBSCRIBE events from=1\nPING\nPI", "READ events\nAPPEND note-1 {\"type\":\"A\",\"data\":\"",
                "nonsense\n", "")
            client.send(Array(request.utf8))
            if random.oneIn(2) {
                client.send([UInt8](repeating: 0x78, count: .random(in: 1...200_000, using: &random)))
            }
            usleep(.random(in: 1_000...300_000, using: &random))
            client.hangUp()
        }
    }

    private func operate(_ random: inout SplitMix64) throws {
        let client = try greeted()
        while !mustEnd {
            let copy = folder + "/copy"
            for request in ["CHECKPOINT", "VERIFY", "BACKUP \(copy)"] { try ask(client, request) }
            try FileManager.default.removeItem(atPath: copy)
            for _ in 0..<random.pick(5, 100, 300) where !mustEnd { usleep(100_000) }
        }
    }
}
