import Foundation
import Glibc
import TestSupport
import Testing

extension HarmTests {
    /// Killed, and with calls that fail, while events are erased: nobody reads them again, and in the end nothing of
    /// them is in any file.
    ///
    /// `ERASUREPOINTS=2000` is the long form: so many calls.
    @Suite(.enabled(if: Faults.library != nil))
    struct ErasureFaultTests {
        private static let calls = ProcessInfo.processInfo.environment["ERASUREPOINTS"].flatMap { Int($0) } ?? 12

        @Test func `unharmed, an erasure leaves nothing`() throws {
            let play = try Play([])
            try play.run(Story.erasure)
            let complaints = try play.complaints + ErasureCheck.complaints(play, isErased: true)
            expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
        }

        @Test func `killed at any call, the next start carries an erasure out`() throws {
            try Self.harm([.killBefore, .killAfter, .killWithin], at: [.changes, .open, .send])
        }

        @Test func `a call that fails ends the daemon, or is tried again`() throws {
            try Self.harm([.fail], at: [.changes, .open])
        }

        private static func harm(_ actions: [FaultRule.Action], at kinds: CallKinds) throws {
            let length = try length(kinds)
            let count = min(calls, length)
            let runs = Runs(count * actions.count) { number, runs in
                let action = actions[number % actions.count]
                let place = UInt64(1 + number / actions.count * length / count)
                let rule = FaultRule(kinds: kinds, number: place, action: action, value: UInt64(EIO))
                let play = try Play([rule])
                try play.run(Story.erasure)
                runs.started(play.starts)
                runs.tally(play.end == .played ? "played" : "\(action)")
                for complaint in try play.complaints + ErasureCheck.complaints(play, isErased: false) {
                    runs.complain(
                        "\(action) \(rule.number), \(play.hits): \(complaint)\n\(play.daemon.trace.suffix(900))")
                }
            }
            print("erasures, \(actions): \(runs.figures)")
            expect(runs.complaints.isEmpty, "\(runs.complaints.joined(separator: "\n\n"))")
        }

        /// How many calls of these kinds an erasure has in which nothing fails.
        private static func length(_ kinds: CallKinds) throws -> Int {
            let play = try Play([FaultRule(kinds: .changes, count: .max / 2, action: .delay, path: "erase.redo")])
            try play.run(Story.erasure)
            expect(play.complaints.isEmpty, "unharmed: \(play.complaints)")
            expect(play.faults.struck(0) > 0, "no file has the records that are erased")
            return CallKinds.names.filter { kinds.contains($0.0) }.reduce(0) { $0 + play.faults.calls($1.0) }
        }
    }
}

/// A look at a store after a story with erasures.
enum ErasureCheck {
    /// Starts the daemon once more, lets it end what it has begun, and looks for what was erased.
    ///
    /// - Parameter isErased: true where the story has come to the erasures.
    static func complaints(_ play: Play, isErased: Bool) throws -> [String] {
        let daemon = play.daemon
        try daemon.start()
        let client = try daemon.client()
        var erasures: [String] = []
        try until("the erasures have ended; \(daemon.trace.suffix(300))") {
            erasures = try client.rows("ERASURES")
            return erasures.allSatisfy { $0.contains(#""done":"#) }
        }
        let whole = try client.rows("READ events/secret-*").filter { !$0.contains(#""erased":"#) }
        let search = "FIND events words=\(Story.secret) limit=1000 order=asc"
        try until("words are found; \(daemon.trace.suffix(300))") { try client.ask(search).hasPrefix("+") }
        let found = try client.rows(search)
        client.hangUp()
        guard try daemon.stop() == .code(0) else { return ["the stop after the erasures"] }
        var complaints: [String] = []
        if found.map({ $0.number("position") }) != whole.map({ $0.number("position") }) {
            complaints.append("found are \(found), and there are \(whole)")
        }
        if isErased, erasures.count != 2 { complaints.append("\(erasures.count) erasures, not 2") }
        let targets = Set(erasures.compactMap { $0.text("target") })
        for line in whole where targets.contains("events/\(line.text("stream") ?? "")") {
            complaints.append("not erased: \(line.prefix(120))")
        }
        let isGone = { (number: Int) in
            targets.contains("events/secret-*") || number % 2 == 1 && targets.contains("events/secret-1")
        }
        for number in 1...9 where isGone(number) {
            // One that was appended after its stream was erased stays.
            guard !whole.contains(where: { $0.contains("\(Story.secret)-\(number)\"") }) else { continue }
            for file in FilesWith.any(["\(Story.secret)-\(number)"], in: daemon.data) {
                complaints.append("\(Story.secret)-\(number) is in \(file)")
            }
        }
        return complaints
    }
}
