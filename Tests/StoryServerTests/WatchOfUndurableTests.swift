import LoopSupport
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
        expect(
            heard() == [
                "subscription 6", "subscription 6", "4 row 1 v1", "caughtUp 6", "6 null", "caughtUp 6",
            ])
        bench.endCommit()
        expect(heard() == ["7 row 1 v2", "9 row 3 v1"])
    }

    @Test func `a row with a long history is shown as it is durable without a look at the log`() {
        write(Watched.story("1", 1, 2), Watched.story("2", 1, 2), Watched.user(9))
        for number in 0..<500 {
            write("\(number % 2 == 0 ? "LIKE" : "UNLIKE") stories/1 {\"user\":\"3\"}")
            write("EDIT users/9 {\"name\":\"N\(number)\"}")
        }
        bench.makeDiskSlow()
        bench.send(#"LIKE stories/1 {"user":"2"}"#, #"EDIT users/9 {"name":"M"}"#, from: "writer")
        let reads = bench.log.readCount
        bench.send(
            "SUBSCRIBE stories/1", "SUBSCRIBE stories sender=1", "SUBSCRIBE users email=u9@example.org",
            "SUBSCRIBE users prefecture=9", from: "watcher")
        // Three users before, three rows, the changes, and the event that keeps the disk busy.
        let durable = 3 + 3 + 1_000 + 1
        expect(
            heard().filter { !$0.contains("subscription") }.sorted() == [
                "\(durable - 2) row 1 v501", "\(durable - 2) row 1 v501", "\(durable - 1) row 9 v501",
                "\(durable - 1) row 9 v501", "5 row 2 v1", "caughtUp \(durable)", "caughtUp \(durable)",
                "caughtUp \(durable)", "caughtUp \(durable)",
            ])
        bench.endCommit()
        expect(
            heard().sorted() == [
                "\(durable + 1) row 1 v502", "\(durable + 1) row 1 v502", "\(durable + 2) row 9 v502",
                "\(durable + 2) row 9 v502",
            ])
        expect(bench.log.readCount == reads)
    }

    @Test func `a list is shown in steps however many changes are pending`() {
        let count = 2_400
        bench.receive((0..<count).map { Watched.story("\($0)", 1, 2) + "\n" }.joined(), from: "writer")
        bench.run()
        bench.makeDiskSlow()
        bench.receive((0..<count).map { #"EDIT stories/\#($0) {"title":"B"}"# + "\n" }.joined(), from: "writer")
        bench.run()
        bench.send("SUBSCRIBE stories", from: "watcher")
        let shown = heard().filter { $0.contains("row") }
        expect(shown.count == count && shown.allSatisfy { $0.hasSuffix(" v1") })
        while bench.commits.isRunning { bench.endCommit() }
        let changed = heard().filter { $0.contains("row") }
        expect(changed.count == count && changed.allSatisfy { $0.hasSuffix(" v2") })
    }

    @Test func `rows that are being changed when a list is watched are listed as they are durable`() {
        write(Watched.story("1", 1, 2), Watched.story("2", 1, 2))
        bench.makeDiskSlow()
        bench.send("DELETE stories/2", #"EDIT users/2 {"prefecture":40}"#, from: "writer")
        bench.send(#"EDIT users/2 {"prefecture":2}"#, from: "writer")
        bench.send("SUBSCRIBE stories", "SUBSCRIBE users prefecture=2", from: "watcher")
        expect(
            heard() == [
                "subscription 6", "subscription 6", "4 row 1 v1", "5 row 2 v1", "caughtUp 6", "2 row 2 v1",
                "caughtUp 6",
            ])
        bench.endCommit()
        expect(heard() == ["7 removed 2", "8 removed 2"])
        bench.endCommit()
        expect(heard() == ["9 row 2 v3"])
    }

    @Test func `a row whose deletion is undone after a list was told is not told of again`() {
        write(Watched.story("1", 1, 2), Watched.story("2", 1, 2))
        bench.makeDiskSlow()
        bench.log.commitFailure = .full("no room")
        bench.send("DELETE stories/2", from: "writer")
        bench.send("SUBSCRIBE stories", from: "watcher")
        expect(heard() == ["subscription 6", "4 row 1 v1", "5 row 2 v1", "caughtUp 6"])
        bench.endCommit()
        expect(heard() == [])
    }

    @Test(arguments: [false, true])
    func `the row with an address is shown while it is being given up, and removed unless that is undone`(
        isUndone: Bool
    ) {
        bench.makeDiskSlow()
        if isUndone { bench.log.commitFailure = .full("no room") }
        bench.send(#"EDIT users/1 {"email":"new@example.org"}"#, from: "writer")
        bench.send("SUBSCRIBE users email=u1@example.org", "SUBSCRIBE users email=new@example.org", from: "watcher")
        expect(heard() == ["subscription 4", "subscription 4", "1 row 1 v1", "caughtUp 4", "caughtUp 4"])
        bench.endCommit()
        expect(heard() == (isUndone ? [] : ["5 removed 1", "5 row 1 v2"]))
    }

    @Test func `an address that changes hands is told of with each owner once`() {
        bench.makeDiskSlow()
        bench.send(
            #"EDIT users/1 {"email":"new@example.org"}"#, #"EDIT users/2 {"email":"u1@example.org"}"#, from: "writer")
        bench.send("SUBSCRIBE users email=u1@example.org", from: "watcher")
        expect(heard() == ["subscription 4", "1 row 1 v1", "caughtUp 4"])
        bench.endCommit()
        expect(heard() == ["5 removed 1", "6 row 2 v2"])
        bench.send(#"EDIT users/2 {"email":"u2@example.org"}"#, from: "writer")
        bench.send(#"EDIT users/3 {"email":"u1@example.org"}"#, from: "writer")
        bench.endCommit(isRunOn: true)
        bench.endCommit()
        expect(heard() == ["7 removed 2", "8 row 3 v2"])
    }
}
