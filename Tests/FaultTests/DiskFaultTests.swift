import Foundation
import Glibc
import StoryStorage
import TestSupport
import Testing

extension HarmTests {
    /// The disk fails, at each call of a store's life and inside the handling of a failure.
    ///
    /// `FAULTS=all` fails each call there is, and 5,000 pairs of them; otherwise some. `SEED` repeats the pairs of a run,
    /// and `PAIRS=A...B` plays those of them alone.
    @Suite(.enabled(if: Faults.library != nil))
    struct DiskFaultTests {
        static let isLong = ProcessInfo.processInfo.environment["FAULTS"] == "all"
        private static let seed =
            ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)
        private static let numbers: ClosedRange<Int>? = {
            let ends = ProcessInfo.processInfo.environment["PAIRS"]?.components(separatedBy: "...").compactMap {
                Int($0)
            }
            guard let ends, ends.count == 2, ends[0] <= ends[1] else { return nil }
            return ends[0]...ends[1]
        }()

        @Test func `each call fails once, and for good, where no block is free as well`() throws {
            let points = Self.points(
                try Self.lengths {
                    guard let system = try SmallFileSystem(.tmpfs, megabytes: 8) else { return nil }
                    let play = try Play([], in: system)
                    try play.run(Story.full(play.folder))
                    return play
                })
            let runs = Runs(points.count) { number, runs in
                guard let system = try SmallFileSystem(.tmpfs, megabytes: 8) else { return }
                let play = try Play(points[number].rules, in: system)
                try play.run(Story.full(play.folder))
                Self.report(play, "\(points[number])", runs)
            }
            print("faults on a full file system: \(runs.figures)")
            expect(runs.complaints.isEmpty, "\(runs.complaints.joined(separator: "\n\n"))")
        }

        @Test func `each call fails once, and for good`() throws {
            let points = Self.points(try Self.lengths())
            let runs = Runs(points.count) { number, runs in
                let fault = points[number]
                let play = try Play(fault.rules)
                try play.run(Story.life(play.folder))
                Self.report(play, "\(fault)", runs)
                if let complaint = fault.complaint(play) { runs.complain("\(fault) \(play.hits): \(complaint)") }
            }
            print("faults: \(runs.figures)")
            expect(runs.complaints.isEmpty, "\(runs.complaints.joined(separator: "\n\n"))")
            expect(runs.count("untouched") > 0, "the last of each kind strikes nothing")
        }

        @Test func `a start that cannot read the stored models ends with a sentence, or serves`() throws {
            let runs = Runs(80) { number, runs in
                let rule = FaultRule(
                    kinds: .read, number: UInt64(number + 1), action: .fail, value: UInt64(EIO), path: "data/models/")
                let play = try Play([rule])
                try play.run(Story.start)
                Self.report(play, "read \(number + 1)", runs)
            }
            print("reads of a start: \(runs.figures)")
            expect(runs.complaints.isEmpty, "\(runs.complaints.joined(separator: "\n\n"))")
            expect(runs.count("untouched") > 0, "the last of them strikes nothing")
        }

        @Test func `a failure inside the handling of a failure`() throws {
            let count = Self.isLong ? 5_000 : 100
            let large = try PreparedStore(isLarge: true)
            let (lengths, seed) = (try Self.lengths(), Self.seed)
            print("pairs of seed \(seed)")
            let numbers = Self.numbers ?? 0...count - 1
            let runs = Runs(numbers.count) { index, runs in
                let number = numbers.lowerBound + index
                var random = SplitMix64(seed: seed + UInt64(number))
                let isLarge = random.oneIn(8)
                let pair = FaultPair(lengths, isLarge: isLarge, &random)
                let play = try Play(pair.rules, on: isLarge ? large : nil)
                try play.run(isLarge ? Story.pieces : Story.life(play.folder))
                Self.report(play, "pair \(number) of seed \(seed), \(pair)", runs)
                if play.faults.struck(1) > 0 { runs.tally("second struck") }
            }
            print("pairs of faults: \(runs.figures)")
            expect(runs.complaints.isEmpty, "\(runs.complaints.joined(separator: "\n\n"))")
        }

        @Test func `an I/O error under a commit ends it with 5 and a sentence, want of room refuses the write`() throws
        {
            var cases: [(rule: FaultRule, isFull: Bool)] = []
            for (path, kind) in [("data/log.journal", CallKinds.write), ("data/log.journal", .sync)] {
                for number in 1...3 as ClosedRange<UInt64> {
                    for code in [EIO, ENOSPC] {
                        let rule = FaultRule(
                            kinds: kind, number: number, action: .fail, value: UInt64(code), path: path)
                        cases.append((rule, isFull: kind == .write && code == ENOSPC))
                    }
                }
            }
            for number in 1...6 as ClosedRange<UInt64> {
                for kind in [CallKinds.write, .sync] {
                    let path = "data/log/data.mdb"
                    cases.append(
                        (FaultRule(kinds: kind, number: number, action: .fail, value: UInt64(EIO), path: path), false))
                }
            }
            let runs = Runs(cases.count) { [cases] number, runs in
                let (rule, isFull) = cases[number]
                let play = try Play([rule])
                try play.run(Story.commits)
                Self.report(play, "\(rule)", runs)
                guard play.faults.struck(0) > 0 else { return }
                let isRefused = play.ledger.writes.contains { if case .refused = $0.outcome { true } else { false } }
                if isFull ? play.end != .played || !isRefused : play.end != .ended(.code(5), isStart: false) {
                    runs.complain("\(rule): \(play.end)")
                }
            }
            print("errors under commits: \(runs.figures)")
            expect(runs.complaints.isEmpty, "\(runs.complaints.joined(separator: "\n\n"))")
            expect(runs.count("untouched") < cases.count / 3, "there are too few calls")
        }

        /// A disk whose sectors are longer than the journal's refuses writes past the cache.
        @Test func `a write past the cache that is refused goes through it`() throws {
            let rule = FaultRule(
                kinds: .write, action: .fail, value: UInt64(EINVAL), path: "data/log.journal")
            let play = try Play([rule])
            // Older systems have no such writes in memory.
            guard try FileHandle(play.folder + "/probe", O_CREAT | O_RDWR).setDirect(true) else { return }
            try play.run(Story.commits)
            expect(play.faults.struck(0) == 1)
            expect(play.end == .played && play.complaints.isEmpty, "\(play.end): \(play.complaints)")
        }

        /// A disk that says it has what it dropped is found out by what clients were told.
        @Test func `a journal that is not written is found out`() throws {
            // Its ticks are so far apart that nothing is flushed out of the journal before the kill.
            let play = try Play(
                [FaultRule(kinds: .write, count: .max / 2, action: .pretend, path: "log.journal")], tick: 600_000)
            try play.run([
                .exchange([0: [.user("a")], 3: [.ask("SUBSCRIBE events from=1")]]), .arm,
                .exchange([0: [.user("b")]]), .exchange([2: [.ask("GET users/b", "users")], 3: [.ask("PING")]]), .kill,
            ])
            for complaint in ["u-b was acknowledged at 2", "this event was heard", "this row was heard"] {
                expect(play.complaints.contains { $0.hasPrefix(complaint) }, "\(complaint): \(play.complaints)")
            }
        }

        private static func report(_ play: Play, _ name: String, _ runs: Runs) {
            runs.started(play.starts)
            for complaint in play.complaints {
                runs.complain("\(name), \(play.hits), \(play.end): \(complaint)\n\(play.daemon.trace.suffix(900))")
            }
            switch play.end {
            case .played: runs.tally(play.faults.struck(0) > 0 ? "went on" : "untouched")
            case .ended(let exit, let isStart): runs.tally("\(isStart ? "start" : "serving") ended \(exit)")
            }
        }

        /// How many calls of each kind a life has.
        private static func lengths() throws -> [CallKinds: Int] {
            try lengths {
                let play = try Play([])
                try play.run(Story.life(play.folder))
                return play
            }
        }

        /// The same of a life that somebody plays; none where it cannot be played here.
        private static func lengths(_ life: () throws -> Play?) throws -> [CallKinds: Int] {
            guard let play = try life() else { return [:] }
            expect(play.complaints.isEmpty, "unharmed: \(play.complaints)")
            var lengths: [CallKinds: Int] = [:]
            for (kind, _) in CallKinds.names { lengths[kind] = play.faults.calls(kind) }
            return lengths
        }

        private static func points(_ lengths: [CallKinds: Int]) -> [Fault] {
            print("calls of a life:", CallKinds.names.map { "\($0.1) \(lengths[$0.0] ?? 0)" }.joined(separator: ", "))
            var points: [Fault] = []
            for (kind, _) in CallKinds.names where ![.send, .accept, .lock].contains(kind) {
                guard let length = lengths[kind].map({ UInt64($0) }) else { continue }
                let manners = Fault.Manner.of(kind)
                for number in 1...(length + length / 8 + 4) {
                    for (index, manner) in manners.enumerated() {
                        // A stride, and each manner begins elsewhere.
                        let isChosen =
                            isLong || (number + UInt64(index) * 5) % 37 == 0 || number == length + length / 8 + 4
                        if isChosen { points.append(Fault(kind: kind, number: number, manner: manner)) }
                    }
                }
            }
            return points
        }
    }
}
