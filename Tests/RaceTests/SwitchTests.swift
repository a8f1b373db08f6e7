import Glibc
import Synchronization
import TestSupport
import Testing

extension RaceTests {
    /// Subscriptions that go over from catching up to live while events are appended.
    @Suite struct SwitchTests {
        private static let threads = 8
        private static let streams = 7

        /// What subscribers choose from.
        private enum Selection: CaseIterable {
            case all, category, stream, types, tags

            var request: String {
                switch self {
                case .all: "SUBSCRIBE events"
                case .category: "SUBSCRIBE events/even-*"
                case .stream: "SUBSCRIBE events/even-2"
                case .types: "SUBSCRIBE events types=T3,T5"
                case .tags: "SUBSCRIBE events tags=m:3,all"
                }
            }

            /// Whether the event that says this number is one of them: see `line`.
            func holds(_ number: Int) -> Bool {
                let stream = number % SwitchTests.streams
                return switch self {
                case .all: true
                case .category: stream % 2 == 0
                case .stream: stream == 2
                case .types: number % 11 == 3 || number % 11 == 5
                case .tags: number % 5 == 3
                }
            }
        }

        private static func line(_ number: Int) -> String {
            let stream = number % streams
            return "APPEND \(stream % 2 == 0 ? "even" : "odd")-\(stream) key=k\(number) "
                + "{\"type\":\"T\(number % 11)\",\"data\":\(number),\"tags\":[\"all\",\"m:\(number % 5)\"]}\n"
        }

        /// What one subscription was told before it was cut off.
        private struct Told {
            let selection: Selection
            let from: UInt64
            /// Every position it told of, and up to where there was nothing else.
            var positions: [UInt64] = []
            var through: UInt64
        }

        private final class Shared: Sendable {
            let told = Mutex<[Told]>([])
            let switches = Atomic(0)
            let live = Atomic(0)
            let mustStop = Atomic(false)
            let errors = Mutex<[String]>([])
        }

        @Test func `going over from the past to the present leaves no gap and repeats nothing, wherever it is cut off`()
            throws
        {
            let seed = RaceTests.scale.seed
            let daemon = try RunningDaemon()
            let shared = Shared()
            let wanted = RaceTests.scale.of(400, long: 10_000)
            let path = daemon.socket
            let writer = Background { Self.write(to: path, shared) }
            let subscribers = (0..<Self.threads).map { number in
                Background {
                    var random = SplitMix64(seed: seed &+ UInt64(number) &* 104_729)
                    while shared.switches.load(ordering: .relaxed) < wanted {
                        do {
                            try Self.follow(path, &random, shared)
                        } catch is TookTooLong {
                            shared.errors.withLock { $0.append("a subscription hears nothing more") }
                            return
                        } catch {
                            // The daemon is being started again.
                            usleep(5_000)
                        }
                    }
                }
            }
            var kills = 0
            var random = SplitMix64(seed: seed)
            while shared.switches.load(ordering: .relaxed) < wanted, shared.errors.withLock({ $0.isEmpty }) {
                usleep(.random(in: 200_000...2_000_000, using: &random))
                try daemon.kill()
                try daemon.start()
                kills += 1
            }
            for subscriber in subscribers { try subscriber.join() }
            shared.mustStop.store(true, ordering: .relaxed)
            try writer.join()
            expect(shared.errors.withLock { $0 } == [], "seed \(seed)")
            let told = shared.told.withLock { $0 }
            let events = try Self.check(told, daemon.client(), seed)
            print(
                "races: \(shared.switches.load(ordering: .relaxed)) switches from the past to live among \(events) events, "
                    + "\(shared.live.load(ordering: .relaxed)) events told live, \(told.count) disconnects, \(kills) kills; "
                    + "seed \(seed)")
            expect(shared.live.load(ordering: .relaxed) > wanted)
        }

        /// Appends numbers, some thousand a second, each once, until it is told to stop.
        private static func write(to path: String, _ shared: Shared) {
            var (number, random) = (0, SplitMix64(seed: 1))
            while !shared.mustStop.load(ordering: .relaxed) {
                do {
                    let client = try LineSocket(path)
                    _ = try client.line()
                    while !shared.mustStop.load(ordering: .relaxed) {
                        let count = Int.random(in: 1...12, using: &random)
                        client.send(Array((number..<number + count).map(Self.line).joined().utf8))
                        for _ in 0..<count {
                            guard try client.final().hasPrefix("+") else { throw LineSocket.Closed() }
                            number += 1
                        }
                        usleep(1_500)
                    }
                } catch {
                    usleep(5_000)
                }
            }
        }

        /// Follows from a place in the past, goes on after being cut off, and notes what it was told.
        private static func follow(_ path: String, _ random: inout SplitMix64, _ shared: Shared) throws {
            let selection = Selection.allCases.randomElement(using: &random) ?? .all
            var next: UInt64 = 0
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let client = try LineSocket(path)
                let head = try client.line().number("position") ?? 0
                // From far away an index says where events lie, from nearby they are looked at one by one.
                let farthest: UInt64 = random.oneIn(4) ? 5_000 : 400
                if next == 0 { next = head + 1 - min(head, .random(in: 0...farthest, using: &random)) }
                client.send("\(selection.request) from=\(next)")
                guard try client.line().hasPrefix("+") else { throw LineSocket.Closed() }
                var told = Told(selection: selection, from: next, through: next - 1)
                // Some are cut off while they catch up, most a while after.
                let liveEvents = random.oneIn(5) ? 0 : Int.random(in: 0...30, using: &random)
                var rest = random.oneIn(5) ? Int.random(in: 0...200, using: &random) : Int.max
                var isLive = false
                while rest > 0, let line = try client.nextLine() {
                    if let position = line.number("caughtUp") {
                        told.through = position
                        if !isLive { shared.switches.add(1, ordering: .relaxed) }
                        isLive = true
                        rest = min(rest, liveEvents)
                    } else if line.contains("behind") {
                        isLive = false
                    } else if let position = line.number("position") {
                        told.positions.append(position)
                        told.through = position
                        rest -= 1
                        if isLive { shared.live.add(1, ordering: .relaxed) }
                    }
                }
                client.hangUp()
                next = told.through + 1
                shared.told.withLock { $0.append(told) }
            }
        }

        /// Holds what was told against the log; answers how many events that has.
        private static func check(_ told: [Told], _ client: LineSocket, _ seed: UInt64) throws -> Int {
            var numbers: [Int] = []
            while true {
                let rows = try client.rows("READ events from=\(numbers.count + 1) limit=10000")
                if rows.isEmpty { break }
                numbers += rows.map { Int($0.number("data") ?? 0) }
            }
            expect(Set(numbers).count == numbers.count, "seed \(seed)")
            for one in told {
                guard one.through >= one.from else { continue }
                let expected = (one.from...one.through).filter { one.selection.holds(numbers[Int($0) - 1]) }
                guard one.positions == expected else {
                    Issue.record("seed \(seed): \(one.selection) from \(one.from) was told \(one.positions)")
                    break
                }
            }
            return numbers.count
        }
    }
}
