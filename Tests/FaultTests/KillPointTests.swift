import Foundation
import TestSupport
import Testing

extension HarmTests {
    /// Killed before and after its calls, alone and beside a process that has the environments open.
    ///
    /// `KILLPOINTS=2000` is the long form: so many calls.
    @Suite(.enabled(if: Faults.library != nil))
    struct KillPointTests {
        private static let calls = ProcessInfo.processInfo.environment["KILLPOINTS"].flatMap { Int($0) } ?? 9
        /// The calls that a kill is tried at.
        private static let kinds: CallKinds = [.changes, .open, .send]

        /// What is played.
        private enum Tale {
            case life
            /// A checkpoint of several pieces.
            case pieces
            case random(UInt64)
        }

        /// Where a run is killed.
        private struct Point {
            let tale: Tale
            let number: UInt64
            let action: FaultRule.Action
        }

        /// The stores that runs begin with.
        private struct Stores: Sendable {
            let small: PreparedStore
            let large: PreparedStore
        }

        @Test func `killed at any call it starts again with all that it told of`() throws {
            let stores = Stores(small: try PreparedStore(isLarge: false), large: try PreparedStore(isLarge: true))
            for isHeld in [false, true] { try Self.kill(isHeld, stores) }
        }

        /// Then LMDB's lock file, which others keep alive, may not know of a commit that the file has.
        @Test func `killed as a commit of the log ends, beside a reader, it starts and goes on writing`() throws {
            let store = try PreparedStore(isLarge: false)
            let runs = Runs(16) { number, runs in
                let action = number % 2 == 0 ? FaultRule.Action.killAfter : .killBefore
                let rule = FaultRule(
                    kinds: .write, number: UInt64(1 + number / 2), action: action, path: "data/log/data.mdb")
                let play = try Play([rule], on: store, isHeld: true)
                try play.run(Story.commits)
                runs.started(play.starts)
                runs.tally(play.end == .played ? "not reached" : "\(action)")
                for complaint in play.complaints { runs.complain("\(action) \(rule.number): \(complaint)") }
            }
            print("kills as commits end: \(runs.figures)")
            expect(runs.complaints.isEmpty, "\(runs.complaints.joined(separator: "\n\n"))")
        }

        private static func kill(_ isHeld: Bool, _ stores: Stores) throws {
            let points = try points(isHeld, stores)
            let runs = Runs(points.count) { number, runs in
                let point = points[number]
                let rule = FaultRule(kinds: kinds, number: point.number, action: point.action)
                let play = try play(point.tale, [rule], isHeld, stores)
                runs.started(play.starts)
                runs.tally(play.end == .played ? "not reached" : "\(point.action)")
                for complaint in play.complaints {
                    runs.complain(
                        "\(point), \(play.hits), \(play.end): \(complaint)\n\(play.daemon.trace.suffix(900))")
                }
            }
            print("kills at \(calls) calls\(isHeld ? ", held open" : ""): \(runs.figures)")
            expect(runs.complaints.isEmpty, "\(runs.complaints.joined(separator: "\n\n"))")
        }

        private static func play(
            _ tale: Tale, _ rules: [FaultRule], _ isHeld: Bool, _ stores: Stores
        ) throws -> Play {
            switch tale {
            case .pieces:
                let play = try Play(rules, on: stores.large, isHeld: isHeld)
                try play.run(Story.pieces)
                return play
            case .life:
                let play = try Play(rules, on: isHeld ? stores.small : nil, isHeld: isHeld)
                try play.run(Story.life(play.folder))
                return play
            case .random(let seed):
                // Every other one on a disk whose syncs take so long that commits are not the loop's.
                let delay = FaultRule(kinds: .sync, count: .max / 2, action: .delay, value: 700)
                let play = try Play(
                    seed % 2 == 0 ? rules + [delay] : rules, on: isHeld ? stores.small : nil, isHeld: isHeld)
                try play.run(Story.random(seed, play.folder))
                return play
            }
        }

        /// Before and after each call of one tale after the other, until there are enough; where few are wanted, some of
        /// each.
        private static func points(_ isHeld: Bool, _ stores: Stores) throws -> [Point] {
            var (points, left, seed) = ([Point](), calls, UInt64(0))
            while left > 0 {
                let tale: Tale = seed == 0 ? .life : seed == 1 ? .pieces : .random(seed)
                let length = try length(of: tale, isHeld, stores)
                let count = min(left, length, max(3, calls / 4))
                for index in 0..<count {
                    let number = UInt64(1 + index * length / count)
                    points += [FaultRule.Action.killBefore, .killAfter, .killWithin].prefix(index % 4 == 0 ? 3 : 2).map
                    {
                        Point(tale: tale, number: number, action: $0)
                    }
                }
                (left, seed) = (left - count, seed + 1)
            }
            return points
        }

        /// How many calls a tale has in which nothing fails.
        private static func length(of tale: Tale, _ isHeld: Bool, _ stores: Stores) throws -> Int {
            let seen = FaultRule(kinds: .changes, count: .max / 2, action: .delay, path: "models/journal")
            let play = try play(tale, [seen], isHeld, stores)
            expect(play.complaints.isEmpty, "unharmed: \(play.complaints)")
            if case .pieces = tale { expect(play.faults.struck(0) > 0, "the checkpoint is one piece") }
            return CallKinds.names.filter { kinds.contains($0.0) }.reduce(0) { $0 + play.faults.calls($1.0) }
        }
    }
}
