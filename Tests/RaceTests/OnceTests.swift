import Glibc
import Synchronization
import TestSupport
import Testing

extension RaceTests {
    /// Writes with a key, sent again and again over connections that break and to a daemon that is killed.
    @Suite struct OnceTests {
        private static let batch = 100
        private static let threads = 8

        /// What is to be written, and where it was put.
        private final class Work: Sendable {
            struct State {
                /// Batches that are to be sent, each as often as it stands here.
                var queue: [Int]
                /// The position of each write, once it was heard; 0 before.
                var positions: [UInt64]
                var sent = 0
                var heard = 0
                var repeated = 0
                var cuts = 0
                var errors: [String] = []
            }

            let state: Mutex<State>

            init(_ writes: Int, _ random: inout SplitMix64) {
                var queue: [Int] = []
                for batch in 0..<writes / OnceTests.batch {
                    for _ in 0..<Int.random(in: 1...5, using: &random) { queue.append(batch) }
                }
                queue.shuffle(using: &random)
                state = Mutex(State(queue: queue, positions: Array(repeating: 0, count: writes)))
            }

            /// A batch to be sent; nil where nothing is left.
            func next() -> Int? { state.withLock { $0.queue.popLast() } }

            /// Answers came to the first so many writes of a batch; it is sent again while one is unheard.
            func heard(_ positions: [(position: UInt64, isRepeated: Bool)], of batch: Int, wasCut: Bool) {
                state.withLock { state in
                    if wasCut || !positions.isEmpty { state.sent += OnceTests.batch }
                    state.heard += positions.count
                    if wasCut { state.cuts += 1 }
                    let first = batch * OnceTests.batch
                    for (offset, answer) in positions.enumerated() {
                        let known = state.positions[first + offset]
                        if known != 0, known != answer.position {
                            state.errors.append("write \(first + offset) is at \(known) and at \(answer.position)")
                        }
                        if answer.isRepeated { state.repeated += 1 }
                        state.positions[first + offset] = answer.position
                    }
                    let isWhole = state.positions[first..<first + OnceTests.batch].allSatisfy { $0 != 0 }
                    if !isWhole, !state.queue.contains(batch) { state.queue.insert(batch, at: 0) }
                }
            }

            func failed(_ error: String) { state.withLock { $0.errors.append(error) } }
        }

        /// The requests of a batch, one after the other.
        private static func lines(_ batch: Int) -> [UInt8] {
            Array(
                (batch * Self.batch..<(batch + 1) * Self.batch).map {
                    "APPEND w-\($0 % 997) key=k\($0) {\"type\":\"W\",\"data\":\($0)}\n"
                }
                .joined().utf8)
        }

        /// Sends a batch over a connection of its own, which may break at any byte either way.
        private static func send(_ batch: Int, to path: String, _ random: inout SplitMix64, _ work: Work) throws {
            guard let client = try? LineSocket(path), (try? client.nextLine())??.hasPrefix("*") == true else {
                // The daemon is being started again.
                usleep(5_000)
                return work.heard([], of: batch, wasCut: false)
            }
            let lines = Self.lines(batch)
            let isCut = random.oneIn(2)
            let there = isCut && random.oneIn(2) ? Int.random(in: 0..<lines.count, using: &random) : lines.count
            let back = isCut ? Int.random(in: 0...Self.batch, using: &random) : Self.batch
            var answers: [(UInt64, Bool)] = []
            client.send(Array(lines[..<there]))
            if there < lines.count { client.endSending() }
            while answers.count < back, let line = try client.nextLine() {
                if line.hasPrefix("*") || line.text("code") == "draining" { break }
                guard line.hasPrefix("+"), let position = line.number("position") else {
                    return work.failed("batch \(batch): \(line)")
                }
                answers.append((position, line.hasSuffix(#""repeated":true}"#)))
            }
            client.hangUp()
            work.heard(answers, of: batch, wasCut: isCut)
        }

        @Test func `each write is done once, however often it is sent, cut off and sent again after a kill`() throws {
            let seed = RaceTests.scale.seed
            var random = SplitMix64(seed: seed)
            let daemon = try RunningDaemon()
            let writes = RaceTests.scale.of(20_000, long: 1_000_000)
            let work = Work(writes, &random)
            let path = daemon.socket
            let senders = (0..<Self.threads).map { number in
                Background {
                    var random = SplitMix64(seed: seed &+ UInt64(number) &* 7_919)
                    do {
                        while let batch = work.next() { try Self.send(batch, to: path, &random, work) }
                    } catch {
                        work.failed("\(error)")
                    }
                }
            }
            var (kills, stops) = (0, 0)
            while work.state.withLock({ !$0.queue.isEmpty && $0.errors.isEmpty }) {
                usleep(.random(in: 20_000...(RaceTests.scale.isLong ? 1_500_000 : 300_000), using: &random))
                if random.oneIn(4) {
                    expect(try daemon.stop() == .code(0))
                    stops += 1
                } else {
                    try daemon.kill()
                    kills += 1
                }
                try daemon.start()
            }
            for sender in senders { try sender.join() }
            let state = work.state.withLock { $0 }
            expect(state.errors == [], "seed \(seed)")
            try Self.check(daemon, state, seed)
            expect(try daemon.stop() == .code(0))
            expect(try daemon.storectl("replay", "--verify", offline: true).exit == .code(0))
            print(
                "races: \(writes) writes done once each, sent \(state.sent) times, \(state.repeated) answered as repeated, "
                    + "\(state.cuts) connections cut, \(kills) kills, \(stops) stops; seed \(seed)")
            expect(state.repeated > 0 && state.cuts > 0)
        }

        /// Every write is in the log once, where its receipts said.
        private static func check(_ daemon: RunningDaemon, _ state: Work.State, _ seed: UInt64) throws {
            let client = try daemon.client()
            var position: UInt64 = 0
            var seen = [Bool](repeating: false, count: state.positions.count)
            while true {
                let rows = try client.rows("READ events from=\(position + 1) limit=10000")
                if rows.isEmpty { break }
                for row in rows {
                    position += 1
                    guard row.number("position") == position, let write = row.number("data").map({ Int($0) }),
                        seen.indices.contains(write), !seen[write], state.positions[write] == position,
                        row.text("key") == "k\(write)"
                    else {
                        Issue.record("seed \(seed): event \(position) should not be: \(row)")
                        return
                    }
                    seen[write] = true
                }
            }
            expect(position == UInt64(state.positions.count), "seed \(seed)")
            expect(seen.allSatisfy { $0 }, "seed \(seed)")
        }
    }
}
