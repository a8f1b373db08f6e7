import Foundation
import Glibc
import TestSupport
import Testing

extension HarmTests {
    /// Calls on the index of words fail, or the daemon is killed at them: a search is right or `busy`, all else goes on,
    /// and once nothing fails every word is found.
    ///
    /// `FINDPOINTS=2000` is the long form: so many calls.
    @Suite(.enabled(if: Faults.library != nil))
    struct FindFaultTests {
        private static let calls = ProcessInfo.processInfo.environment["FINDPOINTS"].flatMap { Int($0) } ?? 8

        /// How calls fail.
        private struct Manner {
            let action: FaultRule.Action
            let kinds: CallKinds
            var code = EIO
            /// True where all calls from then on fail.
            var isForGood = false

            func rule(_ number: Int) -> FaultRule {
                FaultRule(
                    kinds: kinds, number: UInt64(number), count: isForGood ? .max / 2 : 1, action: action,
                    value: UInt64(code), path: "data/find")
            }
        }

        @Test func `a call on the index of words that fails makes searches busy, and nothing else`() throws {
            let all: CallKinds = [.changes, .open, .read]
            try Self.harm([
                Manner(action: .fail, kinds: all), Manner(action: .failAfter, kinds: all),
                Manner(action: .fail, kinds: .growth, code: ENOSPC), Manner(action: .shorten, kinds: .write),
                Manner(action: .fail, kinds: all, isForGood: true),
                Manner(action: .fail, kinds: .growth, code: ENOSPC, isForGood: true),
            ])
        }

        @Test func `killed at any call on the index of words, the next start finds all`() throws {
            try Self.harm(
                [.killBefore, .killAfter, .killWithin].map { Manner(action: $0, kinds: [.changes, .open]) })
        }

        private static func harm(_ manners: [Manner]) throws {
            let lengths = try manners.map { manner in
                let seen = FaultRule(
                    kinds: manner.kinds, count: .max / 2, action: .delay, path: "data/find")
                let daemon = try SearchedDaemon()
                try daemon.play(seen)
                expect(daemon.busy == 0 && daemon.kills == 0, "unharmed: \(daemon.figures)")
                return daemon.faults.struck(0)
            }
            print("calls on the index of words: \(lengths)")
            expect(lengths.allSatisfy { $0 > 4 }, "\(lengths)")
            let runs = Runs(calls * manners.count) { number, runs in
                let (index, step) = (number % manners.count, number / manners.count)
                let rule = manners[index].rule(1 + step * lengths[index] / calls)
                let daemon = try SearchedDaemon()
                do { try daemon.play(rule) } catch {
                    runs.complain(
                        "\(rule), \(daemon.faults.hit(0)): \(error)\n\(daemon.daemon.trace.suffix(900))")
                }
                runs.tally(daemon.faults.struck(0) == 0 ? "untouched" : daemon.outcome)
            }
            print("faults of the index of words: \(runs.figures)")
            expect(runs.complaints.isEmpty, "\(runs.complaints.joined(separator: "\n\n"))")
            expect(runs.count("untouched") < runs.done / 4, "too few were struck")
        }
    }
}

/// A daemon whose events are searched, stopped and killed while calls on its index fail.
private final class SearchedDaemon {
    /// What a run found wrong.
    struct Wrong: Error {
        let what: String
    }

    let faults: Faults
    let daemon: RunningDaemon
    /// How many searches were busy, and how often it was killed by a rule.
    private(set) var (busy, kills) = (0, 0)
    private let place: Scratch
    private let scratch: Scratch
    private var client: LineSocket
    /// How many events there are, all with the same word.
    private var count = 0

    init() throws {
        (place, scratch) = (try Scratch(in: Scratch.memory), try Scratch())
        faults = try Faults(scratch.place("faults"))
        daemon = try RunningDaemon(
            data: place.place("data"), environment: faults.environment(root: place.path, tick: 10))
        client = try daemon.client()
    }

    var figures: String { "\(busy) busy, \(kills) kills" }
    var outcome: String { kills > 0 ? "killed" : busy > 0 ? "busy" : "went on" }

    /// Writes and searches across a stop and a kill while a rule is in force, and until all is found after it.
    ///
    /// - Throws: `Wrong` where an answer is wrong.
    func play(_ rule: FaultRule) throws {
        try append()
        faults.arm([rule])
        for round in 0..<6 {
            try append()
            _ = try find()
            if round == 1 { try stop() }
            if round == 3 {
                try daemon.kill()
                try start()
            }
        }
        faults.disarm()
        try until("all is found: \(daemon.trace.suffix(300))") { try find() }
        client.hangUp()
        let exit = try daemon.stop()
        guard exit == .code(0) else { throw Wrong(what: "the last stop ended with \(exit)") }
    }

    private func append() throws {
        let events = (1...20).map { number in
            let words = (0..<8).map { "w\((count + number) * 7_919 % (97 + $0 * 31))" }.joined(separator: " ")
            return #"{"type":"Wrote","data":{"text":"Spring \#(count + number) \#(words)"}}"#
        }
        let end = try ask("APPEND note-1 key=k\(count) [\(events.joined(separator: ","))]").end
        guard end.hasPrefix("+") else { throw Wrong(what: "a write was answered \(end)") }
        count += events.count
    }

    /// Searches; returns false where that is busy.
    private func find() throws -> Bool {
        let (rows, end) = try ask("FIND events words=spring limit=1000 order=asc")
        guard end.hasPrefix("+") else {
            guard end.text("code") == "busy" else { throw Wrong(what: "a search was answered \(end)") }
            busy += 1
            return false
        }
        let positions = rows.compactMap { $0.number("position") }
        guard positions == (1...count).map({ UInt64($0) }) else {
            throw Wrong(what: "of \(count) events \(positions.count) were found: \(positions)")
        }
        return true
    }

    /// Asks, and once more where the daemon was killed.
    private func ask(_ line: String) throws -> (rows: [String], end: String) {
        do { return try answer(line) } catch is LineSocket.Closed {
            try wasKilled(try daemon.wait())
            try start()
            return try answer(line)
        }
    }

    private func answer(_ request: String) throws -> (rows: [String], end: String) {
        guard client.send(request) else { throw LineSocket.Closed() }
        var rows: [String] = []
        while true {
            let line = try client.line()
            if line.hasPrefix("+") || line.hasPrefix("-") { return (rows, line) }
            rows.append(line)
        }
    }

    private func stop() throws {
        client.hangUp()
        let exit = try daemon.stop()
        if exit != .code(0) { try wasKilled(exit) }
        try start()
    }

    private func start() throws {
        try daemon.launch()
        try until("it greets: \(daemon.trace.suffix(300))") {
            if let exit = daemon.exit {
                try wasKilled(exit)
                try daemon.launch()
            }
            guard let client = try? daemon.client() else { return false }
            self.client = client
            return true
        }
    }

    private func wasKilled(_ exit: Exit) throws {
        guard exit == .signal(SIGKILL) else { throw Wrong(what: "it ended with \(exit)") }
        kills += 1
    }
}
