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

        @Test func `under mixed load memory, descriptors and connections stay flat`() throws {
            let seconds = (Self.environment["SOAK"].flatMap { Double($0) } ?? 0.1) * 60
            let daemon = try RunningDaemon(data: Self.environment["SOAK_DATA"])
            let descriptors = try Self.descriptors(of: daemon)
            let head = try daemon.client().ask("PING").number("position") ?? 0
            let day = SoakedDay(daemon, seed: HostileTests.scale.seed)
            let samples = try Self.samples(of: daemon, seconds: seconds)
            try day.end()
            #expect(day.failures == [], "seed \(HostileTests.scale.seed)")
            // All have gone, and so has what was kept for them.
            // Some are opened when they are first wanted, as the pipe to the thread that commits.
            try until("the descriptors of clients that have gone are closed") {
                try Self.descriptors(of: daemon) <= descriptors + 5
            }
            let client = try daemon.client()
            #expect(try client.ask("STATS").contains(#""connections":1,"#))
            #expect(try client.ask("VERIFY").hasPrefix("+"))
            let events = (try client.ask("PING").number("position") ?? 0) - head
            Self.tell(samples, day, events, seconds)
            let (middle, last) = (samples.greatest(ofThird: 1), samples.greatest(ofThird: 2))
            #expect(last <= middle + middle / 4 + (4 << 20), "memory grew from \(middle >> 10) to \(last >> 10) KiB")
            #expect(events > 0 && day.answers > 0)
            client.hangUp()
            #expect(try daemon.stop() == .code(0), "\(daemon.trace)")
            #expect(try daemon.storectl("replay", "--verify", offline: true).exit == .code(0))
        }

        /// Looks at the daemon three hundred times, evenly spread.
        private static func samples(of daemon: RunningDaemon, seconds: Double) throws -> Samples {
            var samples = Samples()
            for _ in 0..<300 {
                usleep(UInt32(seconds / 300 * 1_000_000))
                if let exit = daemon.exit { throw TookTooLong(what: "the daemon ended with \(exit): \(daemon.trace)") }
                samples.memory.append(daemon.anonymousMemory)
                samples.descriptors.append(try descriptors(of: daemon))
            }
            return samples
        }

        private static func descriptors(of daemon: RunningDaemon) throws -> Int {
            try Files.names(in: "/proc/\(daemon.pid)/fd").count
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

/// The clients of a day, each on a thread of its own.
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
    private let socket: String
    private let folder: String

    init(_ daemon: RunningDaemon, seed: UInt64) {
        (socket, folder) = (daemon.socket, daemon.folder.path)
        // Names that no other piece on the same directory has.
        let day = String(UInt64(Date.now.timeIntervalSince1970 * 1_000), radix: 36)
        let parts: [@Sendable (inout SplitMix64) throws -> Void] = [
            { [self] in try write("\(day)a", &$0) }, { [self] in try write("\(day)b", &$0) },
            { [self] in try read(&$0) }, { [self] in try read(&$0) },
            { [self] in try follow("SUBSCRIBE events", &$0) }, { [self] in try follow("SUBSCRIBE stories", &$0) },
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

    private func greeted() throws -> LineSocket {
        let client = try LineSocket(socket)
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
        let client = try greeted()
        while !mustEnd {
            let position = try client.ask("PING").number("position") ?? 0
            guard position > 0 else { continue }
            let at = UInt64.random(in: 1...position, using: &random)
            try ask(
                client,
                random.pick(
                    "LIST stories limit=100", "LIST stories sort=likes limit=20", "COUNT stories", "STREAMS limit=100",
                    "READ events from=\(at) limit=200", "READ events order=desc limit=50", "GET stories/none at=\(at)",
                    "LIST users", "STATS", "READ events/order-* from=\(at) limit=10"))
            usleep(10_000)
        }
    }

    /// Follows for a while, and goes without a word.
    private func follow(_ request: String, _ random: inout SplitMix64) throws {
        while !mustEnd {
            let client = try greeted()
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
