import Glibc
import TestSupport
import Testing

extension HostileTests {
    /// A clock that cannot be right.
    @Suite struct ClockTests {
        /// The wall clock of one daemon.
        final class ShiftedClock {
            let path: String
            let environment: [String]

            init(in folder: Scratch) throws {
                path = folder.place("clock")
                environment = ["SHIFTED_CLOCK=\(path)", "LD_PRELOAD=\(try Program.path("libshiftedclock.so"))"]
                try set()
            }

            /// So many seconds ahead of the machine's clock; or standing still at a moment.
            func set(ahead seconds: Int64 = 0, standing: Int64 = 0) throws {
                let words = [seconds * 1_000, standing]
                let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
                defer { close(descriptor) }
                let written = words.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
                guard written == 16 else { throw SystemRefused(call: "pwrite", code: errno) }
            }
        }

        private static let hour: Int64 = 3_600
        private static let year: Int64 = 365 * 86_400

        /// Where the clock is, one after the other.
        private static let settings: [(name: String, ahead: Int64, standing: Int64)] = [
            ("right", 0, 0), ("an hour back", -hour, 0), ("right again", 0, 0), ("a year ahead", year, 0),
            ("an hour back from there", year - hour, 0), ("right after that", 0, 0),
            ("standing still", 0, 1_800_000_000_000),
            ("before 1970", -80 * year, 0), ("in the year 11000", 9_000 * year, 0), ("right at the end", 0, 0),
        ]

        @Test func `whatever the clock says while it serves, times never go back and nothing else notices`() throws {
            let folder = try Scratch()
            let clock = try ShiftedClock(in: folder)
            let daemon = try RunningDaemon(environment: clock.environment)
            let (client, follower) = (try daemon.client(), try daemon.client())
            let canary = try Canary(daemon)
            expect(try follower.ask("SUBSCRIBE events").hasPrefix("+"))
            let seen = try Self.jumpsOnceWatched(daemon, clock)
            var (last, number) = ("", 0)
            let wanted = [-Self.hour, Self.hour, Self.year, -Self.hour, Self.hour - Self.year]
            for (step, (name, ahead, standing)) in Self.settings.enumerated() {
                try clock.set(ahead: ahead, standing: standing)
                for _ in 0..<HostileTests.scale.of(20, long: 2_000) {
                    number += 1
                    let line = #"APPEND note-\#(number % 3) key=k\#(number) {"type":"A","data":\#(number)}"#
                    let receipt = try client.ask(line)
                    let time = receipt.text("time") ?? ""
                    expect(receipt.number("position") == UInt64(number), "\(name): \(receipt)")
                    expect(time.utf8.count == 24 && time >= last, "\(name): \(time) after \(last)")
                    last = time
                    let again = try client.ask(line)
                    expect(again.text("time") == time && again.hasSuffix(#""repeated":true}"#), "\(name): \(again)")
                }
                // Of the first ones each is a jump; the daemon looks at the clock ten times a second.
                if step <= wanted.count {
                    try until("the daemon sees \(name)") { Self.jumps(daemon).count >= seen + step }
                } else {
                    usleep(150_000)
                }
            }
            for position in 1...number {
                var line = try follower.line()
                while line.number("position") == nil { line = try follower.line() }
                expect(line.number("position") == UInt64(position))
            }
            expect(try client.ask("VERIFY").number("verified") == UInt64(number))
            expect(try client.rows("READ events from=2000-01-01T00:00:00Z limit=10000").count == min(number, 10_000))
            let jumps = Self.jumps(daemon).dropFirst(seen)
            expect(zip(jumps, wanted).allSatisfy { abs($0 - $1) < 3 } && jumps.count >= wanted.count, "\(jumps)")
            try canary.end("a clock that jumps")
            expect(try daemon.stop() == .code(0))
            expect(try daemon.storectl("replay", "--verify", offline: true).exit == .code(0))
        }

        /// Moves the clock to and fro until the daemon has seen it come back; returns how many jumps that took. A jump is
        /// one from the look before, so there is none before the first look.
        private static func jumpsOnceWatched(_ daemon: RunningDaemon, _ clock: ShiftedClock) throws -> Int {
            var isAhead = false
            try until("the daemon looks at the clock") {
                isAhead.toggle()
                try clock.set(ahead: isAhead ? hour : 0)
                usleep(200_000)
                return !isAhead && jumps(daemon).last.map { $0 < 0 } == true
            }
            return jumps(daemon).count
        }

        /// By how many seconds the daemon said that its clock jumped.
        private static func jumps(_ daemon: RunningDaemon) -> [Int64] {
            daemon.trace.split(separator: "\n").compactMap { line in
                line.split(separator: "clock-jumped seconds=").dropFirst().first.flatMap { Int64($0) }
            }
        }

        @Test func `a start with a clock far from the log's end says so, and serves`() throws {
            let folder = try Scratch()
            let clock = try ShiftedClock(in: folder)
            let daemon = try RunningDaemon(environment: clock.environment)
            expect(try daemon.client().ask(#"APPEND note-1 {"type":"A","data":0}"#).hasPrefix("+"))
            expect(try daemon.stop() == .code(0))
            var (told, position) = (0, UInt64(1))
            for (ahead, wanted) in [
                (-Self.hour, "clock-behind seconds=3"), (0, nil), (-30, nil), (40 * 86_400, "clock-ahead seconds=345"),
                (0, "clock-behind seconds=345"), (Self.year, "clock-ahead seconds=280"),
                (0, "clock-behind seconds=315"),
            ] {
                try clock.set(ahead: ahead)
                try daemon.start()
                let lines = daemon.trace.split(separator: "\n").filter { $0.contains(" clock-") }
                expect(lines.count == told + (wanted == nil ? 0 : 1), "\(ahead): \(lines)")
                if let wanted { expect(lines.last?.contains(wanted) == true, "\(ahead): \(lines)") }
                told = lines.count
                position += 1
                let receipt = try daemon.client().ask(#"APPEND note-1 {"type":"A","data":0}"#)
                expect(receipt.number("position") == position)
                expect(try daemon.stop() == .code(0))
            }
            expect(try daemon.storectl("verify", offline: true).exit == .code(0))
        }
    }
}
