import Glibc
import Synchronization
import TestSupport
import Testing

extension RaceTests {
    /// Turns that are undone because the disk is full, in the middle of what others ask.
    @Suite struct UndoneTests {
        /// What anybody was told.
        private final class Told: Sendable {
            struct State {
                /// The hash of each event's line, by its position.
                var rows: [UInt64: Int] = [:]
                var count = 0
                var receipts: [String: UInt64] = [:]
                var refused: [String: Int] = [:]
                var errors: [String] = []
                var readAnswers = 0
            }

            let state = Mutex(State())
            let mustStop = Atomic(false)

            func event(_ line: Substring) {
                guard let position = String(line.prefix(60)).number("position") else { return }
                state.withLock { state in
                    state.count += 1
                    let known = state.rows.updateValue(line.hashValue, forKey: position)
                    guard let known, known != line.hashValue else { return }
                    state.errors.append("position \(position) was something else before \(line)")
                }
            }

            func failed(_ error: String) { state.withLock { $0.errors.append(error) } }

            var isStopped: Bool { mustStop.load(ordering: .relaxed) }
        }

        /// Writes events on a connection of its own, many at a time with a question between them, until it is stopped.
        private static func write(_ name: String, to path: String, _ seed: UInt64, _ told: Told) {
            var random = SplitMix64(seed: seed)
            do {
                let client = try LineSocket(path)
                _ = try client.line()
                var number = 0
                while !told.isStopped {
                    let count = Int.random(in: 1...20, using: &random)
                    var lines = ""
                    for offset in 0..<count {
                        let key = "\(name).\(number + offset)"
                        let text = String(repeating: "x", count: .random(in: 10...2_000, using: &random))
                        lines +=
                            "APPEND \(name)-1 key=\(key) {\"type\":\"A\",\"data\":{\"key\":\"\(key)\",\"text\":\"\(text)\"}}\n"
                        lines += "READ events/\(name)-1 order=desc limit=1\n"
                    }
                    client.send(Array(lines.utf8))
                    for offset in 0..<count {
                        let key = "\(name).\(number + offset)"
                        let answer = try client.line()
                        if answer.hasPrefix("+"), let position = answer.number("position") {
                            told.state.withLock { $0.receipts[key] = position }
                        } else if answer.text("code") == "full" {
                            told.state.withLock { $0.refused[key, default: 0] += 1 }
                        } else {
                            return told.failed("\(key): \(answer)")
                        }
                        // A READ tells of what is durable, so of this connection's own write as well, or of none.
                        while true {
                            let line = try client.line()
                            if line.hasPrefix("= ") { told.event(line.dropFirst(2)) }
                            if line.hasPrefix("+") || line.text("code") == "full" { break }
                            guard line.hasPrefix("= ") else { return told.failed("READ after \(key): \(line)") }
                        }
                    }
                    number += count
                    // While the disk is full, a few tries are enough.
                    let isFull = told.state.withLock { $0.refused["\(name).\(number - 1)"] != nil }
                    usleep(isFull ? 50_000 : random.oneIn(3) ? 2_000 : 0)
                }
            } catch {
                told.failed("\(name): \(error)")
            }
        }

        /// Reads the whole log again and again, more slowly than it is written, so that answers are half sent all the time.
        private static func read(_ path: String, _ seed: UInt64, _ told: Told) {
            var random = SplitMix64(seed: seed)
            do {
                let client = try LineSocket(path)
                _ = try client.line()
                while !told.isStopped {
                    let order = random.oneIn(2) ? "asc" : "desc"
                    client.send("READ events order=\(order) limit=3000")
                    var (rows, last): (Int, UInt64?) = (0, nil)
                    while true {
                        let line = try client.line()
                        guard line.hasPrefix("= ") else {
                            guard line.hasPrefix("+"), line.number("count") == UInt64(rows) else {
                                return told.failed("READ ended with \(line) after \(rows) rows")
                            }
                            break
                        }
                        told.event(line.dropFirst(2))
                        let position = String(line.prefix(60)).number("position") ?? 0
                        if let last, position != (order == "asc" ? last + 1 : last - 1) {
                            return told.failed("READ \(order) told of \(position) after \(last)")
                        }
                        last = position
                        rows += 1
                        if rows % 100 == 0 { usleep(1_000) }
                    }
                    told.state.withLock { $0.readAnswers += 1 }
                }
            } catch {
                told.failed("a reader: \(error)")
            }
        }

        /// Follows the log from its beginning, without a gap.
        private static func follow(_ path: String, _ told: Told) {
            do {
                let client = try LineSocket(path)
                _ = try client.line()
                client.send("SUBSCRIBE events from=1")
                var next: UInt64 = 1
                while !told.isStopped {
                    guard let line = try? client.line(), line.hasPrefix(">1 {\"position\":") else { continue }
                    guard line.number("position") == next else {
                        return told.failed("the subscription told of \(line.prefix(60)), not of \(next)")
                    }
                    told.event(line.dropFirst(3))
                    next += 1
                }
            } catch {
                told.failed("a follower: \(error)")
            }
        }

        /// How large the files of a process may become; nil: as large as they like.
        private static func limitFiles(_ daemon: RunningDaemon, _ bytes: Int?) throws {
            let limit = "--fsize=" + (bytes.map { "\($0):unlimited" } ?? "unlimited")
            let said = daemon.folder.place("prlimit")
            let exit = try Program(["prlimit", "--pid", "\(daemon.pid)", limit], output: said, errors: said).wait()
            expect(exit == .code(0), "\(Files.text(said))")
        }

        @Test func `what was told to anybody stays as it was told, however often turns are undone`() throws {
            let seed = RaceTests.scale.seed
            var random = SplitMix64(seed: seed)
            let daemon = try RunningDaemon(options: ["--journal", "65536"])
            let (told, path) = (Told(), daemon.socket)
            let first = try daemon.client()
            // More than sockets take up, so that an answer is half sent for as long as its reader wants.
            for _ in 0..<20 { expect(try first.ask(Load.append(to: "old-1", count: 200, size: 500)).hasPrefix("+")) }
            var clients = (0..<3).map { number in
                Background { Self.write("w\(number)", to: path, seed &+ UInt64(number), told) }
            }
            clients += (0..<2).map { number in Background { Self.read(path, seed &+ UInt64(10 + number), told) } }
            clients.append(Background { Self.follow(path, told) })
            let rounds = RaceTests.scale.of(3, long: 100)
            for round in 0..<rounds where told.state.withLock({ $0.errors.isEmpty }) {
                usleep(.random(in: 100_000...300_000, using: &random))
                let size = Files.size(daemon.data + "/log/data.mdb")
                try Self.limitFiles(daemon, size + .random(in: 0...200_000, using: &random))
                let before = daemon.trace.split(separator: "\n").count { $0.contains(" full ") }
                try until("the disk is full, round \(round)") {
                    daemon.trace.split(separator: "\n").count { $0.contains(" full ") } > before
                        || !told.state.withLock { $0.errors.isEmpty }
                }
                usleep(.random(in: 1_000...1_200_000, using: &random))
                try Self.limitFiles(daemon, nil)
                let receipts = told.state.withLock { $0.receipts.count }
                try until("writes go on") {
                    told.state.withLock { $0.receipts.count > receipts || !$0.errors.isEmpty }
                }
            }
            told.mustStop.store(true, ordering: .relaxed)
            // Something for the follower to hear.
            _ = try daemon.client().ask(#"APPEND last-1 {"type":"A","data":0}"#)
            for client in clients { try client.join() }
            let state = told.state.withLock { $0 }
            expect(state.errors == [], "seed \(seed)")
            let events = try Self.check(daemon, state, seed)
            let undone = daemon.trace.split(separator: "\n").count { $0.contains(" full ") }
            print(
                "races: \(undone) turns undone, \(events) events, \(state.count) told by READ and SUBSCRIBE, "
                    + "\(state.readAnswers) whole answers, \(state.refused.count) writes refused as full; seed \(seed)")
            expect(undone >= rounds && state.refused.count > 0)
            expect(try daemon.stop() == .code(0))
            expect(try daemon.storectl("replay", "--verify", offline: true).exit == .code(0))
        }

        /// Everything that was told is in the log as it was told, and what was refused is not.
        private static func check(_ daemon: RunningDaemon, _ state: Told.State, _ seed: UInt64) throws -> Int {
            let client = try daemon.client()
            var (events, receipts) = (0, state.receipts)
            while true {
                let rows = try client.rows("READ events from=\(events + 1) limit=1000")
                if rows.isEmpty { break }
                for row in rows {
                    events += 1
                    let position = UInt64(events)
                    if let told = state.rows[position], told != row.dropFirst(2).hashValue {
                        Issue.record("seed \(seed): at \(position) something else was told than \(row)")
                        return events
                    }
                    guard let key = row.text("key") else { continue }
                    expect(receipts.removeValue(forKey: key) == position, "seed \(seed): \(key)")
                    expect(state.refused[key] == nil, "seed \(seed): \(key) was refused, and is there")
                }
            }
            expect(receipts.isEmpty, "seed \(seed): acknowledged and lost: \(receipts.keys.prefix(5))")
            return events
        }
    }
}
