import Foundation
import LoopSupport
import StoryCore
import StoryLog
import StoryServer
import TestSupport
import Testing

/// Subscriptions to rows and lists, in the shipped loop over memory.
struct WatchTests: Watching {
    let bench: LoopBench

    init() { self.init(Limits()) }

    private init(_ limits: Limits) {
        bench = LoopBench(limits)
        begin()
    }

    @Test func `a row is told of as it is, then at each change, then that it is gone`() {
        write(Watched.story("1", 1, 2))
        bench.send("SUBSCRIBE stories/1", from: "watcher")
        expect(heard() == ["subscription 4", "4 row 1 v1", "caughtUp 4"])
        write(#"EDIT stories/1 {"title":"B"}"#, #"LIKE stories/1 {"user":"3"}"#, Watched.story("2", 1, 2))
        expect(heard() == ["5 row 1 v2", "6 row 1 v3"])
        write("DELETE stories/1")
        expect(heard() == ["8 null"])
    }

    @Test func `a row that is not there yet is told of as null, and once it is posted`() {
        bench.send("SUBSCRIBE store://stories/9", from: "watcher")
        expect(heard() == ["subscription 3", "3 null", "caughtUp 3"])
        write(Watched.story("9", 1, 2))
        expect(heard() == ["4 row 9 v1"])
    }

    @Test func `a list is told of as it is, then of rows that enter, change and leave`() {
        write(Watched.message("1", 1, 2), Watched.message("2", 2, 1), Watched.message("3", 1, 2))
        bench.send("SUBSCRIBE messages recipient=2 unseen=true", from: "watcher")
        expect(heard() == ["subscription 6", "4 row 1 v1", "6 row 3 v1", "caughtUp 6"])
        write("SEE messages/2", "SEE messages/3", Watched.message("4", 3, 2), "DELETE messages/1", "DELETE messages/3")
        expect(heard() == ["8 removed 3", "9 row 4 v1", "10 removed 1"])
    }

    @Test func `a row enters and leaves a list as its fields change`() {
        bench.send("SUBSCRIBE users prefecture=40", from: "watcher")
        _ = heard()
        write(#"EDIT users/2 {"prefecture":40}"#, #"EDIT users/2 {"name":"C"}"#, #"EDIT users/2 {"prefecture":1}"#)
        expect(heard() == ["4 row 2 v2", "5 row 2 v3", "6 removed 2"])
    }

    @Test func `what a turn did to one row is told once, as it is then`() {
        bench.send("SUBSCRIBE stories sender=1", from: "watcher")
        _ = heard()
        bench.send(
            Watched.story("1", 1, 2), #"EDIT stories/1 {"title":"B"}"#, Watched.story("2", 1, 2), "DELETE stories/2",
            from: "writer")
        expect(heard() == ["5 row 1 v2"])
    }

    @Test func `the one row with an address is a list, too`() {
        bench.send("SUBSCRIBE users email=U2@EXAMPLE.ORG", from: "watcher")
        expect(heard() == ["subscription 3", "2 row 2 v1", "caughtUp 3"])
        write(#"EDIT users/2 {"email":"other@example.org"}"#)
        expect(heard() == ["4 removed 2"])
    }

    @Test func `the one row with an address has to meet the other conditions, too`() {
        bench.send("SUBSCRIBE users email=u2@example.org prefecture=40", from: "watcher")
        expect(heard() == ["subscription 3", "caughtUp 3"])
        write(#"EDIT users/2 {"prefecture":40}"#, #"EDIT users/2 {"prefecture":1}"#)
        expect(heard() == ["4 row 2 v2", "5 removed 2"])
    }

    @Test func `a watcher who takes nothing is told that he is behind, and then of each row as it is`() {
        bench.send("SUBSCRIBE stories", from: "watcher")
        _ = heard()
        bench.setTaking("watcher", false)
        let text = String(repeating: "x", count: 9_000)
        for id in 0..<80 { write(Watched.story("\(id)", 1, 2, text)) }
        for id in 0..<80 { write(#"EDIT stories/\#(id) {"title":"B"}"#) }
        write("DELETE stories/79")
        bench.setTaking("watcher", true)
        bench.run()
        let lines = heard()
        expect(lines.contains { $0.hasPrefix("behind") })
        expect(lines.last == "caughtUp 164")
        // But for what he was told before he stopped: each row once, in its newest state, and the deleted one never.
        let newest = lines.filter { $0.hasSuffix("v2") }.map { $0.split(separator: " ")[2] }
        expect(newest.count == 79)
        expect(Set(newest) == Set((0..<79).map { "\($0)" }))
        expect(lines.count { $0.hasSuffix("v1") } < 40)
        expect(lines.count { $0.contains("removed") } <= 1)
    }

    @Test func `a watcher that reads what comes never falls off the feed, however little that keeps`() {
        var limits = Limits()
        limits.feed = 0
        let suite = WatchTests(limits)
        suite.bench.send("SUBSCRIBE stories", "SUBSCRIBE stories/1", "SUBSCRIBE users", from: "watcher")
        _ = suite.heard()
        for id in 1...40 {
            suite.write(Watched.story("\(id)", 1, 2), #"EDIT users/1 {"name":"N\#(id)"}"#)
            let news = suite.heard()
            expect(!news.contains { $0.hasPrefix("again") || $0.hasPrefix("behind") })
            expect(news.count == (id == 1 ? 3 : 2))
        }
    }

    @Test func `a watcher that falls off the feed forgets its list and is shown it again`() {
        var limits = Limits()
        limits.feed = 20_000
        let suite = WatchTests(limits)
        suite.bench.send("SUBSCRIBE stories", "SUBSCRIBE stories/1", "SUBSCRIBE users/1", from: "watcher")
        _ = suite.heard()
        suite.bench.setTaking("watcher", false)
        let text = String(repeating: "x", count: 9_000)
        for id in 1...60 { suite.write(Watched.story("\(id)", 1, 2, text)) }
        for id in 1...57 { suite.write("DELETE stories/\(id)") }
        suite.bench.setTaking("watcher", true)
        suite.bench.run()
        let lines = suite.heard().filter { !$0.hasPrefix("behind") }
        let again = lines.indices.filter { lines[$0] == "again 120" }
        // Nothing happened to the user.
        expect(again.count == 2)
        let others = lines[(again.first ?? 0)...].filter { $0 != "again 120" }
        expect(
            others.sorted() == [
                "120 null", "61 row 58 v1", "62 row 59 v1", "63 row 60 v1", "caughtUp 120", "caughtUp 120",
            ])
        suite.write("DELETE stories/60")
        expect(suite.heard() == ["121 removed 60"])
    }

    @Test func `a change is worked out once, however many watch`() {
        let names = (0..<20).map { "w\($0)" }
        for name in names {
            bench.connected(name)
            for recipient in 1...10 { bench.send("SUBSCRIBE stories recipient=\(recipient)", from: name) }
        }
        let before = rowChanges
        write(Watched.story("1", 1, 2), #"EDIT stories/1 {"title":"B"}"#, #"APPEND note-1 {"type":"A","data":{}}"#)
        expect(rowChanges == before + 2)
        for name in names {
            let rows = bench.hear(name).map(Watched.short).filter { $0.contains("row") }
            expect(rows == ["4 row 1 v1", "5 row 1 v2"])
        }
    }

    private var rowChanges: Int {
        let stats = bench.ask("STATS", from: "writer").last ?? ""
        guard let range = stats.range(of: #""rowChanges":"#) else { return -1 }
        return Int(stats[range.upperBound...].prefix { $0.isNumber }) ?? -1
    }

    @Test func `what left a list before it was told of is not told of as removed`() {
        let text = String(repeating: "x", count: 9_000)
        for id in 100..<180 { write(Watched.story("\(id)", 1, 2, text)) }
        bench.receive("SUBSCRIBE stories\n", from: "watcher")
        bench.endTurn()
        bench.setTaking("watcher", false)
        write("DELETE stories/100", "DELETE stories/179", #"EDIT stories/178 {"title":"B"}"#, "DELETE stories/177")
        write(Watched.story("180", 1, 2), "DELETE stories/180", Watched.story("181", 1, 2))
        bench.setTaking("watcher", true)
        bench.run()
        let lines = heard()
        let told = lines.filter { $0.contains("row") }.map {
            $0.split(separator: " ").dropFirst(2).joined(separator: " ")
        }
        expect(told == (100...176).map { "\($0) v1" } + ["178 v2", "181 v1"])
        expect(lines.filter { $0.contains("removed") } == ["84 removed 100"])
        expect(lines.last == "caughtUp 90")
    }

    @Test func `a row is not told of as removed that was not in the list, however long its history is`() {
        write(
            Watched.story("1", 2, 1), Watched.story("2", 1, 2),
            #"POST users {"id":"9","name":"N","email":"n@example.org","prefecture":9}"#)
        for number in 0..<1_100 {
            let verb = number % 2 == 0 ? "LIKE" : "UNLIKE"
            write("\(verb) stories/1 {\"user\":\"3\"}", "\(verb) stories/2 {\"user\":\"3\"}")
            write("EDIT users/9 {\"name\":\"N\(number)\"}")
        }
        bench.send("SUBSCRIBE stories sender=1", "SUBSCRIBE users prefecture=2", from: "watcher")
        _ = heard()
        write(#"LIKE stories/1 {"user":"2"}"#, #"EDIT users/9 {"prefecture":3}"#, #"EDIT users/9 {"prefecture":2}"#)
        write("DELETE stories/1", "DELETE stories/2", #"EDIT users/9 {"prefecture":3}"#)
        let first = UInt64(3 + 3 + 3 * 1_100)
        expect(heard() == ["\(first + 3) row 9 v1103", "\(first + 5) removed 2", "\(first + 6) removed 9"])
    }

    @Test func `what was undone is never told of`() {
        write(Watched.story("1", 1, 2))
        bench.send("SUBSCRIBE stories", from: "watcher")
        expect(heard() == ["subscription 4", "4 row 1 v1", "caughtUp 4"])
        bench.log.commitFailure = .full("no room")
        bench.send(#"EDIT stories/1 {"title":"B"}"#, "DELETE stories/1", from: "writer")
        _ = bench.hear("writer")
        expect(heard() == [])
        bench.tick(10)
        write(#"EDIT stories/1 {"title":"C"}"#)
        expect(heard() == ["5 row 1 v2"])
    }

    @Test func `whoever is not concerned by events stands behind them all the same, and hears what comes later`() {
        bench.send(
            "SUBSCRIBE stories/1", "SUBSCRIBE events/note-1", "SUBSCRIBE events/note-*", "SUBSCRIBE messages",
            from: "watcher")
        _ = heard()
        write(Watched.story("2", 1, 2), Watched.story("3", 1, 2))
        expect(heard() == [])
        bench.send("UNSUBSCRIBE 2", from: "watcher")
        expect(bench.hear("watcher") == [#"+ {"unsubscribed":2,"resume":6}"#])
        write(Watched.story("1", 1, 2), #"APPEND note-1 {"type":"Wrote","data":{}}"#, Watched.message("1", 1, 2))
        expect(bench.hear("watcher").map { $0.prefix(2) } == [">1", ">3", ">4"])
        write(Watched.story("4", 1, 2))
        bench.send("QUIT", from: "watcher")
        let ends = bench.hear("watcher").filter { $0.contains(#""resume":10"#) }
        expect(ends.map { $0.prefix(2) } == [">1", ">3", ">4"])
    }

    @Test func `ends tell where each stands, and UNSUBSCRIBE ends a watch`() {
        bench.send("SUBSCRIBE stories", "SUBSCRIBE users/1", from: "watcher")
        _ = heard()
        expect(bench.ask("UNSUBSCRIBE 1", from: "watcher").first?.number("resume") == 4)
        write(Watched.story("1", 1, 2))
        expect(heard() == [])
        bench.server.signalReceived(15)
        bench.run()
        expect(bench.hear("watcher").first { $0.hasPrefix(">2") }?.number("resume") == 5)
    }
}
