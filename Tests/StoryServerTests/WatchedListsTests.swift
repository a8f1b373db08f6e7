import Foundation
import LoopSupport
import StoryCore
import StoryLog
import StoryServer
import TestSupport
import Testing

/// Watchers beside random writers: what they were told comes to the list that is there, with no repeat.
struct WatchedListsTests {
    private static let lists = [
        "stories", "stories recipient=2", "stories sender=1 recipient=3", "messages", "messages unseen=true",
        "messages recipient=2 unseen=true", "messages between=1,2", "users prefecture=2", "stories/5", "messages/3",
    ]

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `what was told comes to what is there`(seed: UInt64) throws {
        play(seed: seed, turns: 600, isFailing: seed % 2 == 0)
    }

    @Test(arguments: 4..<6 as Range<UInt64>)
    func `what was told comes to what is there, beside a disk that is slow`(seed: UInt64) throws {
        play(seed: seed, turns: 600, isSlow: true)
    }

    @Test(arguments: [11, 12] as [UInt64])
    func `what was told comes to what is there, of watchers that fall off the feed and list again`(seed: UInt64) {
        play(seed: seed, turns: 600, isSlow: seed % 2 == 0, feed: 3_000)
    }

    @Test(arguments: [false, true])
    func `what was told comes to what is there, of long lists that change while they are told`(isSlow: Bool) throws {
        play(seed: 8, rows: 1_200, turns: 150, isSlow: isSlow)
    }

    /// - Parameters:
    ///   - rows: how many stories there are at the beginning.
    ///   - isSlow: whether commits end later than their turns.
    ///   - isFailing: whether commits fail now and then.
    ///   - feed: the size of the changes that are kept for watchers, in bytes; a few of them fit into a small one.
    private func play(
        seed: UInt64, rows: Int = 0, turns: Int, isSlow: Bool = false, isFailing: Bool = false, feed: Int? = nil
    ) {
        var random = SplitMix64(seed: seed)
        var limits = Limits()
        if let feed { (limits.feed, limits.output) = (feed, 2_000) }
        let bench = LoopBench(limits)
        bench.connected("writer")
        for id in 1...4 { bench.send(Watched.user(id), from: "writer") }
        let text = String(repeating: "m", count: 4_500)
        for id in 0..<rows { bench.send(Watched.story("\(id)", id % 4 + 1, 2, text), from: "writer") }
        if isSlow { bench.makeDiskSlow() }
        var watchers: [(name: String, list: String)] = []
        for turn in 0..<turns {
            if turn % (rows > 0 ? 80 : 30) == 0 {
                let name = "w\(turn)"
                bench.connected(name)
                let list = WatchedListsTests.lists[Int.random(in: 0..<WatchedListsTests.lists.count, using: &random)]
                bench.receive("SUBSCRIBE \(rows > 0 ? "stories" : list)\n", from: name)
                watchers.append((name, rows > 0 ? "stories" : list))
            }
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bench.receive(WatchedListsTests.request(&random, ids: max(40, rows)) + "\n", from: "writer")
            }
            // Turns end now and then only, and some readers take nothing for a while.
            if Bool.random(using: &random) { bench.endTurn() }
            if bench.commits.isRunning, Bool.random(using: &random) { bench.endCommit(isRunOn: rows == 0) }
            if let watcher = watchers.randomElement(using: &random) {
                bench.setTaking(watcher.name, Int.random(in: 0..<3, using: &random) > 0)
            }
            if turn % 50 == 0, isFailing { bench.log.commitFailure = .full("no room") }
            if turn % 50 == 10, rows == 0 { bench.tick(10) }
        }
        bench.tick(20)
        while bench.commits.isRunning { bench.endCommit() }
        var restarts = 0
        for (name, list) in watchers {
            bench.setTaking(name, true)
            bench.run()
            var told = Told()
            for line in bench.hear(name) { told.take(line) }
            restarts += told.restarts
            bench.connected("reader of \(name)")
            expect(told.rows == WatchedListsTests.rows(of: list, bench, "reader of \(name)"), "\(name): \(list)")
        }
        expect((restarts > 0) == (feed != nil))
    }

    /// What is there, row by row.
    private static func rows(of list: String, _ bench: LoopBench, _ reader: String) -> [String: String] {
        var rows: [String: String] = [:]
        var next: String? = ""
        while let after = next {
            let page = after.isEmpty ? "" : " after=\(after)"
            let lines = bench.ask(list.contains("/") ? "GET \(list)" : "LIST \(list) limit=1000\(page)", from: reader)
            for line in lines where line.contains(#"{"id":"#) {
                rows[line.text("id") ?? ""] = String(line.dropFirst(2))
            }
            next = lines.last?.text("next")
        }
        return rows
    }

    /// What a watcher was told.
    private struct Told {
        var rows: [String: String] = [:]
        /// How often the list began again.
        private(set) var restarts = 0
        /// The position that each row was told of with last.
        private var last: [String: UInt64] = [:]

        mutating func take(_ line: String) {
            if line.contains(#""again":"#) {
                (rows, last) = ([:], [:])
                restarts += 1
            }
            guard let position = line.number("position"), line.hasPrefix(">") else { return }
            if let id = line.text("removed") {
                note(id, position, line)
                expect(rows[id] != nil, "\(line) was never told of")
                rows[id] = nil
            } else if let start = line.range(of: #""row":"#) {
                guard line[start.upperBound] == "{" else { return rows.removeAll() }
                let row = String(line[start.upperBound...].dropLast())
                let id = row.text("id") ?? ""
                note(id, position, line)
                rows[id] = row
            }
        }

        private mutating func note(_ id: String, _ position: UInt64, _ line: String) {
            let least = last[id].map { $0 + 1 } ?? 0
            expect(position >= least, "\(line) after \(last[id] ?? 0)")
            last[id] = position
        }
    }

    private static func request(_ random: inout SplitMix64, ids: Int) -> String {
        let id = Int.random(in: 1...ids, using: &random)
        let (one, other) = (Int.random(in: 1...4, using: &random), Int.random(in: 1...4, using: &random))
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: return Watched.story("\(id)", one, other, String(repeating: "m", count: id % 41 * 20))
        case 2: return #"EDIT stories/\#(id) {"title":"T\#(Int.random(in: 0..<1_000, using: &random))"}"#
        case 3: return #"LIKE stories/\#(id) {"user":"\#(one)"}"#
        case 4: return "DELETE stories/\(id)"
        case 5, 6: return Watched.message("\(id)", one, other)
        case 7: return "SEE messages/\(id)"
        default: return #"EDIT users/\#(one) {"prefecture":\#(other)}"#
        }
    }
}
