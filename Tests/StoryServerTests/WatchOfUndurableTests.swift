import StoryCore
import StoryLog
import TestSupport
import Testing

/// What is watched while there are events that are not durable yet.
struct WatchOfUndurableTests: Watching {
    let bench = LoopBench()

    init() { begin() }

    @Test func `a row is told of as it is durable, not as it may become`() {
        write(Watched.story("1", 1, 2), Watched.story("2", 1, 2))
        bench.makeDiskSlow()
        bench.send(#"EDIT stories/1 {"title":"B"}"#, "DELETE stories/2", Watched.story("3", 1, 2), from: "writer")
        bench.send("SUBSCRIBE stories/1", "SUBSCRIBE stories/3", from: "watcher")
        #expect(
            heard() == [
                "subscription 6", "subscription 6", "4 row 1 v1", "caughtUp 6", "6 null", "caughtUp 6",
            ])
        bench.endCommit()
        #expect(heard() == ["7 row 1 v2", "9 row 3 v1"])
    }

    @Test func `a long history is folded once, and in turns, while its row is ahead of what is durable`() {
        func like(_ number: Int) -> String { "\(number % 2 == 0 ? "LIKE" : "UNLIKE") stories/1 {\"user\":\"3\"}" }
        write(Watched.story("1", 1, 2))
        for number in 0..<1_000 { write(like(number)) }
        bench.send("SUBSCRIBE stories/1", from: "watcher")
        #expect(heard().last == "caughtUp 1004")
        bench.makeDiskSlow()
        bench.send(like(1_000), from: "writer")
        let reads = bench.log.readCount
        for number in 1_001...1_010 {
            bench.send(like(number), from: "writer")
            bench.endCommit(isRunOn: number > 1_001)
            if number == 1_001 {
                _ = bench.endTurn()
                #expect(heard() == [])
                bench.run()
            }
            #expect(heard() == ["\(number + 5) row 1 v\(number + 1)"])
        }
        #expect(bench.log.readCount - reads < 1_200)
    }

    @Test func `a row with a long history is shown in turns, while it is ahead of what is durable`() {
        write(Watched.story("1", 1, 2), Watched.story("2", 1, 2), Watched.user(9))
        for number in 0..<2_500 {
            write("\(number % 2 == 0 ? "LIKE" : "UNLIKE") stories/1 {\"user\":\"3\"}")
            write("EDIT users/9 {\"name\":\"N\(number)\"}")
        }
        bench.makeDiskSlow()
        bench.send(#"LIKE stories/1 {"user":"2"}"#, #"EDIT users/9 {"name":"M"}"#, from: "writer")
        bench.receive("SUBSCRIBE stories/1\nSUBSCRIBE stories sender=1\n", from: "watcher")
        bench.receive("SUBSCRIBE users email=u9@example.org\nSUBSCRIBE users prefecture=9\n", from: "watcher")
        var (turns, most): (Int, UInt64) = (0, 0)
        while true {
            let reads = bench.log.readCount
            let isMore = bench.endTurn()
            (turns, most) = (turns + 1, max(most, bench.log.readCount - reads))
            guard isMore else { break }
        }
        #expect(turns > 5)
        #expect(most < 1_200, "records read in one turn, of 5,000")
        // Three users before, three rows, the changes, and the event that keeps the disk busy.
        let durable = 3 + 3 + 5_000 + 1
        #expect(
            heard().filter { !$0.contains("subscription") }.sorted() == [
                "5 row 2 v1", "\(durable - 2) row 1 v2501", "\(durable - 2) row 1 v2501",
                "\(durable - 1) row 9 v2501", "\(durable - 1) row 9 v2501", "caughtUp \(durable)",
                "caughtUp \(durable)", "caughtUp \(durable)", "caughtUp \(durable)",
            ])
        bench.endCommit()
        #expect(
            heard().sorted() == [
                "\(durable + 1) row 1 v2502", "\(durable + 1) row 1 v2502", "\(durable + 2) row 9 v2502",
                "\(durable + 2) row 9 v2502",
            ])
    }

    @Test func `a row that is being deleted when a list is watched is not told of, not even as removed`() {
        write(Watched.story("1", 1, 2), Watched.story("2", 1, 2))
        bench.makeDiskSlow()
        bench.send("DELETE stories/2", #"EDIT users/2 {"prefecture":40}"#, from: "writer")
        bench.send(#"EDIT users/2 {"prefecture":2}"#, from: "writer")
        bench.send("SUBSCRIBE stories", "SUBSCRIBE users prefecture=2", from: "watcher")
        #expect(
            heard() == ["subscription 6", "subscription 6", "4 row 1 v1", "caughtUp 6", "2 row 2 v1", "caughtUp 6"])
        bench.endCommit()
        #expect(heard() == ["8 removed 2"])
        bench.endCommit()
        #expect(heard() == ["9 row 2 v3"])
    }

    @Test func `a row whose deletion is undone while a list is told is told of all the same`() {
        write(Watched.story("1", 1, 2), Watched.story("2", 1, 2))
        bench.makeDiskSlow()
        bench.log.commitFailure = .full("no room")
        bench.send("DELETE stories/2", from: "writer")
        bench.send("SUBSCRIBE stories", from: "watcher")
        #expect(heard() == ["subscription 6", "4 row 1 v1", "caughtUp 6"])
        bench.endCommit()
        #expect(heard().contains("5 row 2 v1"))
    }

    @Test(arguments: [false, true])
    func `the row with an address is not shown while it is being given up, unless that is undone`(isUndone: Bool) {
        bench.makeDiskSlow()
        if isUndone { bench.log.commitFailure = .full("no room") }
        bench.send(#"EDIT users/1 {"email":"new@example.org"}"#, from: "writer")
        bench.send("SUBSCRIBE users email=u1@example.org", "SUBSCRIBE users email=new@example.org", from: "watcher")
        #expect(heard() == ["subscription 4", "subscription 4", "caughtUp 4", "caughtUp 4"])
        bench.endCommit()
        #expect(heard().filter { !$0.contains("caughtUp") } == [isUndone ? "1 row 1 v1" : "5 row 1 v2"])
    }

    @Test func `what became of a long history is found out, however often more is durable meanwhile`() {
        write(Watched.story("1", 1, 2), Watched.story("2", 1, 2))
        for number in 0..<700 { write("\(number % 2 == 0 ? "LIKE" : "UNLIKE") stories/1 {\"user\":\"3\"}") }
        bench.makeDiskSlow()
        // How the row was before it was deleted, and how it was when the list was shown, are two questions.
        bench.send(
            #"APPEND note-1 {"type":"A","data":{}}"#, "DELETE stories/1", #"EDIT stories/2 {"title":"B"}"#,
            from: "writer")
        bench.send("SUBSCRIBE stories sender=1", from: "watcher")
        let durable = 3 + 2 + 700 + 1
        #expect(heard() == ["subscription \(durable)", "5 row 2 v1", "caughtUp \(durable)"])
        var (turns, told): (Int, [String]) = (0, [])
        while told.isEmpty, turns < 50 {
            if bench.commits.isRunning { bench.endCommit(isRunOn: false) }
            // As many as before: the next commit waits for nobody.
            let line = #"APPEND note-1 {"type":"A","data":{}}"# + "\n"
            bench.receive(String(repeating: line, count: 6), from: "writer")
            bench.endTurn()
            told = heard()
            turns += 1
        }
        #expect(told == ["\(durable + 3) row 2 v2"])
        #expect(turns > 2)
    }

    @Test func `an address that changes hands is told of with each owner once`() {
        bench.makeDiskSlow()
        bench.send(
            #"EDIT users/1 {"email":"new@example.org"}"#, #"EDIT users/2 {"email":"u1@example.org"}"#, from: "writer")
        bench.send("SUBSCRIBE users email=u1@example.org", from: "watcher")
        #expect(heard() == ["subscription 4", "caughtUp 4"])
        bench.endCommit()
        #expect(heard() == ["6 row 2 v2"])
        bench.send(#"EDIT users/2 {"email":"u2@example.org"}"#, from: "writer")
        bench.send(#"EDIT users/3 {"email":"u1@example.org"}"#, from: "writer")
        bench.endCommit(isRunOn: true)
        bench.endCommit()
        #expect(heard() == ["7 removed 2", "8 row 3 v2"])
    }
}
