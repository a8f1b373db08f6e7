import Foundation
import Glibc
import TestSupport
import Testing

extension HarmTests {
    /// The disk fails, at each call of a store's life and inside the handling of a failure.
    ///
    /// `FAULTS=all` fails each call there is, and 5,000 pairs of them; otherwise some. `SEED` repeats the pairs of a run.
    @Suite(.enabled(if: Faults.library != nil))
    struct DiskFaultTests {
        private static let isLong = ProcessInfo.processInfo.environment["FAULTS"] == "all"
        private static let seed =
            ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)

        @Test func `each call fails once, and for good`() throws {
            let points = try Self.points()
            let runs = Runs(points.count) { number, runs in
                let fault = points[number]
                let play = try Play(fault.rules)
                try play.run(Story.life(play.folder))
                Self.report(play, "\(fault)", runs)
                if let complaint = fault.complaint(play) { runs.complain("\(fault) \(play.hits): \(complaint)") }
            }
            print("faults: \(runs.figures)")
            #expect(runs.complaints.isEmpty, "\(runs.complaints.joined(separator: "\n\n"))")
            #expect(runs.count("untouched") > 0, "the last of each kind strikes nothing")
        }

        @Test func `a failure inside the handling of a failure`() throws {
            let count = Self.isLong ? 5_000 : 100
            let large = try PreparedStore(isLarge: true)
            let (lengths, seed) = (try Self.lengths(), Self.seed)
            let runs = Runs(count) { number, runs in
                var random = SplitMix64(seed: seed + UInt64(number))
                let isLarge = random.oneIn(8)
                let pair = FaultPair(lengths, isLarge: isLarge, &random)
                let play = try Play(pair.rules, on: isLarge ? large : nil)
                try play.run(isLarge ? Story.pieces : Story.life(play.folder))
                Self.report(play, "pair \(number) of seed \(seed), \(pair)", runs)
                if play.faults.struck(1) > 0 { runs.tally("second struck") }
            }
            print("pairs of faults: \(runs.figures)")
            #expect(runs.complaints.isEmpty, "\(runs.complaints.joined(separator: "\n\n"))")
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
            let play = try Play([])
            try play.run(Story.life(play.folder))
            #expect(play.complaints.isEmpty, "unharmed: \(play.complaints)")
            var lengths: [CallKinds: Int] = [:]
            for (kind, _) in CallKinds.names { lengths[kind] = play.faults.calls(kind) }
            return lengths
        }

        private static func points() throws -> [Fault] {
            let lengths = try lengths()
            print("calls of a life:", CallKinds.names.map { "\($0.1) \(lengths[$0.0] ?? 0)" }.joined(separator: ", "))
            var points: [Fault] = []
            for (kind, _) in CallKinds.names where kind != .send && kind != .accept {
                let length = UInt64(lengths[kind] ?? 0)
                let manners = Fault.Manner.of(kind)
                for number in 1...(length + length / 8 + 4) {
                    for (index, manner) in manners.enumerated() {
                        // A stride, and each manner begins elsewhere.
                        let isChosen =
                            isLong || (number + UInt64(index) * 5) % 29 == 0 || number == length + length / 8 + 4
                        if isChosen { points.append(Fault(kind: kind, number: number, manner: manner)) }
                    }
                }
            }
            return points
        }
    }
}
